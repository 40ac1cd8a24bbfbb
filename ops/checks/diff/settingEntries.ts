/** Statements about single values of the stack. Pure. */
import { SSL_MODES } from "../../../config/sslModes.ts";
import type { AccessFacts } from "../../../infra/access/facts.ts";
import { type Diff, duration, type Effect, type Table, value } from "./entry.ts";
import { isInternet, isWithin } from "./networks.ts";
import { difference, mark } from "./phrases.ts";

export const SETTING: Table["setting"] = {
  where: (name) => name,
  added: {
    sentence: (_, { value: after }) => `is ${mark(after)}`,
    effect: (_, { value: after }, { id, all }) => addedEffect(after, id, all),
    implied: (_, __, { id, effect }, { before, after }) =>
      effect === "other" && (isPart(id) || sectionOf(id, before) !== sectionOf(id, after)),
  },
  removed: {
    sentence: ({ value: before }) => `is no longer set; it was ${mark(before)}`,
    effect: ({ value: before }, _, { id, all }) => removedEffect(before, id, all),
    implied: (_, __, { id }, { before, after }) => isPart(id) || sectionOf(id, before) !== sectionOf(id, after),
  },
  fields: {
    value: {
      sentence: (before, after, { id }) => (id === ENCRYPTION ? encryptionText : value("is").sentence)(before, after),
      effect: (before, after, { id, all }) => settingEffect(before, after, id, all.after),
    },
  },
};

/** Settings whose value is a list: an item more is more access. */
const NETWORKS = "networks that can connect to Postgres";
const NAMESPACES = "namespaces that can connect to Postgres";
/** Their relations, also existing ones of an existing database, can be read by everyone. */
const WRITERS = "roles whose relations in exposed schemas are public, and that write to the catalog";
/** Settings that give access if they are set. */
const GRANTING = [
  "namespace of Prometheus",
  "namespace of Prometheus for Postgres",
  "namespace of the operator of Postgres",
  // Without a superuser, the database enforces less.
  "protections that need a superuser",
];
/** Explains why hosts of the data API have other rules. */
export const DEFAULT_SCHEMA = "default schema of the data API";
const PAGE = "sign-in page";
const SERVER = "database server";
const ENCRYPTION = "encryption to the database server";
/** Where the superuser's token is sent; the sign-in page's URL if it is not set. */
const API = "API of the identity provider";
/** Where a deployment sends the superuser's password. */
const ADDRESS = "address of the database server for the deployment";

const CREDENTIAL = /^(token|secret key|password|identity) of /;
const ACCOUNT = /^Secret of service account (.+)$/;

const PARTS = [SERVER, "database", "namespace of PostgREST", DEFAULT_SCHEMA, WRITERS, "Service of the gateway"];

/** Returns whether a setting is only added and removed with what it is part of. */
function isPart(name: string): boolean {
  return CREDENTIAL.test(name) || PARTS.includes(name);
}

/** Returns what a setting is part of, as text: if it differs, statements about it explain that the setting is new or no longer set. */
function sectionOf(name: string, { setting, member }: AccessFacts): string {
  const has = (other: string) => String(setting.has(other));
  const account = ACCOUNT.exec(name)?.[1];
  if (account !== undefined) return String(member.has(account));
  switch (name) {
    case "length of a login":
      return setting.get("identity provider")?.value ?? "";
    // Another server has another address, and each kind of Service its default.
    case ADDRESS:
      return `${setting.get(SERVER)?.value} ${setting.get("Service of the database server")?.value}`;
    case ENCRYPTION:
    case "Service of the database server":
    case NETWORKS:
    case NAMESPACES:
      return has(SERVER);
    default:
      return String(setting.size > 0);
  }
}

function addedEffect(after: string, name: string, all: Pick<Diff, "before" | "after">): Effect {
  const { before } = all;
  const account = ACCOUNT.exec(name)?.[1];
  if (account !== undefined) return before.member.has(account) ? "more" : "other";
  if (isList(name)) return listEffect("", after, name);
  if (name === API) return before.setting.size > 0 ? "more" : "other";
  if (name === ADDRESS) return sectionOf(name, before) === sectionOf(name, all.after) ? "more" : "other";
  return GRANTING.includes(name) ? "more" : "other";
}

function removedEffect(old: string, name: string, { after }: Pick<Diff, "after">): Effect {
  if (isList(name)) return listEffect(old, "", name);
  if (name === API) return after.setting.size > 0 ? "more" : "other";
  if (name === ADDRESS) return after.setting.has(SERVER) ? "more" : "other";
  // A server that the stack installs is reached without TLS.
  if (name === ENCRYPTION) return after.setting.has(SERVER) ? "more" : "other";
  return GRANTING.includes(name) ? "less" : "other";
}

function isList(name: string): boolean {
  return name === NETWORKS || name === NAMESPACES || name === WRITERS;
}

/** @param name which list; networks contain each other */
function listEffect(before: string, after: string, name: string): Effect {
  const items = (text: string) => text.split(", ").filter((item) => item !== "" && !item.startsWith("no "));
  const [old, now] = [items(before), items(after)];
  const { added, removed } =
    name === NETWORKS
      ? { added: now.filter((one) => !isWithin(one, old)), removed: old.filter((one) => !isWithin(one, now)) }
      : difference(old, now);
  if (added.some(isInternet) || (name === WRITERS && added.length > 0)) return "public";
  return added.length > 0 ? "more" : removed.length > 0 ? "less" : "other";
}

/** @param text an `sslmode`, and what identifies the root certificate */
function encryption(text: string) {
  const [mode = "", certificate] = text.split(", certificate ");
  return { mode, rank: SSL_MODES.findIndex((one) => one === mode), certificate };
}

function encryptionText(before: string, after: string): string {
  const [was, is] = [encryption(before), encryption(after)];
  if (was.mode !== is.mode) return value("is").sentence(before, after);
  return value("trusts the root certificate").sentence(was.certificate, is.certificate);
}

function encryptionEffect(before: string, after: string): Effect {
  const [was, is] = [encryption(before), encryption(after)];
  // Another CA can sign a certificate for another server, which receives the password.
  const isOther = was.certificate !== is.certificate && was.certificate !== undefined && is.certificate !== undefined;
  if (isOther || is.rank < was.rank) return "more";
  return is.rank > was.rank ? "less" : "other";
}

/** A pod needs every label, so that another label admits fewer pods. */
function gatewayEffect(before: string, after: string): Effect {
  const parts = (text: string) => text.split(/, (?:pods with )?/);
  return difference(parts(before), parts(after)).removed.length > 0 ? "more" : "less";
}

function settingEffect(before: string, after: string, name: string, { setting }: AccessFacts): Effect {
  if (isList(name)) return listEffect(before, after, name);
  // A user who reads Secrets of the namespace, or knows the other value, can sign in.
  if (ACCOUNT.test(name) || CREDENTIAL.test(name)) return "more";
  switch (name) {
    case "length of a login":
      return duration("").effect(before, after);
    // What runs can be another content than the reviewed one.
    case "an image without a digest":
      return before === "refused" && after === "accepted" ? "more" : after === "refused" ? "less" : "other";
    // The data API opens another database.
    case "database":
      return "public";
    // The database of the data API, or that of the identity provider, which decides who signs in.
    case SERVER:
      return setting.has("database") ? "public" : "more";
    // Through a load balancer, pods of every namespace can connect.
    case "Service of the database server":
      return after === "ClusterIP" ? "less" : "more";
    case ENCRYPTION:
      return encryptionEffect(before, after);
    case "gateway":
      return gatewayEffect(before, after);
    // Another authentik decides which users are admitted, or receives the token of its superuser.
    case PAGE:
    case "identity provider":
    case API:
    case ADDRESS:
    case "namespace of Prometheus":
    case "namespace of Prometheus for Postgres":
    case "namespace of the operator of Postgres":
    case "Service of the gateway":
      return "more";
    default:
      return "other";
  }
}
