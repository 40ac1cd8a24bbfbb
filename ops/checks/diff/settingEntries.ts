/** Statements about single values of the stack. Pure. */
import { SSL_MODES } from "../../../config/sslModes.ts";
import type { Access } from "../../../infra/access/facts.ts";
import { duration, type Effect, type Table, value } from "./entry.ts";
import { difference, mark } from "./phrases.ts";

export const SETTING: Table["setting"] = {
  where: (name) => name,
  added: {
    sentence: (_, { value: after }) => `is ${mark(after)}`,
    effect: (_, { value: after }, { id, all }) => addedEffect(after, id, all.before),
    implied: (_, __, { id, effect }, { before, after }) =>
      effect === "other" && sectionOf(id, before) !== sectionOf(id, after),
  },
  removed: {
    sentence: ({ value: before }) => `is no longer set; it was ${mark(before)}`,
    effect: ({ value: before }, _, { id, all }) => removedEffect(before, id, all.after),
    implied: (_, __, { id }, { before, after }) => sectionOf(id, before) !== sectionOf(id, after),
  },
  fields: { value: { ...value("is"), effect: (before, after, { id }) => settingEffect(before, after, id) } },
};

/** Settings whose value is a list: an item more is more access. */
const LISTS = ["networks that can connect to Postgres", "namespaces that can connect to Postgres"];
/** Settings that give access if they are set. */
const GRANTING = [
  "namespace of Prometheus",
  "namespace of Prometheus for Postgres",
  // Without a superuser, the database enforces less.
  "protections that need a superuser",
];
const SERVERS = ["database server", "database server of the data API"];
/** Where the superuser's token is sent; the sign-in page's URL if it is not set. */
const API = "API of the identity provider";

const ACCOUNT = /^Secret of service account (.+)$/;

/** Returns what a setting is part of, as text: if it differs, statements about it explain that the setting is new or no longer set. */
function sectionOf(name: string, { setting, member }: Access): string {
  const has = (...names: readonly string[]) => String(names.some((one) => setting.has(one)));
  const account = ACCOUNT.exec(name)?.[1];
  if (account !== undefined) return String(member.has(account));
  switch (name) {
    case "length of a login":
      return setting.get("identity provider")?.value ?? "";
    case "database":
    case "namespace of PostgREST":
      return has("database");
    case "database server":
    case "database server of the data API":
      return `${has("database")} ${has(...SERVERS)}`;
    case "encryption to the database server":
    case "Service of the database server":
    case "networks that can connect to Postgres":
    case "namespaces that can connect to Postgres":
      return has(...SERVERS);
    default:
      return String(setting.size > 0);
  }
}

function addedEffect(after: string, name: string, before: Access): Effect {
  if (LISTS.includes(name)) return listEffect("none", after);
  if (name === API) return before.setting.size > 0 ? "more" : "other";
  return GRANTING.includes(name) ? "more" : "other";
}

function removedEffect(before: string, name: string, after: Access): Effect {
  if (LISTS.includes(name)) return listEffect(before, "none");
  if (name === API) return after.setting.size > 0 ? "more" : "other";
  return GRANTING.includes(name) ? "less" : "other";
}

function listEffect(before: string, after: string): Effect {
  const items = (text: string) => text.split(", ").filter((item) => item !== "none");
  const { added, removed } = difference(items(before), items(after));
  // Two networks /1 are the whole internet as well; all public addresses of IPv6 are in 2000::/3, and fc00::/7 is private.
  if (added.some((network) => /[.]\d+\/[0-7]$|:\/[0-3]$/.test(network))) return "public";
  return added.length > 0 ? "more" : removed.length > 0 ? "less" : "other";
}

/** @param before an `sslmode`, and what identifies the root certificate */
function encryptionEffect(before: string, after: string): Effect {
  const rank = (text: string) => SSL_MODES.findIndex((mode) => mode === text.split(", ")[0]);
  return rank(after) < rank(before) ? "more" : rank(after) > rank(before) ? "less" : "other";
}

function settingEffect(before: string, after: string, name: string): Effect {
  if (LISTS.includes(name)) return listEffect(before, after);
  // A user who reads Secrets of the namespace can sign in as the account.
  if (ACCOUNT.test(name)) return "more";
  switch (name) {
    case "length of a login":
      return duration("").effect(before, after);
    // What runs can be another content than the reviewed one.
    case "images without a digest":
      return before === "refused" ? "more" : after === "refused" ? "less" : "other";
    // The data API opens another database.
    case "database":
    case "database server of the data API":
      return "public";
    case "encryption to the database server":
      return encryptionEffect(before, after);
    // Another authentik decides which users are admitted, or receives the token of its superuser.
    case "sign-in page":
    case "identity provider":
    case API:
    case "gateway":
    case "namespace of Prometheus":
    case "namespace of Prometheus for Postgres":
    case "Service of the database server":
      return "more";
    default:
      return "other";
  }
}
