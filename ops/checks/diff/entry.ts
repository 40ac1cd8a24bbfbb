/** The form of the table of statements, and the entries that several fields share. Pure. */
import { seconds } from "../../../config/schema/duration.ts";
import type { AccessFacts, Section, Sections } from "../../../infra/access/facts.ts";
import { type Difference, difference, differenceText, optional } from "./phrases.ts";

/** The effects, most dangerous first: opens something to everyone; adds access; neither; removes access. */
export const EFFECTS = ["public", "more", "other", "less"] as const;
export type Effect = (typeof EFFECTS)[number];

/** A fact that was added, removed or changed, and what that means. */
export interface Change {
  readonly about: Section;
  readonly id: string;
  readonly change: "added" | "removed" | "changed";
  readonly field?: string;
  /** The value of the field, or all facts of what was added or removed. */
  readonly before?: unknown;
  readonly after?: unknown;
  readonly effect: Effect;
  /** A URL for what is about a host, else the name of the thing. */
  readonly where: string;
  /** Of a host: the users and machines of the configuration that gain or lose access. Of a user or machine: the URLs. */
  readonly access: Difference;
  /** Follows from another statement, so it is not printed. */
  readonly implied: boolean;
}

/** All statements, with their effects. */
export interface Diff {
  readonly before: AccessFacts;
  readonly after: AccessFacts;
  readonly about: (section: Section) => readonly Change[];
  /** The fields of the same thing that changed. */
  readonly fields: (change: Change) => readonly (string | undefined)[];
}

interface Compared<Facts> {
  readonly was: Facts;
  readonly is: Facts;
  readonly all: Pick<Diff, "before" | "after">;
}

export interface Entry<Before, After, Facts = unknown> {
  /** Without where; names are marked (phrases.ts). */
  readonly sentence: (before: Before, after: After, change: Change) => string;
  /** By the change, all facts of the same thing, and those of both stacks. Default: other. */
  readonly effect?: (before: Before, after: After, thing: Change & Compared<Facts>) => Effect;
  /** Whether other statements explain it. Default: no. */
  readonly implied?: (before: Before, after: After, change: Change, diff: Diff) => boolean;
}

/** One entry for each field of the facts: a field without one does not compile. */
export interface Entries<Facts> {
  readonly where: (id: string, facts: Facts) => string;
  readonly added: Entry<undefined, Facts>;
  readonly removed: Entry<Facts, undefined>;
  readonly fields: { readonly [F in keyof Facts]-?: Entry<Facts[F], Facts[F], Facts> };
}
export type Table = { readonly [S in Section]: Entries<Sections[S]> };

/** Explained by other statements in every case. */
export const IMPLIED: Entry<unknown, unknown> = { sentence: () => "", implied: () => true };

/** Returns the entries of things that are added and removed with others. */
export function fieldsOnly<Facts>(where: string, fields: Entries<Facts>["fields"]): Entries<Facts> {
  return { where: (name) => `${where}${name}`, added: IMPLIED, removed: IMPLIED, fields };
}

/** Returns the entry of a single value: `<phrase> <new value> instead of <old value>`. */
export function value<T = string | number | undefined>(phrase: string, show = (one: T) => optional(one?.toString())) {
  return { sentence: (before: T, after: T) => `${phrase} ${show(after)} instead of ${show(before)}` };
}

/** Returns the entry of a list: an item more is more access, whatever else was removed. */
export function list(more: string, less: string) {
  return {
    sentence: (before, after) => differenceText(difference(before, after), more, less),
    effect: (before, after) => (difference(before, after).added.length > 0 ? "more" : "less"),
  } satisfies Entry<readonly string[], readonly string[]>;
}

/** Returns the entry of a duration in authentik's notation: longer is more access. */
export function duration(phrase: string) {
  const effect = (before: string | undefined, after: string | undefined): Effect => {
    if (before === undefined || after === undefined || seconds(before) === seconds(after)) return "other";
    return seconds(after) > seconds(before) ? "more" : "less";
  };
  return { ...value(phrase), effect };
}
