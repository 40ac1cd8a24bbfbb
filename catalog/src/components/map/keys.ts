import type { Row } from "../../api/rows.ts";
import { type Column, isRegion, isTime, KEY_COLUMNS } from "../../state/columns.ts";
import { cellText } from "../../text/visible.ts";

/** The kind of areas on a map. */
export type Level = "municipality" | "county";

/** A column whose values are numbers of areas. */
export interface AreaKey {
  readonly name: string;
  readonly level: Level;
}

const LEVELS: Readonly<Record<Level, { readonly digits: number; readonly column: RegExp }>> = {
  municipality: { digits: 4, column: /kom|knr|municipality|region/iu },
  county: { digits: 2, column: /fylke|county|region/iu },
};

/** Returns the columns that a map can be drawn by: most of their values are numbers of municipalities or counties. Municipalities are first. */
export function areaKeys(columns: readonly Column[], rows: readonly Row[]): readonly AreaKey[] {
  const keys = columns.flatMap((column): AreaKey[] => {
    const level = levelOf(column, rows);
    return level === undefined ? [] : [{ name: column.name, level }];
  });
  return keys.sort((a, b) => LEVELS[b.level].digits - LEVELS[a.level].digits);
}

function levelOf(column: Column, rows: readonly Row[]): Level | undefined {
  if (!isRegion(column) || isTime(column)) return undefined;
  const levels = levelsOf(column.name);
  const values = rows.map((row) => row[column.name]).filter((value) => value !== null && value !== undefined);
  // Without values, because the table does not show the column, only its name can decide.
  if (values.length === 0) return KEY_COLUMNS.includes(column.name) ? levels[0] : undefined;
  return levels.find((level) => values.filter((value) => areaNumber(value, level) !== null).length > values.length / 2);
}

/**
 * Returns a value of a key column as relations have it whose column is of text: with all digits of an area, which an integer lacks. Postgres reads it as
 * an integer as well.
 */
export function keyValue(column: string, value: string): string {
  const level = KEY_COLUMNS.includes(column) ? levelsOf(column)[0] : undefined;
  return (level && areaNumber(value, level)) ?? value;
}

/** Returns the levels that the name of a column can mean. */
function levelsOf(name: string): Level[] {
  return (Object.keys(LEVELS) as Level[]).filter((level) => LEVELS[level].column.test(name));
}

/**
 * Returns the number of an area with all of its digits: an integer has no leading zero.
 * Null for a value that is not a number of this level.
 */
export function areaNumber(value: unknown, level: Level): string | null {
  const { digits } = LEVELS[level];
  const text = cellText(value).trim();
  return /^\d+$/u.test(text) && [digits - 1, digits].includes(text.length) ? text.padStart(digits, "0") : null;
}
