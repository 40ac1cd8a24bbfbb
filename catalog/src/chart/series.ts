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
  /** Whether two points of a series share a place. */
  readonly repeated: boolean;
}

/** More lines than this cannot be distinguished. */
export const MAX_SERIES = 8;

/** The rows as points, by series. Rows without a number are left out; nothing is added up. */
export function drawingOf(rows: readonly Row[], { x, y, series }: ChartState): Drawing {
  const points = rows.flatMap((row) => {
    const value = row[y];
    const number =
      typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
    return Number.isFinite(number)
      ? [{ x: cellText(row[x]), y: number, series: series ? cellText(row[series]) : y }]
      : [];
  });
  const groups = [...Map.groupBy(points, (point) => point.series)];
  const drawn = groups.slice(0, MAX_SERIES).map(([name, members]) => ({ name, points: members }));
  const labels = [...new Set(drawn.flatMap((group) => group.points.map((point) => point.x)))].sort((a, b) =>
    a.localeCompare(b, undefined, { numeric: true }),
  );
  const repeated = drawn.some((group) => new Set(group.points.map((point) => point.x)).size < group.points.length);
  return { labels, series: drawn, all: groups.length, repeated };
}
