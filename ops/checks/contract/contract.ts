/** What clients of one schema may rely on, and how it is written down: the lock file. Pure. */
import { isSection } from "../../../config/location.ts";
import { UserError } from "../../../config/userError.ts";

export interface Column {
  /** As Postgres prints it (`format_type`), with the schema of a type that is not Postgres's own: `character varying(4)`, `public.level`. */
  readonly type: string;
  /** False only where Postgres guarantees it. */
  readonly nullable: boolean;
}

/** Column name → column; the order of columns is no part of a contract. */
export type Columns = ReadonlyMap<string, Column>;

export interface Contract {
  readonly schema: string;
  /** Relation name → columns. Whether it is a table or a view is no part of a contract. */
  readonly relations: ReadonlyMap<string, Columns>;
}

/** A lock file or an environment that cannot be used; the message says what to do. */
export class ContractError extends UserError {
  override readonly name = "ContractError";
}

const NOT_NULL = " not null";
/** `integer not null`, the way a column of a `create table` is written. */
export function describeColumn({ type, nullable }: Column): string {
  return nullable ? type : type + NOT_NULL;
}

/** The text of the lock file: JSON, sorted by name, one line per column. */
export function writeLock({ schema, relations }: Contract): string {
  const tree = sorted(relations, (columns) => sorted(columns, describeColumn));
  return `${JSON.stringify({ schema, relations: tree }, undefined, 2)}\n`;
}

/**
 * Reads the text of a lock file.
 * @param file its name, for the message
 * @throws ContractError when it is not what {@link writeLock} writes
 */
export function readLock(text: string, file: string): Contract {
  const content = parse(text);
  const relations = isSection(content) && toMap(content["relations"], (columns) => toMap(columns, toColumn));
  if (relations && typeof content["schema"] === "string") return { schema: content["schema"], relations };
  throw new ContractError(`${file} is not a lock file; restore it from git, or remove it and run accept`);
}

function toColumn(text: unknown): Column | undefined {
  if (typeof text !== "string") return undefined;
  const nullable = !text.endsWith(NOT_NULL);
  return { type: nullable ? text : text.slice(0, -NOT_NULL.length), nullable };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** By code unit, so that the order is the same on every machine. */
function sorted<From, To>(map: ReadonlyMap<string, From>, change: (value: From) => To): Record<string, To> {
  const names = [...map.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, change(map.get(name) as From)]));
}

/** Undefined when it is not an object, or one of its values is none of `change`. Entries, because `__proto__` is a name as well. */
function toMap<To>(tree: unknown, change: (value: unknown) => To | undefined): ReadonlyMap<string, To> | undefined {
  if (!isSection(tree)) return undefined;
  const map = new Map<string, To>();
  for (const [name, value] of Object.entries(tree)) {
    const changed = change(value);
    if (changed === undefined) return undefined;
    map.set(name, changed);
  }
  return map;
}
