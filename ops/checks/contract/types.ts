/** Which changes of a column's type do not affect a client that reads JSON. The table in docs/versioning.md describes the same. */

const WHOLE_NUMBERS = ["smallint", "integer", "bigint"];

/**
 * Returns whether every value of `from` is also one of `to`, is the same JSON value, and accepts the same filters. Unknown types are never wider,
 * nor is `double precision` than `real`: it prints the exact binary value of a converted 0.1.
 * @param from and `to` as `format_type` prints them; two different ones
 */
export function isWidening(from: string, to: string): boolean {
  if (from.endsWith("[]") && to.endsWith("[]")) {
    const [inner, outer] = [from.slice(0, -2), to.slice(0, -2)];
    return inner === outer || isWidening(inner, outer);
  }
  return (
    (WHOLE_NUMBERS.includes(from) && WHOLE_NUMBERS.indexOf(to) > WHOLE_NUMBERS.indexOf(from)) ||
    (from === "json" && to === "jsonb") ||
    isWiderText(from, to) ||
    isWiderNumeric(from, to)
  );
}

/** Returns whether a text type admits every value of another. `text` and `character varying` without a length are the same to a client. */
function isWiderText(from: string, to: string): boolean {
  const [left, right] = [textLength(from), textLength(to)];
  return left !== undefined && right !== undefined && right >= left;
}

function textLength(type: string): number | undefined {
  if (type === "text" || type === "character varying") return Infinity;
  const [, length] = /^character varying\((\d+)\)$/.exec(type) ?? [];
  return length === undefined ? undefined : Number(length);
}

/** Returns whether a type has at least the same number of digits on both sides of the decimal point. An integer remains an integer. */
function isWiderNumeric(from: string, to: string): boolean {
  const [left, right] = [digits(from), digits(to)];
  if (left === undefined || right === undefined || left.before === Infinity) return false;
  return right.before >= left.before && right.behind >= left.behind && (left.behind > 0 || right.behind <= 0);
}

function digits(type: string): { before: number; behind: number } | undefined {
  if (type === "numeric") return { before: Infinity, behind: Infinity };
  const [, precision, scale] = /^numeric\((\d+),(-?\d+)\)$/.exec(type) ?? [];
  if (precision === undefined || scale === undefined) return undefined;
  return { before: Number(precision) - Number(scale), behind: Number(scale) };
}
