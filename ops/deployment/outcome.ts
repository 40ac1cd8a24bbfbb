import type { Check } from "../checks/check.ts";
import type { HostState } from "./protectedHosts.ts";
import type { Step } from "../engine/step.ts";
import type { AccessChanges } from "./access.ts";
import { argument } from "../text.ts";

/**
 * How a deployment ended. `deployed` and `unchanged`: no check failed. `unverified`: deployed, but a check failed or the verification was
 * interrupted. `failed`: the engine stopped. `refused`: a check before the preview failed. `declined`: the user did not confirm. Neither
 * changed anything.
 */
export type Ending = "deployed" | "unchanged" | "unverified" | "failed" | "refused" | "declined";

export interface Part {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
}

/** One deployment, as `--json` prints it. Contains no secret: names and paths of resources, never values. */
export interface Outcome {
  readonly context: string;
  readonly stack: string;
  readonly outcome: Ending;
  /** `--skip-policy`: neither the preview nor the up ran the policy pack. */
  readonly policySkipped: boolean;
  readonly steps: readonly Part[];
  /** Every resource that changes, and whether the change was made. */
  readonly changes: readonly (Step & { readonly done: boolean })[];
  readonly diff: AccessChanges["changes"];
  /** Drift that a refresh detected; only with `--refresh`. */
  readonly drift: readonly Step[];
  readonly checks: readonly Check[];
  /** After a failure: whether protected hosts refuse requests without a session. */
  readonly hosts: readonly HostState[];
  readonly problems: readonly string[];
  readonly next: readonly string[];
}

/** The exit code of each ending, and the commands that follow it. */
const ENDINGS: Readonly<Record<Ending, readonly [exitCode: number, ...next: string[]]>> = {
  deployed: [0],
  unchanged: [0],
  unverified: [1, "diagnose", "verify"],
  failed: [1, "diagnose", "deploy"],
  declined: [1, "deploy"],
  refused: [2, "deploy"],
};

/** Returns 0 when the stack is deployed and verified, 1 when a check or the engine failed, 2 when nothing was changed because it was refused. */
export function exitCodeOf({ outcome }: Pick<Outcome, "outcome">): number {
  return ENDINGS[outcome][0];
}

/**
 * Returns the commands that follow an outcome.
 * @param given name of the cluster for the commands
 * @param refresh whether the deployment had the option, without which the next one would not restore what was changed by hand
 */
export function nextCommands(outcome: Ending, given: string, refresh: boolean): string[] {
  const [, ...commands] = ENDINGS[outcome];
  const option = (command: string): string => (refresh && command === "deploy" ? " --refresh" : "");
  return commands.map((command) => `npx gatehouse ${command} ${argument(given)}${option(command)}`);
}
