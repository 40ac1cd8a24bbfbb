/**
 * Returns the headers that reached the echo service, from its text: one `Name: value` line each, after the request line.
 * @returns lower-case name → values in order; a header that came twice has two
 */
export function receivedHeaders(text: string): ReadonlyMap<string, readonly string[]> {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => / HTTP\/\d/.test(line)) + 1;
  const headers = new Map<string, string[]>();
  for (const line of lines.slice(start)) {
    const [, name, value] = /^([^:\s]+): ?(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
    }
  }
  return headers;
}

/** Returns the path and query that reached the echo service. */
export function receivedPath(text: string): string | undefined {
  return /^[A-Z]+ (\S+) HTTP\/\d/m.exec(text)?.[1];
}
