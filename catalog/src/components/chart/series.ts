import type { Row } from "../../api/rows.ts";
import type { ChartState } from "../../state/view.ts";
import { compared } from "../../text/order.ts";
import { cellText } from "../../text/visible.ts";
import { areDates, orderedTimes } from "./times.ts";

/** A point of a chart. */
interface DrawnPoint {
  readonly x: string;
  readonly y: number | null;
}

/** The series of a chart, and the number of rows and series that are left out. */
export interface Drawing {
  /** The x values, in order. */
  readonly labels: readonly string[];
  /** Where the labels are on an axis of time; null for labels at equal distances. */
  readonly positions: ReadonlyMap<string, number> | null;
  readonly series: readonly {
    readonly name: string;
    /** On an axis of time in order, and with null where the line breaks. */
    readonly points: readonly DrawnPoint[];
  }[];
  /** Number of all series, also of those that are left out. */
  readonly all: number;
  /** Number of rows without a number or an x value, which are left out. */
  readonly skipped: number;
  /** Whether two points of a series have the same x value. */
  readonly repeated: boolean;
}

/** Maximum number of lines: more cannot be distinguished. */
export const MAX_SERIES = 8;

/** Maximum number of bars that are ordered by size, with all of their names. */
export const MAX_RANKED = 25;

/**
 * Returns the labels of a single series, the greatest number first; null if there are several series, repeated x values or too many bars.
 */
export function rankedLabels({ labels, series, repeated }: Drawing): readonly string[] | null {
  const [only] = series;
  if (only === undefined || series.length > 1 || repeated || labels.length > MAX_RANKED) return null;
  return only.points.toSorted((a, b) => (b.y ?? 0) - (a.y ?? 0)).map(({ x }) => x);
}

/** Returns a value as a number, which is text where a number of JavaScript would not be exact; null if it is none. */
export function numberOf(value: unknown): number | null {
  const number =
    typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/**
 * Returns the rows as points, by series in the order of their names. Rows without a number or an x value are left out; values are not aggregated.
 * @param overTime whether the x values are times: lines break where a series has no number
 */
export function drawingOf(rows: readonly Row[], { x, y, series }: ChartState, overTime = false): Drawing {
  const points = rows
    .filter((row) => row[x] !== null)
    .map((row) => ({ x: cellText(row[x]), y: numberOf(row[y]), series: series ? cellText(row[series]) : y }));
  const numbers = points.flatMap(({ x, y, series }) => (y === null ? [] : [{ x, y, series }]));
  const groups = [...Map.groupBy(numbers, (point) => point.series)].sort(([a], [b]) => compared(a, b));
  const drawn = groups.slice(0, MAX_SERIES);
  const repeated = drawn.some(([, members]) => new Set(members.map((point) => point.x)).size < members.length);
  const counts = { all: groups.length, skipped: rows.length - numbers.length, repeated };
  const plain = drawn.map(([name, members]) => ({ name, points: members.map(({ x, y }) => ({ x, y })) }));
  if (!overTime) {
    const labels = [...new Set(drawn.flatMap(([, members]) => members.map((point) => point.x)))].sort(compared);
    return { labels, positions: null, series: plain, ...counts };
  }
  const names = new Set(drawn.map(([name]) => name));
  const times = orderedTimes(points.filter((point) => names.has(point.series)).map((point) => point.x));
  const lines = drawn.map(([name, members]) => {
    const own = new Set(points.filter((point) => point.series === name).map((point) => point.x));
    // A series with fewer times than the others, e.g. monthly next to weekly values, would else have no lines at all.
    const breaks = !areDates(times) || own.size * 2 > times.labels.length;
    const byLabel = Map.groupBy(members, (point) => point.x);
    const linePoints = times.labels.flatMap((label): DrawnPoint[] => {
      const values = byLabel.get(label)?.map((point) => ({ x: label, y: point.y }));
      return values ?? (breaks || own.has(label) ? [{ x: label, y: null }] : []);
    });
    return { name, points: linePoints };
  });
  return { ...times, series: lines, ...counts };
}
