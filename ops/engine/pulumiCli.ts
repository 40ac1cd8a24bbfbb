/** Reads a stack with the CLI of the engine: opening it with the Automation API would create a missing one. */
import type { ShellEnvironment, StackContext } from "../context/context.ts";
import { type DecryptedConfig, pulumiOf, secretVariables } from "./open.ts";
import { runPulumi } from "./runPulumi.ts";
import type { Progress } from "../terminal/progress.ts";
import { installedTool } from "../toolchain/toolchain.ts";

export interface PulumiCli {
  readonly stack: string;
  /** Runs a command and returns its output. @throws Error with the CLI's error line */
  readonly run: (...args: string[]) => Promise<string>;
}

/**
 * Returns the pinned CLI for a context. Its commands have no time limit.
 */
export async function openCli(
  context: StackContext,
  shell: Pick<ShellEnvironment, "project">,
  progress: Progress,
): Promise<PulumiCli> {
  return cliAt(await pulumiOf(context, progress), context, shell);
}

function cliAt(
  pulumi: string,
  context: StackContext,
  { project }: Pick<ShellEnvironment, "project">,
  timeout = 0,
): PulumiCli {
  const env = { ...process.env, ...context.environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const run = (...args: string[]): Promise<string> => runPulumi(pulumi, args, { cwd: project, env, timeout });
  return { stack: context.stack, run };
}

/**
 * Returns the CLI if it is installed, and neither downloads nor builds it.
 * @param timeout of each command, in milliseconds
 * @throws Error when it is not installed
 */
export async function openInstalledCli(
  context: StackContext,
  shell: ShellEnvironment,
  timeout: number,
): Promise<PulumiCli> {
  return cliAt(await installedTool("pulumi", context.local), context, shell, timeout);
}

/** Returns whether the backend has the stack. Its list can have names with an organization. */
export async function hasStack({ stack, run }: PulumiCli): Promise<boolean> {
  const stacks = JSON.parse(await run("stack", "ls", "--json")) as { name: string }[];
  return stacks.some(({ name }) => name.split("/").at(-1) === stack);
}

/** Returns the secret template variables of the stack file in clear, by name. */
export async function decryptedVariables({ stack, run }: PulumiCli): Promise<Readonly<Record<string, string>>> {
  const text = await run("config", "--show-secrets", "--json", "--stack", stack);
  return secretVariables(JSON.parse(text) as DecryptedConfig);
}
