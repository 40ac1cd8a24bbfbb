/** Which statements follow from others: a new host has new rules, an exposed schema has new grants. Pure. */
import type { Statement } from "./diff.ts";
import { type Effect, RANKS } from "./effects.ts";
import type { Access } from "../../../infra/access/facts.ts";

export type Weighed = Statement & { readonly effect: Effect };

/** What the statements as a whole say, looked up once for all of them. */
export interface StatementIndex {
  /** Services of which a statement says who may enter. */
  readonly entrants: ReadonlySet<string | undefined>;
  /** `added <host>` and `removed <host>`. */
  readonly hosts: ReadonlySet<string>;
  readonly schemas: readonly Extract<Weighed, { readonly about: "schema" }>[];
  readonly limits: boolean;
  /** The data API comes or goes as a whole. */
  readonly wholeData: boolean;
}

/** @param after the new plan's */
export function indexStatements(all: readonly Weighed[], after: Access): StatementIndex {
  const ofHosts = all.flatMap((one) => (one.about === "host" ? [one] : []));
  const entered = ofHosts.filter((one) => one.change === "changed" && one.field === "entrants");
  return {
    entrants: new Set(entered.map(({ id }) => after.host.get(id)?.entry)),
    hosts: new Set(ofHosts.map(({ change, id }) => `${change} ${id}`)),
    schemas: all.flatMap((one) => (one.about === "schema" ? [one] : [])),
    limits: all.some(({ about, change }) => about === "limit" && change === "changed"),
    wholeData: all.some(({ about, id, change }) => about === "setting" && id === "database" && change !== "changed"),
  };
}

/**
 * Returns whether a statement follows from another one. One that opens something is implied only by one with the same effect.
 * @param beside all statements about the same thing
 * @param after the new plan's
 */
export function isImplied(
  statement: Weighed,
  beside: readonly Weighed[],
  index: StatementIndex,
  after: Access,
): boolean {
  switch (statement.about) {
    case "host":
      return (
        statement.change === "changed" &&
        (isImpliedOfHost(statement, beside) || isImpliedByData(statement, index, after))
      );
    case "client":
      return statement.change === "changed" && statement.field === "groups" && index.entrants.has(statement.id);
    case "login":
    case "role":
    case "limit":
    case "setting":
      return statement.change !== "changed";
    case "domain":
      return isImpliedOfDomain(statement, index);
    case "grant":
    case "default":
      return statement.effect === "other" || isImpliedBySchema(statement, index);
    default:
      return false;
  }
}

/** Exposures that share these share an outpost. */
const OUTPOST_FIELDS: ReadonlySet<string> = new Set(["protection", "entrants", "session", "url"]);

function isImpliedOfHost(
  statement: Extract<Weighed, { readonly about: "host"; readonly change: "changed" }>,
  beside: readonly Weighed[],
): boolean {
  const others = beside.flatMap((other) =>
    other.about === "host" && other.change === "changed" && other !== statement ? [other] : [],
  );
  switch (statement.field) {
    case "rules":
      return statement.effect === "other" && others.length > 0;
    case "session":
    case "application":
      return others.some(({ field }) => field === "protection") && statement.effect === "other";
    case "outpost":
      return others.some(({ field }) => OUTPOST_FIELDS.has(field)) && statement.effect === "other";
    case "entrants":
      return statement.after.audience === "everyone" && others.some(({ field }) => field === "protection");
    case "role":
    case "domain":
    case "service":
      return statement.effect === "other" && others.some(({ field }) => field === "protection" || field === "backend");
    default:
      return false;
  }
}

/** Whether statements about the data API say why its hosts have other rules. */
function isImpliedByData(
  { id, field, effect }: Extract<Weighed, { readonly about: "host"; readonly change: "changed" }>,
  index: StatementIndex,
  after: Access,
): boolean {
  const isOwn = field === "rules" && effect === "other" && after.host.get(id)?.role === "data-api";
  return isOwn && (index.schemas.length > 0 || index.limits);
}

/** Records come and go with their hosts. */
function isImpliedOfDomain(statement: Extract<Weighed, { readonly about: "domain" }>, index: StatementIndex): boolean {
  if (statement.change !== "changed") return true;
  if (statement.field !== "hosts") return false;
  const { before, after } = statement;
  const [old, now] = [new Set(before), new Set(after)];
  return (
    after.every((host) => old.has(host) || index.hosts.has(`added ${host}`)) &&
    before.every((host) => now.has(host) || index.hosts.has(`removed ${host}`))
  );
}

/** Whether a statement about the schema, or about the data API as a whole, says what happens to its grants. */
function isImpliedBySchema(
  statement: Extract<Weighed, { readonly about: "grant" | "default" }>,
  { schemas, wholeData }: StatementIndex,
): boolean {
  const { schema } = JSON.parse(statement.id) as { readonly schema?: string };
  if (schema === undefined) return wholeData;
  const explaining = schemas.filter(
    (one) => (one.id === schema || wholeData) && (one.change !== "changed" || one.field === "access"),
  );
  return explaining.some(({ effect }) => atLeast(effect, statement.effect));
}

function atLeast(effect: Effect, other: Effect): boolean {
  return RANKS.indexOf(effect) <= RANKS.indexOf(other);
}
