/** The columns of one schema that clients can rely on, and their file format: the lock file. Pure. */
import { parseDocument } from "yaml";
import { isSection } from "../../../config/errors/location.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { jsonText } from "../../text.ts";

export interface Column {
  /** As Postgres prints it (`format_type`), with the schema of a type that is not Postgres's own: `character varying(4)`, `public.level`. */
  readonly type: string;
  /** False only where Postgres guarantees it. */
  readonly nullable: boolean;
}

/** Column name → column; the order of columns is not part of a contract. */
export type Columns = ReadonlyMap<string, Column>;

export interface Contract {
  readonly schema: string;
  /** Whether clients without `Accept-Profile` read this schema; undefined in a lock file that does not record it. */
  readonly isDefault?: boolean | undefined;
  /** Relation name → columns. Whether it is a table or a view is not part of a contract. */
  readonly relations: ReadonlyMap<string, Columns>;
}

const NOT_NULL = " not null";
/** Returns `integer not null`, the way a column of a `create table` is written. */
export function describeColumn({ type, nullable }: Column): string {
  return nullable ? type : type + NOT_NULL;
}

/** Returns the text of the lock file: JSON, sorted by name, one line per column. */
export function writeLock({ schema, isDefault, relations }: Contract): string {
  const tree = sorted(relations, (columns) => sorted(columns, describeColumn));
  return jsonText({ schema, ...(isDefault === true && { default: true }), relations: tree });
}

/**
 * Reads the text of a lock file.
 * @param file its name, for the message
 * @throws UserError when it is not what {@link writeLock} writes
 */
export function readLock(text: string, file: string): Contract {
  const restore = `run: git restore ${file}`;
  if (/^(<{7}|={7}|>{7})/m.test(text)) {
    throw new UserError(
      `${file} has conflict markers of a merge`,
      "keep the columns of both sides, apart from those that one side removed with --breaking, then run contract check",
    );
  }
  // JSON.parse takes the last one of two equal names, e.g. after a merge.
  const repeated = parseDocument(text).errors.find(({ code }) => code === "DUPLICATE_KEY")?.linePos?.[0].line;
  if (repeated !== undefined) {
    throw new UserError(
      `${file}:${repeated}: the same object has the name of this line already`,
      `remove one of the two lines, or ${restore}`,
    );
  }
  try {
    const lock = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const relations = toMap(lock["relations"], (columns) => toMap(columns, toColumn));
    return { schema: toText(lock["schema"]), isDefault: toFlag(lock["default"]), relations };
  } catch {
    throw new UserError(`${file} is not a lock file`, `correct it, or ${restore}`);
  }
}

function toColumn(value: unknown): Column {
  const text = toText(value);
  const nullable = !text.endsWith(NOT_NULL);
  return { type: nullable ? text : text.slice(0, -NOT_NULL.length), nullable };
}

function toFlag(value: unknown): true | undefined {
  if (value === undefined || value === true) return value;
  throw new TypeError("not true");
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("not a text");
}

/** Returns a map of an object's entries: `__proto__` is a name as well. */
function toMap<To>(tree: unknown, change: (value: unknown) => To): ReadonlyMap<string, To> {
  if (!isSection(tree)) throw new TypeError("not an object");
  return new Map(Object.entries(tree).map(([name, value]) => [name, change(value)]));
}

/** Returns an object sorted by code unit, so that the order is the same on every machine. */
function sorted<From, To>(map: ReadonlyMap<string, From>, change: (value: From) => To): Record<string, To> {
  const entries = [...map].sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)]));
}
