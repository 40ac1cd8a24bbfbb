/** Returns why something failed: the message, or the code of an error without one, such as a failed connection. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.trim() || String((error as { code?: string | number }).code ?? error.name);
}
