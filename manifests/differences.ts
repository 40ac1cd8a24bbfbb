import { fieldsOf, UNKNOWN, type Value } from "./resource.ts";

/** Differences in a finding of one object. */
const MAX_DIFFERENCES = 3;

/**
 * Returns where two descriptions differ, as text; a missing value counts as different. What is not known yet differs from nothing.
 * @param expected content of the plan
 */
export function differences(expected: Value, found: Value): string[] {
  const all = compare(expected, found, "");
  const rest = all.length - MAX_DIFFERENCES;
  return rest > 0 ? [...all.slice(0, MAX_DIFFERENCES - 1), `${rest + 1} more differences`] : all;
}

function compare(expected: Value, found: Value, path: string): string[] {
  if (expected === UNKNOWN || found === UNKNOWN || Object.is(expected, found)) return [];
  if (Array.isArray(expected) && Array.isArray(found)) {
    const length = Math.max(expected.length, found.length);
    return Array.from({ length }, (_, index) => index).flatMap((index) =>
      compare(expected[index], found[index], `${path}[${index}]`),
    );
  }
  if (isObject(expected) && isObject(found)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return [...keys].flatMap((key) => compare(fieldsOf(expected)[key], fieldsOf(found)[key], join(path, key)));
  }
  return [`${path} is ${textOf(found)}, planned ${textOf(expected)}`];
}

function isObject(value: Value): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function textOf(value: Value): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
