/** Reads a stack with the CLI of the engine: opening it with the Automation API would create a missing one. */
import type { ShellEnvironment, StackContext } from "../context/context.ts";
import { type DecryptedConfig, pulumiOf, secretVariables } from "./open.ts";
import { runPulumi } from "./runPulumi.ts";
import type { Progress } from "../terminal/progress.ts";

export interface PulumiCli {
  readonly stack: string;
  /** Runs a command and returns its output. @throws Error with the CLI's error line */
  readonly run: (...args: string[]) => Promise<string>;
}

/**
 * Returns the pinned CLI for a context.
 * @param timeout of each command, in milliseconds; default: none
 */
export async function openCli(
  context: StackContext,
  { project }: Pick<ShellEnvironment, "project">,
  progress: Progress,
  timeout = 0,
): Promise<PulumiCli> {
  const pulumi = await pulumiOf(context, progress);
  const env = { ...process.env, ...context.environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const run = (...args: string[]): Promise<string> => runPulumi(pulumi, args, { cwd: project, env, timeout });
  return { stack: context.stack, run };
}

/** Returns the secret template variables of the stack file in clear, by name. */
export async function decryptedVariables({ stack, run }: PulumiCli): Promise<Readonly<Record<string, string>>> {
  const text = await run("config", "--show-secrets", "--json", "--stack", stack);
  return secretVariables(JSON.parse(text) as DecryptedConfig);
}
