import { type Column, familyOf, isMeasure, isRegion, isTime } from "../state/columns.ts";
import type { ChartState } from "../state/view.ts";

/** What a chart of a relation can be made of; null when its columns allow none. */
export interface Choices {
  readonly x: readonly Column[];
  readonly y: readonly Column[];
  readonly series: readonly Column[];
  readonly first: ChartState;
}

/** A chart needs a number, and a time or a region that it belongs to. */
export function choicesOf(columns: readonly Column[]): Choices | null {
  const y = columns.filter(isMeasure);
  const x = [...columns.filter(isTime), ...columns.filter((column) => isRegion(column) && !isTime(column))];
  const [firstX] = x;
  const [firstY] = y;
  if (firstX === undefined || firstY === undefined) return null;
  const series = columns.filter((column) => familyOf(column) === "text" || isRegion(column) || isTime(column));
  // Over time, each region is a line of its own.
  const split = isTime(firstX) ? series.find((column) => isRegion(column) && column.name !== firstX.name) : undefined;
  return { x, y, series, first: { x: firstX.name, y: firstY.name, series: split?.name ?? "" } };
}
