/**
 * The text of what was thrown, for a message: that of the cause of a failed `fetch`, of each of several addresses that Node.js tried, the status
 * of what a client of Kubernetes throws (its message has headers and whole bodies), and the code of an error without a message.
 */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(errorText).join(", ");
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as Error & { readonly code?: unknown };
  if (typeof code === "number" && "headers" in error) return `HTTP ${code}`;
  if (error.message === "fetch failed" && cause !== undefined) return errorText(cause);
  return error.message || (typeof code === "string" ? code : error.name);
}
