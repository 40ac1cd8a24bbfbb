import { fstatSync, writeFileSync } from "node:fs";

/** Errors of a pipe or a terminal whose reader has ended. */
const CLOSED = ["EPIPE", "EIO"];

/**
 * Keeps the process running after the reader of its output has ended (`| head`, a closed terminal). The error of the stream would be an
 * uncaught exception, which Pulumi reports to the same stream while a program runs (automation/server.js): without end, and with a deployment half done.
 * @returns the code of another error of the standard output, such as ENOSPC of a full disk, which the reader cannot detect; undefined without one
 */
export function ignoreClosedOutput(): () => string | undefined {
  let failed: string | undefined;
  if (fstatSync(process.stdout.fd).isFile()) process.stdout._write = writeAll;
  process.stdout.on("error", ({ code = "unknown" }: NodeJS.ErrnoException) => {
    if (!CLOSED.includes(code)) failed ??= code;
  });
  process.stderr.on("error", () => undefined);
  return () => failed;
}

/** Writes a complete text. The stream of Node.js ignores that an almost full disk accepts only a part of it (lib/internal/fs/sync_write_stream.js). */
function writeAll(text: Buffer, _encoding: string, done: (error?: Error) => void): void {
  try {
    writeFileSync(process.stdout.fd, text);
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
