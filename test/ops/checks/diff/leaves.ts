/** The leaves of plain data, to change one after another. */

export type Path = readonly (string | number)[];

/** Returns the path of every value that is neither a list nor an object. */
export function leavesOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

/** Changes the value at a path to another one of the same type. */
export function change(root: unknown, path: Path): void {
  const parent = path.slice(0, -1).reduce<unknown>((inside, key) => (inside as Record<string, unknown>)[key], root);
  const key = path.at(-1) ?? "";
  const inside = parent as Record<string | number, unknown>;
  const value = inside[key];
  if (typeof value === "number") inside[key] = value + 1;
  else if (typeof value === "boolean") inside[key] = !value;
  else if (key === "protection") inside[key] = value === "open" ? "proxy" : "open";
  else inside[key] = `${String(value)}-changed`;
}

/** Returns the path without indexes: `routes[].name`. */
export function fieldOf(path: Path): string {
  return path.map((key, index) => (typeof key === "number" ? "[]" : index === 0 ? key : `.${key}`)).join("");
}
