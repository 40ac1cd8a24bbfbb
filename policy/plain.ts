import { type Fields, UNKNOWN, type Value } from "../manifests/resource.ts";

/**
 * Returns a resource's properties as plain data. The engine's own throw where a preview does not know a value yet; here that is {@link UNKNOWN}, so
 * that one such value does not keep a rule from the rest.
 */
export function plainFields(properties: Fields): Fields {
  return Object.fromEntries(Object.keys(properties).map((key) => [key, plain(() => properties[key])]));
}

function plain(read: () => Value): Value {
  let value: Value;
  try {
    value = read();
  } catch (error) {
    // @pulumi/policy exports no class for it.
    if (error instanceof Error && error.message.includes("can't be known during preview")) return UNKNOWN;
    throw error;
  }
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) return plainFields(value as Fields);
  const list: readonly Value[] = value;
  return Array.from({ length: list.length }, (_, index) => plain(() => list[index]));
}
