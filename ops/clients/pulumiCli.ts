/** Reads a stack with the CLI of the engine: opening it with the Automation API would create a missing one. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ShellEnvironment, StackContext } from "../context/context.ts";
import { type DecryptedConfig, pulumiOf, secretVariables } from "../engine/open.ts";
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
  const options = { cwd: project, env, timeout, maxBuffer: Number.POSITIVE_INFINITY };
  const run = async (...args: string[]): Promise<string> => {
    const running = promisify(execFile)(pulumi, [...args, "--non-interactive"], options);
    const { stdout } = await running.catch((error: unknown) => {
      const { stderr, message } = error as Error & { stderr?: string };
      const output = stderr?.split("\n").find((line) => line.startsWith("error:")) ?? message.split("\n", 1)[0];
      return Promise.reject(new Error(`pulumi ${args.slice(0, 2).join(" ")} failed: ${output}`));
    });
    return stdout;
  };
  return { stack: context.stack, run };
}

/** Returns the secret template variables of the stack file in clear, by name. */
export async function decryptedVariables({ stack, run }: PulumiCli): Promise<Readonly<Record<string, string>>> {
  const text = await run("config", "--show-secrets", "--json", "--stack", stack);
  return secretVariables(JSON.parse(text) as DecryptedConfig);
}
