/** Errors of a pipe or a terminal whose reader has ended. */
const CLOSED = ["EPIPE", "EIO"];

/**
 * Makes this process go on without its output after the reader of that has ended (`| head`, a closed terminal). The error of the stream would be an
 * uncaught exception, which Pulumi reports to the same stream while a program runs (automation/server.js): without end, and with a deployment half done.
 * @returns the code of another error of the standard output, such as ENOSPC of a full disk, which the reader cannot detect; undefined without one
 */
export function ignoreClosedOutput(): () => string | undefined {
  let failed: string | undefined;
  process.stdout.on("error", ({ code = "unknown" }: NodeJS.ErrnoException) => {
    if (!CLOSED.includes(code)) failed ??= code;
  });
  process.stderr.on("error", () => undefined);
  return () => failed;
}
