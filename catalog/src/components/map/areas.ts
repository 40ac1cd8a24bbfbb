import type { Row } from "../../api/rows.ts";
import type { MapState } from "../../state/view.ts";
import { cellText } from "../../text/visible.ts";
import { numberOf } from "../chart/series.ts";
import { areDates, orderedTimes } from "../chart/times.ts";
import { areaNumber, type Level } from "./keys.ts";

/** The values that a map draws, and the rows that it leaves out. */
interface AreaValues {
  /** The value of each area that has exactly one row with a number. */
  readonly values: ReadonlyMap<string, number>;
  /** Areas with several rows, which are not added up. */
  readonly repeated: readonly string[];
  /** Number of rows without an area on the map, and their keys. */
  readonly missing: { readonly count: number; readonly keys: readonly string[] };
  /** Number of rows of an area that have no number. */
  readonly skipped: number;
}

/**
 * Returns the value of each area.
 * @param areas ids of areas by number: that of today, and that of the year of the boundaries
 */
export function areaValues(
  rows: readonly Row[],
  { map, y }: MapState,
  level: Level,
  areas: ReadonlyMap<string, string>,
): AreaValues {
  const placed = rows.map((row) => ({
    key: cellText(row[map]),
    area: areas.get(areaNumber(row[map], level) ?? ""),
    value: numberOf(row[y]),
  }));
  const missing = placed.filter(({ area }) => area === undefined);
  const drawn = placed.flatMap(({ area, value }) => (area !== undefined && value !== null ? [{ area, value }] : []));
  const byArea = [...Map.groupBy(drawn, ({ area }) => area)];
  return {
    values: new Map(
      byArea.flatMap(([area, [first, ...more]]) => (first && more.length === 0 ? [[area, first.value]] : [])),
    ),
    repeated: byArea.filter(([, { length }]) => length > 1).map(([area]) => area),
    missing: { count: missing.length, keys: [...new Set(missing.map(({ key }) => key))].sort() },
    skipped: rows.length - missing.length - drawn.length,
  };
}

/**
 * Returns the rows without those of the last area, which can have more.
 * @param rows in the order of the column `map`
 */
export function withoutLastArea(rows: readonly Row[], map: string): readonly Row[] {
  const last = cellText(rows.at(-1)?.[map]);
  return rows.filter((row) => cellText(row[map]) !== last);
}

/**
 * Returns the rows of the latest time, and that time. Returns all rows and null if there is no time or only one, or if the times are dates
 * and no area has several rows.
 */
export function latestRows(
  rows: readonly Row[],
  column: string | undefined,
  areaOf: (row: Row) => string | undefined,
): { readonly rows: readonly Row[]; readonly time: string | null } {
  if (column === undefined) return { rows, time: null };
  const areas = rows.map(areaOf).filter((area) => area !== undefined);
  const times = new Set(rows.map((row) => cellText(row[column])));
  const ordered = orderedTimes([...times].filter(Boolean));
  // The dates can be those of updates, one for each area. Years are not: values of different years are not comparable.
  if (new Set(areas).size === areas.length && areDates(ordered)) return { rows, time: null };
  const latest = ordered.labels.at(-1);
  return latest !== undefined && times.size > 1
    ? { rows: rows.filter((row) => cellText(row[column]) === latest), time: latest }
    : { rows, time: null };
}
