/** Operators of a filter, as in the address of the page. */
export const OPERATORS = [
  "contains",
  "starts",
  "has",
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "empty",
  "filled",
] as const;
export type Operator = (typeof OPERATORS)[number];

export function isOperator(text: string): text is Operator {
  return (OPERATORS as readonly string[]).includes(text);
}

/** Returns whether a condition with this operator needs a value. */
export function takesValue(operator: Operator): boolean {
  return operator !== "empty" && operator !== "filled";
}

/** Returns the condition of a request: `<operator>.<value>` of PostgREST. */
export function comparison(operator: Operator, value: string): string {
  switch (operator) {
    case "contains":
      return `ilike.*${pattern(value)}*`;
    case "starts":
      return `ilike.${pattern(value)}*`;
    case "has":
      return `cs.{"${value.replace(/["\\]/gu, "\\$&")}"}`;
    case "empty":
      return "is.null";
    case "filled":
      return "not.is.null";
    // Unlike `neq`, it keeps rows without a value.
    case "neq":
      return `isdistinct.${value}`;
    default:
      return `${operator}.${value}`;
  }
}

/** Returns a pattern that matches a text literally. PostgREST reads every `*` as a wildcard, so the pattern matches any one character instead. */
function pattern(text: string): string {
  return text.replace(/[\\%_]/gu, "\\$&").replaceAll("*", "_");
}
