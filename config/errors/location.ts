/** Path of a field or section in the stack file. */
export interface Location {
  readonly path: string;
  /** Name of the entry in a list, if it has one. */
  readonly entry?: string | undefined;
}

/** Returns a location inside another. */
export function within(location: Location, ...keys: readonly PropertyKey[]): Location {
  return { ...location, path: join(location.path, ...keys) };
}

/** Returns the path of a field: `domains` + `mesh` = `domains.mesh`; `protected_services` + 3 = `protected_services[3]`. */
export function join(path: string, ...keys: readonly PropertyKey[]): string {
  return keys.reduce<string>(
    (joined, key) => (typeof key === "number" ? `${joined}[${key}]` : `${joined}.${String(key)}`),
    path,
  );
}

/** Returns whether a path is another one or inside it: `domains.mesh.tls` is inside `domains.mesh`, `domains.mesh2` is not. */
export function isWithin(path: string, outer: string): boolean {
  return path.startsWith(outer) && /^($|[.[])/.test(path.slice(outer.length));
}

/** Returns a location as in messages: `protected_services[3] "grafana"`. */
export function formatLocation({ path, entry }: Location): string {
  return entry === undefined ? path : `${path} "${entry}"`;
}

export function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
