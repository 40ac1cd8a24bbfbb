import type { Check } from "../verify/check.ts";
import type { HostState } from "./hosts.ts";
import type { Step } from "./step.ts";

/**
 * How a deployment ended. `deployed` and `unchanged`: every check held. `unproven`: deployed, but a check did not hold. `failed`: the engine
 * stopped. `refused`: a check before it did not hold, and `declined`: nobody said yes; of both nothing was changed.
 */
export type Ending = "deployed" | "unchanged" | "unproven" | "failed" | "refused" | "declined";

/** A part of a deployment, and how long it took. */
export interface Part {
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
}

/** One deployment, as `--json` tells it. Holds no secret: of resources names and paths, never values. */
export interface Outcome {
  readonly context: string;
  readonly stack: string;
  readonly outcome: Ending;
  /** `--skip-policy`: neither the preview nor the up ran the policy pack. */
  readonly policySkipped: boolean;
  readonly steps: readonly Part[];
  /** Every resource that changes, and whether it was done. */
  readonly changes: readonly (Step & { readonly done: boolean })[];
  /** Who and what gains or loses access. */
  readonly diff: readonly unknown[];
  /** What a refresh found to be other than it was deployed; only with `--refresh`. */
  readonly drift: readonly Step[];
  readonly checks: readonly Check[];
  /** Asked when it failed: whether protected hosts refuse who has no session. */
  readonly hosts: readonly HostState[];
  readonly problems: readonly string[];
  /** What to type next. */
  readonly next: readonly string[];
  /** Milliseconds, by the name of the part. */
  readonly timings: Readonly<Record<string, number>>;
}

const EXIT: Readonly<Record<Ending, number>> = {
  deployed: 0,
  unchanged: 0,
  unproven: 1,
  failed: 1,
  declined: 1,
  refused: 2,
};

/** 0 for what is deployed and proven, 1 for a finding, 2 for what was refused before anything changed. */
export function exitCodeOf({ outcome }: Pick<Outcome, "outcome">): number {
  return EXIT[outcome];
}

/** What to type after each ending. */
export function nextCommands(outcome: Ending, context: string): string[] {
  switch (outcome) {
    case "deployed":
    case "unchanged":
      return [];
    case "unproven":
      return [`npm run diagnose -- ${context}`, `npm run verify -- ${context}`];
    case "failed":
      return [`npm run diagnose -- ${context}`, `./deploy ${context}`];
    case "refused":
    case "declined":
      return [`./deploy ${context}`];
  }
}
