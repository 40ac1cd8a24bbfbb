/** What changed between a contract and what is there, and what of it breaks clients. Pure. */
import { type Column, type Columns, type Contract, describeColumn } from "./contract.ts";
import { isWidening } from "./types.ts";

export interface Change {
  readonly relation: string;
  /** Undefined when the whole relation came or went. */
  readonly column?: string;
  /** The column in the contract, e.g. `integer not null` or `3 columns`; undefined = nothing. */
  readonly was: string | undefined;
  /** What is there; undefined = nothing. */
  readonly is: string | undefined;
  readonly breaking: boolean;
  readonly reason: string;
}

/** Every difference, by relation and column. Empty if and only if the two are equal. */
export function compare(promised: Contract, found: Contract): Change[] {
  return namesOf(promised.relations, found.relations).flatMap((relation) => {
    const [was, is] = [promised.relations.get(relation), found.relations.get(relation)];
    if (was && is) return compareColumns(relation, was, is);
    return is ? [added(relation, size(is))] : [gone(relation, size(was ?? new Map()))];
  });
}

/** Of a deployment that was never whole: without what is only missing because nothing has made it yet. */
export function withoutMissingRelations(changes: readonly Change[]): Change[] {
  return changes.filter(({ column, is }) => column !== undefined || is !== undefined);
}

function compareColumns(relation: string, promised: Columns, found: Columns): Change[] {
  return namesOf(promised, found).flatMap((column): Change[] => {
    const [was, is] = [promised.get(column), found.get(column)];
    if (was && is) return compareColumn(was, is).map((change) => ({ relation, column, ...change }));
    return is
      ? [{ ...added(relation, describeColumn(is)), column }]
      : [{ ...gone(relation, was && describeColumn(was)), column }];
  });
}

function compareColumn(was: Column, is: Column): Omit<Change, "relation" | "column">[] {
  const verdicts = [...compareType(was.type, is.type), ...compareNullable(was, is)];
  if (verdicts.length === 0) return [];
  const breaking = verdicts.some((verdict) => verdict.breaking);
  const reason = verdicts.map((verdict) => verdict.reason).join(", ");
  return [{ was: describeColumn(was), is: describeColumn(is), breaking, reason }];
}

type Verdict = Pick<Change, "breaking" | "reason">;

function compareType(was: string, is: string): Verdict[] {
  if (was === is) return [];
  if (isWidening(was, is)) return [{ breaking: false, reason: "wider type" }];
  return [{ breaking: true, reason: isWidening(is, was) ? "narrower type" : "another type" }];
}

function compareNullable(was: Column, is: Column): Verdict[] {
  if (was.nullable === is.nullable) return [];
  return is.nullable ? [{ breaking: true, reason: "may be null" }] : [{ breaking: false, reason: "never null" }];
}

function added(relation: string, is: string): Change {
  return { relation, was: undefined, is, breaking: false, reason: "added" };
}

function gone(relation: string, was: string | undefined): Change {
  return { relation, was, is: undefined, breaking: true, reason: "gone" };
}

function size(columns: Columns): string {
  return `${columns.size} ${columns.size === 1 ? "column" : "columns"}`;
}

function namesOf(left: ReadonlyMap<string, unknown>, right: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...left.keys(), ...right.keys()])].sort();
}
