/** Statements about a host in words. Pure. */
import { IDENTITY_HEADERS } from "../../../infra/identity/headers.ts";
import type { Change } from "./diff.ts";
import type { HostFacts } from "../../../infra/access/facts.ts";
import { type Entrants, entrantsText } from "../../../protections/entrants.ts";
import { protectionOf } from "../../../protections/table.ts";
import { listOf, mark, moved, names } from "./phrases.ts";

type HostChange = Extract<Change, { readonly about: "host" }>;

export function hostSentence(change: HostChange): string {
  if (change.change === "removed")
    return `is no longer reachable; it was ${protectionText(change.before.protection)}${known(change)}`;
  if (change.change === "added") return addedText(change.after) + known(change);
  switch (change.field) {
    case "protection":
      return `is ${protectionText(change.after)} instead of ${protectionText(change.before)}`;
    case "entrants":
      return entrantsChange(change.before, change.after) + known(change);
    case "publicPaths":
      return listOf(change, "open to everyone, without a session:", "a session is needed again for");
    case "headers":
      return headersText(change.before, change.after);
    case "session":
      return `a session lasts ${optional(change.after)} instead of ${optional(change.before)}`;
    case "backend":
      return `routes to ${moved(change.before, change.after)}`;
    case "tls":
      return tlsText(change.before, change.after);
    case "url":
      return `has this URL instead of ${mark(change.before)}`;
    case "outpost":
      return `is served by ${outpostText(change.after)} instead of ${outpostText(change.before)}`;
    case "rules":
      return change.effect === "public"
        ? "admits requests by its rules alone; run with --json to see them"
        : "has other rules, which admit the same users";
    case "application":
      return `is the application ${optional(change.after)} of the identity provider instead of ${optional(change.before)}`;
    case "role":
      return `is a host of the kind ${moved(change.before, change.after)}`;
    case "domain":
      return `belongs to the domain ${moved(change.before, change.after)}`;
    case "service":
    case "entry":
      return `belongs to ${optional(change.after)} instead of ${optional(change.before)}`;
  }
}

function addedText({ protection, role, entrants, publicPaths, backend }: HostFacts): string {
  const paths = publicPaths.length > 0 ? `, and everyone into ${names(publicPaths)}` : "";
  const who =
    protection.type === "open"
      ? OPEN_ROLES[role]
      : `${protectionText(protection)}, for ${entrantsText(entrants, names)}`;
  return `becomes reachable: ${who}${paths}; routes to ${mark(backend)}`;
}

const OPEN_ROLES: Readonly<Record<HostFacts["role"], string>> = {
  "identity-provider": "the sign-in page",
  "data-api": "open to everyone, read only (data API)",
  catalog: "open to everyone, read only (catalog)",
  test: "open to everyone (test host)",
  service: "open to everyone",
};

function protectionText({ type, asked }: HostFacts["protection"]): string {
  if (type === "open") return "open";
  const enforcer = protectionOf(type).enforcedBy?.(asked);
  return `protected by ${type}${enforcer === undefined ? "" : ` (the ${enforcer} asks)`}`;
}

function entrantsChange(before: Entrants, after: Entrants): string {
  if (before.audience === "groups" && after.audience === "groups") {
    return listOf({ before: before.groups, after: after.groups }, "admits", "no longer admits");
  }
  return `admits ${entrantsText(after, names)} instead of ${entrantsText(before, names)}`;
}

/** Returns the users and machines of the configuration that gain or lose access. */
function known({ reach: { gained, lost } }: HostChange): string {
  const parts = [
    ...(gained.length > 0 ? [`lets in ${names(gained)}`] : []),
    ...(lost.length > 0 ? [`excludes ${names(lost)}`] : []),
  ];
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function headersText(before: readonly string[], after: readonly string[]): string {
  const short = (headers: readonly string[]) =>
    headers.length === IDENTITY_HEADERS.length ? `all ${headers.length} headers ${mark("X-idp-*")}` : names(headers);
  if (after.length === 0) return `the application no longer receives ${short(before)}`;
  if (before.length === 0) return `the application receives ${short(after)}`;
  return `the application receives ${short(after)} instead of ${short(before)}`;
}

function tlsText(before: string | undefined, after: string | undefined): string {
  const end = (tls: string) =>
    tls === "upstream" ? "before the gateway" : `at the gateway (${mark(tls)} certificate)`;
  if (after === undefined) return "is no longer encrypted";
  return before === undefined
    ? `is encrypted; TLS is terminated ${end(after)}`
    : `TLS is terminated ${end(after)} instead of ${end(before)}`;
}

function outpostText(outpost: string | undefined): string {
  return outpost === undefined ? "none" : `outpost ${outpost}`;
}

function optional(value: string | undefined): string {
  return value === undefined ? "none" : mark(value);
}
