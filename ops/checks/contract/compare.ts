/** The differences between a contract and the current columns, and which of them break clients. Pure. */
import { counted } from "../../text.ts";
import { type Column, type Columns, type Contract, describeColumn } from "./contract.ts";
import { isWidening } from "./types.ts";

export interface Change {
  /** Undefined for a change of the schema itself. */
  readonly relation: string | undefined;
  /** Undefined when the whole relation was added or removed. */
  readonly column?: string;
  /** The column in the contract, e.g. `integer not null` or `3 columns`; undefined = nothing. */
  readonly was: string | undefined;
  /** The current column; undefined = nothing. */
  readonly is: string | undefined;
  readonly breaking: boolean;
  readonly reason: string;
}

/** Returns every difference, by relation and column. Empty if and only if the two are equal. */
export function compare(contract: Contract, found: Contract): Change[] {
  const relations = pairs(contract.relations, found.relations).flatMap(([relation, was, is]) => {
    if (!was || !is) return [{ relation, ...existence(was && size(was), is && size(is)) }];
    return pairs(was, is).flatMap(([column, before, after]) =>
      compareColumn(before, after).map((change) => ({ relation, column, ...change })),
    );
  });
  return [...compareDefault(contract.isDefault === true, found.isDefault === true), ...relations];
}

function compareDefault(was: boolean, is: boolean): Change[] {
  const shape = "default schema";
  if (was === is) return [];
  if (is) return [{ relation: undefined, was: undefined, is: shape, breaking: false, reason: "added" }];
  const reason = "clients without Accept-Profile read another schema";
  return [{ relation: undefined, was: shape, is: `not the ${shape}`, breaking: true, reason }];
}

/** Returns whether a whole relation is missing. */
export function isMissingRelation({ column, is }: Change): boolean {
  return column === undefined && is === undefined;
}

type Verdict = Pick<Change, "breaking" | "reason">;

function compareColumn(was: Column | undefined, is: Column | undefined): Omit<Change, "relation">[] {
  if (!was || !is) return [existence(was && describeColumn(was), is && describeColumn(is))];
  const verdicts = [...compareType(was.type, is.type), ...compareNullable(was, is)];
  if (verdicts.length === 0) return [];
  const breaking = verdicts.some((verdict) => verdict.breaking);
  const reason = verdicts.map((verdict) => verdict.reason).join(", ");
  return [{ was: describeColumn(was), is: describeColumn(is), breaking, reason }];
}

function compareType(was: string, is: string): Verdict[] {
  if (was === is) return [];
  if (isWidening(was, is)) return [{ breaking: false, reason: "wider type" }];
  return [{ breaking: true, reason: isWidening(is, was) ? "narrower type" : "another type" }];
}

function compareNullable(was: Column, is: Column): Verdict[] {
  if (was.nullable === is.nullable) return [];
  return is.nullable ? [{ breaking: true, reason: "may be null" }] : [{ breaking: false, reason: "never null" }];
}

function existence(was: string | undefined, is: string | undefined): Omit<Change, "relation"> {
  const breaking = is === undefined;
  return { was, is, breaking, reason: breaking ? "removed" : "added" };
}

function size(columns: Columns): string {
  return counted(columns.size, "column");
}

function pairs<T>(left: ReadonlyMap<string, T>, right: ReadonlyMap<string, T>) {
  const names = [...new Set([...left.keys(), ...right.keys()])].sort();
  return names.map((name) => [name, left.get(name), right.get(name)] as const);
}

/** Returns `relation`, `relation.column`, or `(schema)` for the schema itself. */
export function nameOf({ relation = "(schema)", column }: Change): string {
  return column === undefined ? relation : `${relation}.${column}`;
}

/** Returns `integer not null → bigint not null`; of an added or removed column its one side. */
export function shapeOf({ was, is }: Change): string {
  return [was, is].filter((side) => side !== undefined).join(" → ");
}
