import { dayAfter, isoDate } from "../text/date.ts";
import { plainNumber } from "../text/number.ts";
import { type Column, familyOf } from "./columns.ts";
import { type Operator, takesValue } from "./operators.ts";
import type { Filter } from "./view.ts";

/**
 * Returns the filters for what a user writes into the form; null for a date whose order of day and month is not clear. To Postgres, a day of a timestamp is
 * its midnight: the filters include or exclude the whole day.
 */
export function conditionsOf(
  { name, type }: Pick<Column, "name" | "type">,
  operator: Operator,
  text: string,
  language: "nb" | "en",
): readonly Filter[] | null {
  const filter = (operator: Operator, value: string): Filter => ({ column: name, operator, value });
  if (!takesValue(operator)) return [filter(operator, "")];
  const family = familyOf({ type });
  if (family === "number") return [filter(operator, plainNumber(text, language))];
  if (family !== "time" || !/^(date|timestamp)/u.test(type)) return [filter(operator, text)];
  const value = isoDate(text.trim());
  if (value === null) return null;
  const next = type.startsWith("timestamp") ? dayAfter(value) : null;
  if (next !== null && operator === "lte") return [filter("lt", next)];
  if (next !== null && operator === "gt") return [filter("gte", next)];
  if (next !== null && operator === "eq") return [filter("gte", value), filter("lt", next)];
  return [filter(operator, value)];
}
