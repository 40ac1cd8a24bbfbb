import type { Row } from "../../api/rows.ts";
import { type Column, familyOf, isMeasure, isRegion, isTime } from "../../state/columns.ts";
import type { ChartState } from "../../state/view.ts";
import { MAX_RANKED } from "./series.ts";

/** The columns that a chart of a relation can draw. */
export interface Choices {
  readonly x: readonly Column[];
  readonly y: readonly Column[];
  readonly series: readonly Column[];
  /** The chart that is drawn unless the user selects another. */
  readonly first: ChartState;
}

/**
 * Returns the columns that a chart can draw; null if there is none. A chart needs a number, and a time, region or category for its x axis.
 * @param rows all rows, if they are known: a single year is not an axis, and only with them a column of text is known to be a category
 * @param sample some rows
 */
export function choicesOf(
  columns: readonly Column[],
  rows: readonly Row[] = [],
  sample: readonly Row[] = rows,
): Choices | null {
  const y = columns.filter((column) => isMeasure(column, sample));
  const times = columns.filter((column) => isTime(column, sample));
  const regions = columns.filter((column) => isRegion(column) && !times.includes(column));
  const x = [...times, ...regions.filter(isName), ...regions.filter((column) => !isName(column))];
  x.push(...columns.filter((column) => !x.includes(column) && isCategory(column, rows)));
  const firstX = x.find(({ name }) => new Set(rows.map((row) => row[name])).size > 1) ?? x[0];
  const [firstY] = y;
  if (firstX === undefined || firstY === undefined) return null;
  const series = columns.filter((column) => familyOf(column) === "text" || isRegion(column) || times.includes(column));
  // Over time, each region is a separate line.
  const split = times.includes(firstX)
    ? series.find((column) => isRegion(column) && column.name !== firstX.name)
    : undefined;
  return { x, y, series, first: { x: firstX.name, y: firstY.name, series: split?.name ?? "" } };
}

/** Returns whether each row has a different text in this column, and a bar for each has room. */
function isCategory(column: Column, rows: readonly Row[]): boolean {
  if (familyOf(column) !== "text" || rows.length < 2 || rows.length > MAX_RANKED) return false;
  const values = rows.map((row) => row[column.name]);
  return values.every((value) => typeof value === "string" && value !== "") && new Set(values).size === values.length;
}

/** Names are easier to read along an axis than numbers. */
function isName({ name }: Column): boolean {
  return /_?(navn|name)$/iu.test(name);
}
