import { AGGREGATE } from "../../../config/sections/dataApi/limits.ts";
import { cellText } from "../text/visible.ts";
import type { Operator } from "./operators.ts";

/** A column as `meta_endpoints` describes it. */
export interface Column {
  readonly name: string;
  /** The type in the notation of Postgres, e.g. `numeric(5,2)`. */
  readonly type: string;
  readonly nullable: boolean;
  readonly description: string | null;
  readonly key: boolean;
}

type Family = "number" | "time" | "boolean" | "text" | "array" | "document" | "other";

/** Columns with the same meaning in every relation: codes of municipalities, counties and organizations. */
export const KEY_COLUMNS = ["kommune_nr", "fylke_nr", "orgnr"];

const FAMILIES: [Family, RegExp][] = [
  ["array", /\[\]$/u],
  ["number", /^(smallint|integer|bigint|numeric|decimal|real|double precision|money)\b/u],
  ["time", /^(date|timestamp|time)\b/u],
  ["boolean", /^boolean$/u],
  ["text", /^(text|character|citext|name|"char")/u],
  ["document", /^(json|jsonb|xml|bytea)$/u],
];

/** Returns the kind of values that a column contains, by its Postgres type. */
export function familyOf({ type }: Pick<Column, "type">): Family {
  return FAMILIES.find(([, form]) => form.test(type))?.[0] ?? "other";
}

/** Types without an order (`btree` operator class) in Postgres. */
const UNSORTABLE = /^(json|xml|point|line|lseg|box|path|polygon|circle|xid|cid|aclitem|refcursor)(\[\])?$/u;

/** In the name of a column that the gateway refuses in an order (infra/gateway/dataSpecs.ts). */
export const REFUSED_NAME = new RegExp(String.raw`["\\]|${AGGREGATE}`, "u");

/** Returns whether Postgres can order rows by a column, and the gateway allows it. */
export function isSortable({ name, type }: Pick<Column, "name" | "type">): boolean {
  return !UNSORTABLE.test(type) && !REFUSED_NAME.test(name);
}

/** Returns the operators that apply to a column; the form selects the first. */
export function operatorsOf(column: Pick<Column, "type">): Operator[] {
  switch (familyOf(column)) {
    case "text":
      return ["contains", "eq", "starts", "neq", "gte", "lte", "empty", "filled"];
    case "number":
    case "time":
      return ["eq", "gte", "lte", "gt", "lt", "neq", "empty", "filled"];
    case "array":
      return ["has", "empty", "filled"];
    case "document":
      return ["empty", "filled"];
    default:
      return ["eq", "neq", "empty", "filled"];
  }
}

const TIME =
  /^(year|aar|år|ar|aargang|årgang|periode?|period|quarter|kvartal|month|maaned|måned|week|uke|dato|date|tid|time)$/iu;
/** The end of a name that can also be that of a measure, e.g. `growth_last_year`. */
const TIME_AT_END = /(?<!(^|_)(per|pr))_(year|aar|år|dato|date)$/iu;
/** A year, or one with month or month and day: 2024, 202412, 20241231. */
const YEAR = /^[12]\d{3}(\d{2}){0,2}$/u;
const REGION =
  /^(bosteds?)?_?(kommune|kom|knr|fylkes?|region|county|municipality|land|country|distrikt|bydel)(_?(nr|nummer|navn|code|name|kode|number|no))?$/iu;

type Rows = readonly Readonly<Record<string, unknown>>[];

/**
 * Returns whether a column is a time, by its type, or by its name and values.
 * @param rows some of its values, if they are known: names of months have no order in time, and `growth_last_year` can be a percentage
 */
export function isTime(column: Column, rows: Rows = []): boolean {
  const { name } = column;
  const family = familyOf(column);
  if (family === "time") return true;
  if (!TIME.test(name) && !TIME_AT_END.test(name)) return false;
  const form = family !== "number" ? /^\d/u : TIME.test(name) ? /^\d+$/u : YEAR;
  return rows.every((row) => (row[name] ?? null) === null || form.test(cellText(row[name])));
}

/** Returns whether a column is a region. */
export function isRegion(column: Column): boolean {
  return REGION.test(column.name);
}

/** Names of numbers that identify a row. The name decides because Postgres records no primary key for a view. */
const IDENTIFIER = /^id$|_id$/iu;

/** Returns whether a column contains a measure. @param rows some of its values, if they are known */
export function isMeasure(column: Column, rows: Rows = []): boolean {
  return (
    familyOf(column) === "number" &&
    // The API returns it as text with a currency.
    column.type !== "money" &&
    !column.key &&
    !IDENTIFIER.test(column.name) &&
    !isTime(column, rows) &&
    !isRegion(column) &&
    !KEY_COLUMNS.includes(column.name)
  );
}
