import type { Value, Values } from "../protocol/plugin.ts";
import { isValues, itemsOf, textOf } from "../protocol/values.ts";

/** The field manager of a POST, which does not replace an existing object. */
export const CREATOR = "pulumi-kubernetes";

/** True as long as the fields of an object belong to who created it, and no update has handed them over. */
export function isFresh(live: Values): boolean {
  return itemsOf(live, "metadata", "managedFields").some(isCreators);
}

/**
 * The `managedFields` of an object with the fields of the creator and of kubectl handed over to the manager, as the real provider does
 * before each update; undefined where there is nothing to hand over.
 */
export function handedOver(live: Values, manager: string): Values[] | undefined {
  const entries = itemsOf(live, "metadata", "managedFields");
  const given = entries.filter((entry) => isCreators(entry) || isKubectls(entry));
  const [first] = given;
  if (!first) return undefined;
  const isOwn = (entry: Values): boolean => entry.manager === manager && entry.operation === "Apply";
  const fieldsV1 = [...given, ...entries.filter(isOwn)].map((entry) => entry.fieldsV1).reduce(merged) ?? {};
  const rest = entries.filter((entry) => !given.includes(entry) && !isOwn(entry));
  return [...rest, { ...first, manager, operation: "Apply", fieldsV1 }];
}

function isCreators({ manager, operation, subresource }: Values): boolean {
  return manager === CREATOR && operation === "Update" && subresource === undefined;
}

function isKubectls(entry: Values): boolean {
  return entry.subresource === undefined && (textOf(entry, "manager") ?? "").startsWith("kubectl");
}

function merged(one: Value | undefined, other: Value | undefined): Value | undefined {
  if (!isValues(one) || !isValues(other)) return one ?? other;
  const fields = Object.entries(other).map(([key, value]) => [key, merged(one[key], value)]);
  return { ...one, ...(Object.fromEntries(fields) as Values) };
}
