import type { Row } from "../api/rows.ts";
import type { ChartState } from "../state/view.ts";
import { cellText } from "../text/visible.ts";

/** What a chart draws. */
export interface Drawing {
  /** Along the bottom, in order. */
  readonly labels: readonly string[];
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly { readonly x: string; readonly y: number }[];
  }[];
  /** Number of series before the rest was left out. */
  readonly all: number;
  /** Number of rows without a number or an x value, which are left out. */
  readonly skipped: number;
  /** Whether two points of a series have the same x value. */
  readonly repeated: boolean;
}

/** More lines than this cannot be distinguished. */
export const MAX_SERIES = 8;

/** Most bars that are drawn with their names in full, the longest first. */
export const MAX_RANKED = 25;

/** The labels of a single series, the greatest number first; null where an order by size has no meaning or no room. */
export function rankedLabels({ labels, series, repeated }: Drawing): readonly string[] | null {
  const [only] = series;
  if (only === undefined || series.length > 1 || repeated || labels.length > MAX_RANKED) return null;
  return only.points.toSorted((a, b) => b.y - a.y).map(({ x }) => x);
}

/** Returns a value as a number, which is text where a number of JavaScript would not be exact; null if it is none. */
export function numberOf(value: unknown): number | null {
  const number =
    typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** Returns the rows as points, by series. Rows without a number or an x value are left out; values are not aggregated. */
export function drawingOf(rows: readonly Row[], { x, y, series }: ChartState): Drawing {
  const points = rows.flatMap((row) => {
    const number = numberOf(row[y]);
    return number !== null && row[x] !== null
      ? [{ x: cellText(row[x]), y: number, series: series ? cellText(row[series]) : y }]
      : [];
  });
  const groups = [...Map.groupBy(points, (point) => point.series)];
  const drawn = groups.slice(0, MAX_SERIES).map(([name, members]) => ({ name, points: members }));
  const labels = [...new Set(drawn.flatMap((group) => group.points.map((point) => point.x)))].sort((a, b) =>
    a.localeCompare(b, undefined, { numeric: true }),
  );
  const repeated = drawn.some((group) => new Set(group.points.map((point) => point.x)).size < group.points.length);
  return { labels, series: drawn, all: groups.length, skipped: rows.length - points.length, repeated };
}
