/** Statements about hosts. Pure. */
import type { HostFacts, RuleFacts } from "../../../infra/access/facts.ts";
import { SETTING_NAMES } from "../../../infra/plan/settingNames.ts";
import {
  authenticatesAtGateway,
  hasOpening,
  isForgeable,
  isOpen,
  opensAll,
  strength,
} from "../../../infra/access/hostAccess.ts";
import { openings } from "../../../infra/access/rules.ts";
import { IDENTITY_HEADERS } from "../../../infra/identity/headers.ts";
import { admits, type AllowedUsers, allowedUsersText } from "../../../protections/allowedUsers.ts";
import { protectionOf } from "../../../protections/table.ts";
import { type Change, type Diff, duration, type Table, value } from "./entry.ts";
import { type Difference, difference, differenceText, mark, names, optional } from "./phrases.ts";

export const HOST: Table["host"] = {
  where: (_, { url }) => url,
  added: {
    sentence: (_, facts, change) => `becomes reachable: ${serviceText(facts)}${accessText(change)}`,
    effect: (_, facts) => (hasOpening(facts) || isForgeable(facts) ? "public" : "more"),
  },
  removed: {
    sentence: ({ protection }, _, change) =>
      `is no longer reachable; it was ${protectionText(protection)}${accessText(change)}`,
    effect: () => "less",
  },
  fields: {
    protection: {
      ...value("is", protectionText),
      effect: (_, __, { was, is }) => {
        if (isOpen(is) && !isOpen(was)) return "public";
        // An application without its own login is open.
        if (authenticatesAtGateway(was) && !authenticatesAtGateway(is)) return "more";
        const difference = strength(is) - strength(was);
        return difference === 0 ? "other" : difference < 0 ? "more" : "less";
      },
    },
    allowedUsers: {
      sentence: (before, after, change) => allowedUsersChange(before, after) + accessText(change),
      effect: (before, after, { is }) => {
        if (after.audience === "everyone") return isOpen(is) ? "public" : "more";
        return admits(before, after) ? "less" : "more";
      },
      implied: (_, after, change, diff) => after.audience === "everyone" && diff.fields(change).includes("protection"),
    },
    publicPaths: {
      sentence: pathsText,
      effect: (before, after, { was, is }) => {
        const { added, removed } = pathsDifference(before, after);
        if (added.length > 0) return authenticatesAtGateway(is) && !opensAll(was) ? "public" : "other";
        return removed.length > 0 ? "less" : "other";
      },
      // Of a host where the application authenticates, all paths pass the gateway.
      implied: (before, after, { id }, diff) => {
        const [was, is] = [diff.before.host.get(id), diff.after.host.get(id)];
        if (was === undefined || is === undefined) return false;
        return (
          !authenticatesAtGateway(is) ||
          (!authenticatesAtGateway(was) && pathsDifference(before, after).added.length === 0)
        );
      },
    },
    headers: { sentence: headersText },
    session: { ...duration("a session lasts"), implied: follows("protection") },
    backend: {
      ...value("routes to"),
      effect: (_, __, { was, is }) => {
        // The stack deploys both, with the same data.
        if (was.role === is.role && (is.role === "data-api" || is.role === "catalog")) return "other";
        // An open host that routes to another application opens that application.
        if (hasOpening(is)) return "public";
        // Who is admitted reaches another application, which may have admitted fewer users.
        return is.role === "identity-provider" ? "other" : "more";
      },
    },
    tls: {
      sentence: tlsText,
      effect: (before, after) => {
        // Before the gateway: who reaches its HTTP entry point needs no TLS.
        const isWeaker = after === undefined || (after === "upstream" && before !== undefined);
        return isWeaker ? "more" : before === undefined ? "less" : "other";
      },
    },
    url: { sentence: (before) => `has this URL instead of ${mark(before)}` },
    // Exposures that share these fields share an outpost.
    outpost: {
      ...value("is served by", (name?: string) => (name === undefined ? "none" : `outpost ${name}`)),
      implied: follows("protection", "allowedUsers", "session", "url"),
    },
    rules: {
      sentence: (before, after, { effect }) =>
        entryPointsText(before, after) ||
        (effect === "public"
          ? "admits requests by its rules alone; run with --json to see them"
          : "has other rules, which admit the same users; run with --json to see them"),
      effect: (_, __, { was, is }) => {
        if (opensByRules(was, is) || (isForgeable(is) && !isForgeable(was))) return "public";
        // Another entry point has other clients.
        return [true, false].some((secure) => isMoved(was.rules, is.rules, secure)) ? "more" : "other";
      },
      implied: (before, after, change, diff) => {
        const fields = diff.fields(change);
        // Of another scheme, another entry point follows; of anything else it does not.
        if (entryPointsText(before, after) !== "" && !fields.includes("url") && !fields.includes("tls")) return false;
        return change.effect === "other" && (fields.length > 1 || followsFromData(change.id, diff));
      },
    },
    application: {
      sentence: (before, after) =>
        `is the application ${optional(after)} of the identity provider instead of ${optional(before)}`,
      implied: follows("protection"),
    },
    role: {
      ...value("is", (role: HostFacts["role"]) => KIND[role]),
      effect: (_, __, { was, is }) => (opensAll(is) && !opensAll(was) ? "public" : "other"),
      // No other statement reports that an application is now the sign-in page.
      implied: (was, is, change, diff) =>
        was !== "identity-provider" &&
        is !== "identity-provider" &&
        follows("protection", "backend")(was, is, change, diff),
    },
    domain: { ...value("belongs to the domain"), implied: follows("protection", "backend") },
    service: { ...value("belongs to"), implied: follows("protection", "backend") },
    entry: value("belongs to"),
  },
};

/** Returns whether a change of one of these fields explains a statement that changes no access. */
function follows(...fields: (keyof HostFacts)[]) {
  return (_: unknown, __: unknown, change: Change, diff: Diff): boolean =>
    change.effect === "other" && fields.some((field) => diff.fields(change).includes(field));
}

/** Statements about the data API explain why its hosts have other rules. */
function followsFromData(host: string, { after, about }: Diff): boolean {
  const values = [...about("limit"), ...about("setting").filter(({ id }) => id === SETTING_NAMES.defaultSchema)];
  const isExplained = about("schema").length > 0 || values.some(({ change }) => change === "changed");
  return isExplained && after.host.get(host)?.role === "data-api";
}

/** Returns the open paths that only one of the lists opens: an open path opens itself and those below it; `/assets/` does not open `/assets`. */
function pathsDifference(before: readonly string[], after: readonly string[]): Difference {
  const covers = (open: string, path: string) =>
    path === open || path.startsWith(open.endsWith("/") ? open : `${open}/`);
  const outside = (paths: readonly string[], open: readonly string[]) =>
    paths.filter((path) => !open.some((one) => covers(one, path)));
  return { added: outside(after, before), removed: outside(before, after) };
}

function pathsText(before: readonly string[], after: readonly string[]): string {
  const paths = pathsDifference(before, after);
  const text = differenceText(paths, "open to everyone, without a session:", "a session is needed again for");
  if (text === "")
    return `lists the open paths ${names(after)} instead of ${names(before)}, which are the same requests`;
  const { added } = difference(before, after);
  const kept = added.filter((path) => !paths.added.includes(path));
  return kept.length > 0 ? `${text}; still open: ${names(kept)}` : text;
}

function entryPointsDifference(before: readonly RuleFacts[], after: readonly RuleFacts[]): Difference {
  const of = (rules: readonly RuleFacts[]) => [...new Set(rules.map(({ entryPoint }) => entryPoint))].sort();
  return difference(of(before), of(after));
}

/** Returns whether the rules for HTTPS, or those for HTTP, are at another entry point than before. A host without such rules before has another scheme. */
function isMoved(before: readonly RuleFacts[], after: readonly RuleFacts[], secure: boolean): boolean {
  const of = (rules: readonly RuleFacts[]) => rules.filter(({ tls }) => (tls !== undefined) === secure);
  return of(before).length > 0 && entryPointsDifference(of(before), of(after)).added.length > 0;
}

function entryPointsText(before: readonly RuleFacts[], after: readonly RuleFacts[]): string {
  return differenceText(entryPointsDifference(before, after), "is served at entry point", "no longer at");
}

/**
 * Returns whether rules that admit requests without authentication are new, and no other statement about the host explains them: a newer
 * version of Gatehouse may route the same configuration in another way.
 */
function opensByRules(was: HostFacts, is: HostFacts): boolean {
  if (isOpen(was) && isOpen(is)) return false;
  const known = openings(was.rules);
  const explained = {
    protection: JSON.stringify(was.protection) !== JSON.stringify(is.protection),
    paths: String(was.publicPaths) !== String(is.publicPaths),
  };
  return [...openings(is.rules)].some(
    ([key, { openBecause }]) =>
      !known.has(key) && !(openBecause === "public-path" ? explained.paths : explained.protection),
  );
}

function serviceText(facts: HostFacts): string {
  const { protection, role, allowedUsers, publicPaths, session, backend } = facts;
  const paths = publicPaths.length > 0 ? `, and everyone into ${names(publicPaths)}` : "";
  const length = session !== undefined && authenticatesAtGateway(facts) ? `; a session lasts ${mark(session)}` : "";
  const who =
    protection.type === "open"
      ? OPEN[role]
      : `${protectionText(protection)}, for ${allowedUsersText(allowedUsers, names)}`;
  return `${who}${paths}${length}; routes to ${mark(backend)}`;
}

const KIND: Readonly<Record<HostFacts["role"], string>> = {
  "identity-provider": "the sign-in page",
  "data-api": "the data API",
  catalog: "the catalog",
  test: "a test host",
  service: "an application",
};

const OPEN: Readonly<Record<HostFacts["role"], string>> = {
  "identity-provider": "the sign-in page",
  "data-api": "open to everyone, read only (data API)",
  catalog: "open to everyone, read only (catalog)",
  test: "open to everyone (test host)",
  service: "open to everyone",
};

function protectionText({ type, authentication }: HostFacts["protection"]): string {
  if (type === "open") return "open";
  const enforcer = protectionOf(type).enforcedBy?.(authentication);
  return `protected by ${type}${enforcer === undefined ? "" : ` (by the ${enforcer})`}`;
}

function allowedUsersChange(before: AllowedUsers, after: AllowedUsers): string {
  if (before.audience !== "groups" || after.audience !== "groups") {
    return `admits ${allowedUsersText(after, names)} instead of ${allowedUsersText(before, names)}`;
  }
  return differenceText(difference(before.groups, after.groups), "admits", "no longer admits");
}

/** Returns the users and machines of the configuration that gain or lose access. */
function accessText({ access }: Change): string {
  const text = differenceText(access, "allows", "denies", ", ");
  return text && ` (${text})`;
}

function headersText(before: readonly string[], after: readonly string[]): string {
  const short = (headers: readonly string[]) =>
    headers.length === IDENTITY_HEADERS.length ? `all ${headers.length} headers ${mark("X-idp-*")}` : names(headers);
  if (after.length === 0) return `the application no longer receives ${short(before)}`;
  return `the application receives ${short(after)}${before.length === 0 ? "" : ` instead of ${short(before)}`}`;
}

function tlsText(before: string | undefined, after: string | undefined): string {
  const end = (tls: string) =>
    tls === "upstream" ? "before the gateway" : `at the gateway (${mark(tls)} certificate)`;
  if (after === undefined) return "is no longer encrypted";
  if (before === undefined) return `is encrypted; TLS is terminated ${end(after)}`;
  const open = after === "upstream" ? ", which also serves it without encryption at its HTTP entry point" : "";
  return `TLS is terminated ${end(after)}${open} instead of ${end(before)}`;
}
