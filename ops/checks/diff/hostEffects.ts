/** How dangerous a statement about a host is. Pure. */
import type { Statement } from "./diff.ts";
import { durationEffect, type Effect } from "./effects.ts";
import type { HostFacts } from "../../../infra/access/facts.ts";
import { openings, strips } from "../../../infra/access/rules.ts";
import { admits } from "../../../protections/entrants.ts";
import { protectionOf } from "../../../protections/table.ts";

export type HostStatement = Extract<Statement, { readonly about: "host" }>;

/** @param before the host's facts in the old plan, and `after` in the new one; undefined = it is not there */
export function hostEffect(
  statement: HostStatement,
  before: HostFacts | undefined,
  after: HostFacts | undefined,
): Effect {
  if (statement.change === "removed" || before === undefined || after === undefined) {
    if (after === undefined) return "less";
    return isOpen(after) || after.publicPaths.length > 0 || forgeable(after) ? "public" : "more";
  }
  if (statement.change === "added") return "more";
  switch (statement.field) {
    case "protection":
      return protectionEffect(before, after);
    case "role":
      return isOpen(after) && !isOpen(before) ? "public" : "other";
    case "entrants":
      return entrantsEffect(before, after);
    case "publicPaths":
      return pathsEffect(before, after);
    case "backend":
      // What is open leads to another application, which so is open, too.
      return isOpen(after) || after.publicPaths.length > 0 ? "public" : "other";
    case "session":
      return durationEffect(statement.before, statement.after);
    case "tls":
      if (after.tls === undefined) return "more";
      return before.tls === undefined ? "less" : "other";
    case "rules":
      return unexplained(before, after).length > 0 || (forgeable(after) && !forgeable(before)) ? "public" : "other";
    default:
      return "other";
  }
}

/** Returns whether a host is open to everyone. The sign-in page does not count. */
function isOpen({ role, protection }: HostFacts): boolean {
  return protection.type === "open" && role !== "identity-provider";
}

/** Whether a client could send identity headers of its own. */
export function forgeable({ rules }: HostFacts): boolean {
  return rules.some((rule) => !strips(rule));
}

/** Returns the strength of the authentication. An application's own login is weaker than the gateway's. */
function strength({ protection: { type, asked } }: HostFacts): number {
  return protectionOf(type).strength(asked);
}

function protectionEffect(before: HostFacts, after: HostFacts): Effect {
  if (isOpen(after) && !isOpen(before)) return "public";
  const difference = strength(after) - strength(before);
  if (difference === 0) return "other";
  return difference < 0 ? "more" : "less";
}

function entrantsEffect(before: HostFacts, after: HostFacts): Effect {
  if (after.entrants.audience === "everyone") return isOpen(after) ? "public" : "more";
  return admits(before.entrants, after.entrants) ? "less" : "more";
}

function pathsEffect(before: HostFacts, after: HostFacts): Effect {
  if (isOpen(before)) return "other";
  return openedPaths(before.publicPaths, after.publicPaths).length > 0 ? "public" : "less";
}

/** Paths that were not open before, neither by themselves nor below another one. */
export function openedPaths(before: readonly string[], after: readonly string[]): string[] {
  const bare = (path: string) => path.replace(/\/$/, "");
  const covers = (open: string, path: string) => bare(open) === bare(path) || bare(path).startsWith(`${bare(open)}/`);
  return after.filter((path) => !before.some((open) => covers(open, path)));
}

/**
 * Rules that let requests pass without asking, and that no other statement about the host can speak of: a newer Gatehouse may route the same
 * configuration in another way.
 */
export function unexplained(before: HostFacts, after: HostFacts): string[] {
  if (isOpen(before) && isOpen(after)) return [];
  const known = openings(before.rules);
  const changes = {
    protection: before.protection.asked !== after.protection.asked || before.protection.type !== after.protection.type,
    paths: String(before.publicPaths) !== String(after.publicPaths),
  };
  return [...openings(after.rules)].flatMap(([key, rule]) => {
    const explained = rule.openBecause === "public-path" ? changes.paths : changes.protection;
    return known.has(key) || explained ? [] : [rule.match];
  });
}
