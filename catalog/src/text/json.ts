type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/**
 * Parses JSON without changing a number: one that JavaScript would write otherwise (beyond 2⁵³, `1.50`) becomes the text that it was.
 * Throws SyntaxError like JSON.parse.
 */
export function parseExactly(text: string): unknown {
  const exact: Reviver = (_key, value, context) =>
    typeof value === "number" && context?.source !== undefined && String(value) !== context.source
      ? context.source
      : value;
  return JSON.parse(text, exact);
}
