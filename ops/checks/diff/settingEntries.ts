/** Statements about single values of the stack. Pure. */
import { SSL_MODES } from "../../../config/sslModes.ts";
import type { AccessFacts } from "../../../infra/access/facts.ts";
import { ACCOUNT_SECRET_NAME, CREDENTIAL_NAME, SETTING_NAMES as NAMES } from "../../../infra/plan/settingNames.ts";
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
      sentence: (before, after, { id }) =>
        (id === NAMES.databaseEncryption ? encryptionText : value("is").sentence)(before, after),
      effect: (before, after, { id, all }) => settingEffect(before, after, id, all.after),
    },
  },
};

/** Settings whose value is a list: another item is more access. The relations of a writer, also existing ones, can be read by everyone. */
const LISTS: readonly string[] = [NAMES.databaseNetworks, NAMES.databaseNamespaces, NAMES.writers];
/** Settings that give access if they are set. */
const GRANTING: readonly string[] = [
  NAMES.prometheus,
  NAMES.postgresPrometheus,
  NAMES.postgresOperator,
  // Without a superuser, the database enforces less.
  NAMES.superuserProtections,
];

const PARTS: readonly string[] = [
  NAMES.databaseServer,
  NAMES.database,
  NAMES.postgrestNamespace,
  NAMES.defaultSchema,
  NAMES.writers,
  NAMES.gatewayService,
];

/** Returns whether a setting is only added and removed with what it is part of. */
function isPart(name: string): boolean {
  return CREDENTIAL_NAME.test(name) || PARTS.includes(name);
}

/** Returns what a setting is part of, as text: if it differs, statements about it explain that the setting is new or no longer set. */
function sectionOf(name: string, { setting, member }: AccessFacts): string {
  const has = (other: string) => String(setting.has(other));
  const account = ACCOUNT_SECRET_NAME.exec(name)?.[1];
  if (account !== undefined) return String(member.has(account));
  switch (name) {
    case NAMES.loginLength:
      return setting.get(NAMES.identityProvider)?.value ?? "";
    // Another server has another address, and each kind of Service its default.
    case NAMES.databaseAddress:
      return `${setting.get(NAMES.databaseServer)?.value} ${setting.get(NAMES.databaseService)?.value}`;
    case NAMES.databaseEncryption:
    case NAMES.databaseService:
    case NAMES.databaseNetworks:
    case NAMES.databaseNamespaces:
      return has(NAMES.databaseServer);
    default:
      return String(setting.size > 0);
  }
}

function addedEffect(after: string, name: string, all: Pick<Diff, "before" | "after">): Effect {
  const { before } = all;
  const account = ACCOUNT_SECRET_NAME.exec(name)?.[1];
  if (account !== undefined) return before.member.has(account) ? "more" : "other";
  if (isList(name)) return listEffect("", after, name);
  if (name === NAMES.identityProviderApi) return before.setting.size > 0 ? "more" : "other";
  if (name === NAMES.databaseAddress) return sectionOf(name, before) === sectionOf(name, all.after) ? "more" : "other";
  return GRANTING.includes(name) ? "more" : "other";
}

function removedEffect(old: string, name: string, { after }: Pick<Diff, "after">): Effect {
  if (isList(name)) return listEffect(old, "", name);
  if (name === NAMES.identityProviderApi) return after.setting.size > 0 ? "more" : "other";
  if (name === NAMES.databaseAddress) return after.setting.has(NAMES.databaseServer) ? "more" : "other";
  // A server that the stack installs is reached without TLS.
  if (name === NAMES.databaseEncryption) return after.setting.has(NAMES.databaseServer) ? "more" : "other";
  return GRANTING.includes(name) ? "less" : "other";
}

function isList(name: string): boolean {
  return LISTS.includes(name);
}

/** @param name which list; networks contain each other */
function listEffect(before: string, after: string, name: string): Effect {
  const items = (text: string) => text.split(", ").filter((item) => item !== "" && !item.startsWith("no "));
  const [old, now] = [items(before), items(after)];
  const { added, removed } =
    name === NAMES.databaseNetworks
      ? { added: now.filter((one) => !isWithin(one, old)), removed: old.filter((one) => !isWithin(one, now)) }
      : difference(old, now);
  if (added.some(isInternet) || (name === NAMES.writers && added.length > 0)) return "public";
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
  if (ACCOUNT_SECRET_NAME.test(name) || CREDENTIAL_NAME.test(name)) return "more";
  switch (name) {
    case NAMES.loginLength:
      return duration("").effect(before, after);
    // What runs can be another content than the reviewed one.
    case NAMES.imageWithoutDigest:
      return before === "refused" && after === "accepted" ? "more" : after === "refused" ? "less" : "other";
    // The data API opens another database.
    case NAMES.database:
      return "public";
    // The database of the data API, or that of the identity provider, which decides who signs in.
    case NAMES.databaseServer:
      return setting.has(NAMES.database) ? "public" : "more";
    // Through a load balancer, pods of every namespace can connect.
    case NAMES.databaseService:
      return after === "ClusterIP" ? "less" : "more";
    case NAMES.databaseEncryption:
      return encryptionEffect(before, after);
    case NAMES.gateway:
      return gatewayEffect(before, after);
    // Another authentik decides which users are admitted, or receives the token of its superuser.
    case NAMES.signInPage:
    case NAMES.identityProvider:
    case NAMES.identityProviderApi:
    case NAMES.databaseAddress:
    case NAMES.prometheus:
    case NAMES.postgresPrometheus:
    case NAMES.postgresOperator:
    case NAMES.gatewayService:
      return "more";
    default:
      return "other";
  }
}
