/** What differs between the access of two plans, one statement per fact; said of an old plan, the statements give the new one. Pure. */
import type { Plan } from "../../../infra/plan/types.ts";
import { accessOf } from "../../../infra/access/access.ts";
import { judge, type Judgement, RANKS } from "./effects.ts";
import type { Access, Section, Sections } from "../../../infra/access/facts.ts";

/** A fact that came, went or moved. */
export type Statement = { [S in Section]: StatementAbout<S> }[Section];
type StatementAbout<S extends Section> =
  | { readonly about: S; readonly id: string; readonly change: "added"; readonly after: Sections[S] }
  | { readonly about: S; readonly id: string; readonly change: "removed"; readonly before: Sections[S] }
  | { [F in keyof Sections[S]]-?: Move<S, F> }[keyof Sections[S]];
interface Move<S extends Section, F extends keyof Sections[S]> {
  readonly about: S;
  readonly id: string;
  readonly change: "changed";
  readonly field: F;
  readonly before: Sections[S][F];
  readonly after: Sections[S][F];
}

/** A statement with its effect on access. */
export type Change = Statement & Judgement;

const SECTIONS: readonly Section[] = [
  ...(["host", "client", "member", "login", "group", "domain"] as const),
  ...(["schema", "grant", "default", "role", "limit", "setting"] as const),
];

/**
 * @param before undefined = the stack is new
 * @param after undefined = the stack goes away
 * @returns the statements, most dangerous first, then in the order of the sections and names
 */
export function accessDiff(before: Plan | undefined, after: Plan | undefined): readonly Change[] {
  return compareAccess(accessOf(before), accessOf(after));
}

/**
 * The same of the facts.
 * @param old also as a state records them
 */
export function compareAccess(old: Access, now: Access): readonly Change[] {
  const statements = SECTIONS.flatMap((section) => compare(section, old, now));
  const order = (change: Change) => RANKS.indexOf(change.effect);
  return judge(statements, old, now).sort((one, other) => order(one) - order(other));
}

/** Facts of any section: the type system cannot follow one section through a union of them. */
type Facts = ReadonlyMap<string, object>;

function compare(about: Section, before: Access, after: Access): Statement[] {
  const [old, now]: [Facts, Facts] = [before[about], after[about]];
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort();
  return ids.flatMap((id) => compareOne({ about, id }, old.get(id), now.get(id)) as Statement[]);
}

function compareOne(thing: object, before: object | undefined, after: object | undefined): object[] {
  if (before === undefined) return [{ ...thing, change: "added", after }];
  if (after === undefined) return [{ ...thing, change: "removed", before }];
  if (isSame(before, after)) return [];
  const old = new Map<string, unknown>(Object.entries(before));
  const moved = Object.entries(after).filter(([field, value]) => !isSame(old.get(field), value));
  return moved.map(([field, value]: [string, unknown]) => {
    return { ...thing, change: "changed", field, before: old.get(field), after: value };
  });
}

/** Facts are plain and built in one place, so the same ones have the same text; comparing it is several times faster than a deep walk. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The access that a plan has once `changes` are said of it. */
export function applyChanges(access: Access, changes: readonly Statement[]): Access {
  const result = Object.fromEntries(SECTIONS.map((section) => [section, new Map<string, object>(access[section])]));
  for (const change of changes) {
    const facts = result[change.about];
    if (change.change === "removed") facts?.delete(change.id);
    else if (change.change === "added") facts?.set(change.id, { ...change.after });
    else facts?.set(change.id, { ...facts.get(change.id), [change.field]: change.after });
  }
  return result as unknown as Access;
}
