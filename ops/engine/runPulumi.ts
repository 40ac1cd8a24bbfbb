import { execFile, type ExecFileOptions } from "node:child_process";
import { promisify } from "node:util";

/**
 * Runs a command of the Pulumi CLI and returns its output.
 * @param input of standard input
 * @throws Error with the CLI's error line
 */
export async function runPulumi(
  cli: string,
  args: readonly string[],
  options: Pick<ExecFileOptions, "cwd" | "env" | "timeout">,
  input?: string,
): Promise<string> {
  const all = { ...options, maxBuffer: Number.POSITIVE_INFINITY };
  const running = promisify(execFile)(cli, [...args, "--non-interactive"], all);
  // A command that fails before it reads its input closes the pipe; its own error is reported below.
  running.child.stdin?.on("error", () => undefined).end(input);
  const { stdout } = await running.catch((error: unknown) => {
    const { stderr, message } = error as Error & { stderr?: string };
    const output = stderr?.split("\n").find((line) => line.startsWith("error:")) ?? message.split("\n", 1)[0];
    return Promise.reject(new Error(`pulumi ${args.slice(0, 2).join(" ")} failed: ${output}`));
  });
  return stdout;
}
