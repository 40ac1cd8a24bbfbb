type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** A number as JSON has it, which `JSON.stringify` writes unchanged (https://github.com/tc39/proposal-json-parse-with-source). */
interface RawNumber {
  readonly rawJSON: string;
}
const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  readonly rawJSON?: (text: string) => RawNumber;
  readonly isRawJSON?: (value: unknown) => value is RawNumber;
};

/** Whether the browser has `JSON.rawJSON`. An older one rounds numbers beyond 2⁵³. */
export const KEEPS_NUMBERS = rawJSON !== undefined && isRawJSON !== undefined;

/**
 * Parses rows as JSON without changing a number. A number that JavaScript would write differently (beyond 2⁵³, `1.50`) becomes its text, or stays a number
 * inside of a document or an array. Throws SyntaxError like JSON.parse.
 */
export function parseExactly(text: string): unknown {
  if (!rawJSON || !isRawJSON) return JSON.parse(text);
  const exact: Reviver = (_key, value, context) =>
    typeof value === "number" && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value;
  const parsed: unknown = JSON.parse(text, exact);
  for (const row of Array.isArray(parsed) ? (parsed as Record<string, unknown>[]) : []) {
    for (const [name, value] of Object.entries(row)) if (isRawJSON(value)) row[name] = value.rawJSON;
  }
  return parsed;
}
