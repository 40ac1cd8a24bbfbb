/** The difference between the access of two plans: one statement for each fact that differs, and what it means. Pure. */
import { accessOf } from "../../../infra/access/access.ts";
import type { AccessFacts, Section } from "../../../infra/access/facts.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { DATA } from "./dataEntries.ts";
import { type Change, type Diff, EFFECTS, type Entries, type Entry, IMPLIED, type Table } from "./entry.ts";
import { HOST } from "./hostEntries.ts";
import { IDENTITY } from "./identityEntries.ts";
import { SETTING } from "./settingEntries.ts";
import { accessChange } from "./accessChange.ts";

/** In the order of the output. */
const TABLE: Table = { host: HOST, ...IDENTITY, ...DATA, setting: SETTING };

/**
 * Compares the access of two plans.
 * @param before undefined = the stack is new
 * @param after undefined = the stack is deleted
 * @returns the statements, most dangerous first, then in the order of the table and of the names
 */
export function accessDiff(before: Plan | undefined, after: Plan | undefined): readonly Change[] {
  return compareAccess(accessOf(before), accessOf(after));
}

/**
 * Compares facts as {@link accessDiff} does.
 * @param before also as a state records them
 */
export function compareAccess(before: AccessFacts, after: AccessFacts): readonly Change[] {
  const changes = (Object.keys(TABLE) as Section[]).flatMap((section) => compare(section, before, after));
  const sections = Map.groupBy(changes, ({ about }) => about);
  const things = Map.groupBy(changes, ({ about, id }) => `${about} ${id}`);
  const diff: Diff = {
    before,
    after,
    about: (section) => sections.get(section) ?? [],
    fields: ({ about, id }) => things.get(`${about} ${id}`)?.map(({ field }) => field) ?? [],
  };
  return changes
    .map((one) => ({ ...one, implied: entryOf(one).implied?.(one.before, one.after, one, diff) ?? false }))
    .sort((one, other) => EFFECTS.indexOf(one.effect) - EFFECTS.indexOf(other.effect));
}

/** Returns what a change means, without its subject; names are marked (phrases.ts). */
export function sentenceOf(change: Change): string {
  return entryOf(change).sentence(change.before, change.after, change);
}

/** Facts and entries of any section: the type system cannot follow one section through a union of them. */
type Facts = Readonly<Record<string, unknown>>;

function entriesOf(section: Section): Entries<Facts> {
  return TABLE[section] as unknown as Entries<Facts>;
}

function entryOf({ about, change, field = "" }: Change): Entry<unknown, unknown> {
  const { fields, added, removed } = entriesOf(about);
  return ({ added, removed, changed: fields[field] }[change] as Entry<unknown, unknown> | undefined) ?? IMPLIED;
}

function compare(about: Section, before: AccessFacts, after: AccessFacts): Change[] {
  const [old, now] = [before[about], after[about]] as unknown as [Map<string, Facts>, Map<string, Facts>];
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort();
  return ids.flatMap((id) => {
    const [was, is] = [old.get(id), now.get(id)];
    return statements(was, is).map((statement) => {
      const where = entriesOf(about).where(id, is ?? was ?? {});
      const access = accessChange({ about, id, ...statement }, before, after);
      const change: Change = { about, id, ...statement, effect: "other", where, access, implied: false };
      const thing = { ...change, was, is, all: { before, after } };
      return { ...change, effect: entryOf(change).effect?.(change.before, change.after, thing) ?? "other" };
    });
  });
}

function statements(
  was: Facts | undefined,
  is: Facts | undefined,
): Pick<Change, "change" | "field" | "before" | "after">[] {
  if (was === undefined) return [{ change: "added", after: is }];
  if (is === undefined) return [{ change: "removed", before: was }];
  if (isSame(was, is)) return [];
  const fields = Object.entries(is).filter(([field, value]) => !isSame(was[field], value));
  return fields.map(([field, after]) => ({ change: "changed", field, before: was[field], after }));
}

/** Facts are plain and built in one place, so equal ones have equal JSON; comparing it is several times faster than a deep comparison. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
