import { execFile, type ExecFileOptions } from "node:child_process";
import { promisify } from "node:util";
import { reasonOf } from "./reason.ts";

/**
 * Runs a command of the Pulumi CLI and returns its output.
 * @param input of standard input
 * @throws Error with the CLI's error lines
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
    const { killed } = error as Error & { killed?: boolean };
    const reason = killed ? `no answer within ${(options.timeout ?? 0) / 1000} s` : reasonOf(error);
    return Promise.reject(new Error(`pulumi ${args.slice(0, 2).join(" ")} failed: ${reason}`, { cause: error }));
  });
  return stdout;
}
