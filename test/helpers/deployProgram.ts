import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import type { Check } from "../../ops/checks/check.ts";
import type { ShellEnvironment, StackContext } from "../../ops/context/context.ts";
import { deployContext } from "../../ops/deployment/deployment.ts";
import type { Outcome } from "../../ops/deployment/outcome.ts";
import { SILENT } from "../../ops/terminal/progress.ts";

export interface Deployed {
  readonly outcome: Outcome;
  /** Output for the user. */
  readonly text: string;
}

interface DeployOptions {
  readonly skipPolicy?: boolean;
  /** Whether the user confirms a question. Default: each one, as `--yes` does. */
  readonly confirms?: (question: string) => boolean;
  readonly interrupted?: AbortSignal;
  /** Default: no checks. */
  readonly verify?: () => Promise<readonly Check[]>;
}

/** Runs `npx gatehouse deploy CONTEXT` with another program and another verification. */
export async function deployProgram(
  context: StackContext,
  shell: ShellEnvironment,
  program: PulumiFn,
  {
    skipPolicy = false,
    confirms = () => true,
    interrupted = new AbortController().signal,
    verify = () => Promise.resolve([]),
  }: DeployOptions = {},
): Promise<Deployed> {
  let text = "";
  const print = (line: string): true => {
    text += `${line}\n`;
    return true;
  };
  const outcome = await deployContext(context, shell, {
    refresh: false,
    skipPolicy,
    program: () => Promise.resolve(program),
    progress: SILENT,
    confirm: (question) => Promise.resolve(print(question) && confirms(question)),
    print,
    paint: (_, line) => line,
    interrupted,
    verify,
  });
  return { outcome, text };
}
