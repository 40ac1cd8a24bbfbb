import type { Row } from "../api/rows.ts";
import { type Column, familyOf, isMeasure, isRegion, isTime } from "../state/columns.ts";
import type { ChartState } from "../state/view.ts";

/** What a chart of a relation can be made of; null when its columns allow none. */
export interface Choices {
  readonly x: readonly Column[];
  readonly y: readonly Column[];
  readonly series: readonly Column[];
  /** What is drawn unless the user chooses. */
  readonly first: ChartState;
}

/**
 * A chart needs a number, and a time or a region that it belongs to.
 * @param rows all rows, if they are known: a single year is no axis
 */
export function choicesOf(columns: readonly Column[], rows: readonly Row[] = []): Choices | null {
  const y = columns.filter(isMeasure);
  const regions = columns.filter((column) => isRegion(column) && !isTime(column));
  const x = [...columns.filter(isTime), ...regions.filter(isName), ...regions.filter((column) => !isName(column))];
  const firstX = x.find(({ name }) => new Set(rows.map((row) => row[name])).size > 1) ?? x[0];
  const [firstY] = y;
  if (firstX === undefined || firstY === undefined) return null;
  const series = columns.filter((column) => familyOf(column) === "text" || isRegion(column) || isTime(column));
  // Over time, each region is a line of its own.
  const split = isTime(firstX) ? series.find((column) => isRegion(column) && column.name !== firstX.name) : undefined;
  return { x, y, series, first: { x: firstX.name, y: firstY.name, series: split?.name ?? "" } };
}

/** Names are easier to read along an axis than numbers. */
function isName({ name }: Column): boolean {
  return /_?(navn|name)$/iu.test(name);
}
