/** Header names with the empty value: Traefik's way to remove them from a request, or from an answer. */
export function emptied(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, ""]));
}
