/**
 * Makes this process go on without its output after the reader of that has ended (`| head`, a closed terminal). The error of the stream would be an
 * uncaught exception, which Pulumi reports to the same stream while a program runs (automation/server.js): without end, and with a deployment half done.
 */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
