/** Statements about single values of the stack. Pure. */
import { SSL_MODES } from "../../../config/sections/postgres/sslModes.ts";
import type { AccessFacts } from "../../../infra/access/facts.ts";
import {
  ACCOUNT_SECRET_NAME,
  CREDENTIAL_NAME,
  DEFAULT_NETWORKS,
  SETTING_NAMES as NAMES,
} from "../../../infra/plan/settingNames.ts";
import { type Diff, duration, type Effect, type Table, value } from "./entry.ts";
import { isInternet, isNetworkWithin } from "../../../config/schema/networks.ts";
import { difference, mark } from "./phrases.ts";

export const SETTING: Table["setting"] = {
  where: (name) => name,
  added: {
    sentence: (_, { value: after }) => `is ${mark(after)}`,
    effect: (_, { value: after }, { id, all }) => effectOf(settingOf(id).added, "", after, all),
    implied: (_, __, { id, effect }, diff) => effect === "other" && isImplied(id, diff),
  },
  removed: {
    sentence: ({ value: before }) => `is no longer set; it was ${mark(before)}`,
    effect: ({ value: before }, _, { id, all }) => effectOf(settingOf(id).removed, before, "", all),
    implied: (_, __, { id }, diff) => isImplied(id, diff),
  },
  fields: {
    value: {
      sentence: (before, after, { id }) => (settingOf(id).sentence ?? value("is").sentence)(before, after),
      effect: (before, after, { id, all }) => effectOf(settingOf(id).changed, before, after, all),
    },
  },
};

type Stacks = Pick<Diff, "before" | "after">;
/** An unset value is the empty text. */
type EffectOf = Effect | ((before: string, after: string, stacks: Stacks) => Effect);

interface Setting {
  /** Default of each effect: other. */
  readonly added?: EffectOf;
  readonly removed?: EffectOf;
  readonly changed?: EffectOf;
  /** Of a change. Default: `is <new value> instead of <old value>`. */
  readonly sentence?: (before: string, after: string) => string;
  /** What the setting is part of, as text: if it differs, statements about it explain that the setting is new or no longer set. Default: the stack. */
  readonly section?: (facts: AccessFacts) => string;
  /** Whether the setting is only added and removed with what it is part of. */
  readonly isPart?: true;
}

/** A value that gives access to what it names. */
const GRANT: Setting = { added: "more", removed: "less", changed: "more" };
const OF_SERVER: Setting = { section: (facts) => String(hasServer(facts)) };

/** A setting without an entry does not compile. */
const SETTINGS: { readonly [name in (typeof NAMES)[keyof typeof NAMES]]: Setting } = {
  [NAMES.cluster]: {},
  [NAMES.gateway]: { changed: gatewayEffect },
  [NAMES.gatewayService]: { isPart: true, changed: "more" },
  [NAMES.loginLength]: {
    section: ({ setting }) => setting.get(NAMES.identityProvider)?.value ?? "",
    changed: duration("").effect,
  },
  // Another authentik decides which users are admitted, or receives the token of its superuser.
  [NAMES.signInPage]: { changed: "more" },
  [NAMES.identityProvider]: { changed: "more" },
  [NAMES.identityProviderApi]: {
    added: (_, __, { before }) => (before.setting.size > 0 ? "more" : "other"),
    removed: (_, __, { after }) => (after.setting.size > 0 ? "more" : "other"),
    changed: "more",
  },
  [NAMES.jwtSigner]: {},
  // The data API opens another database.
  [NAMES.database]: { isPart: true, changed: "public" },
  // Without a superuser, the database enforces less.
  [NAMES.superuserProtections]: { added: "more", removed: "less" },
  [NAMES.databaseServer]: { isPart: true, changed: serverEffect },
  [NAMES.databaseEncryption]: {
    ...OF_SERVER,
    removed: (_, __, { after }) => (hasServer(after) ? "more" : "other"),
    changed: encryptionEffect,
    sentence: encryptionText,
  },
  [NAMES.databaseAddress]: {
    section: serverAndService,
    added: (_, __, { before, after }) => (serverAndService(before) === serverAndService(after) ? "more" : "other"),
    removed: (_, __, { after }) => (hasServer(after) ? "more" : "other"),
    changed: "more",
  },
  // Through a load balancer, pods of every namespace can connect.
  [NAMES.databaseService]: { ...OF_SERVER, changed: (_, after) => (after === "ClusterIP" ? "less" : "more") },
  [NAMES.databaseNetworks]: { ...OF_SERVER, ...always(networksEffect) },
  [NAMES.databaseNamespaces]: { ...OF_SERVER, ...always(listEffect) },
  [NAMES.prometheus]: GRANT,
  [NAMES.postgresPrometheus]: GRANT,
  [NAMES.postgresOperator]: GRANT,
  // What runs can be another content than the reviewed one.
  [NAMES.imageWithoutDigest]: {
    changed: (before, after) => {
      if (after === "refused") return "less";
      return before === "refused" && after === "accepted" ? "more" : "other";
    },
  },
  [NAMES.verification]: {},
  [NAMES.postgrestNamespace]: { isPart: true },
  [NAMES.defaultSchema]: { isPart: true },
  [NAMES.writers]: { isPart: true, ...always(writersEffect) },
};

/** Returns the entry of a setting; `{}` for the name that another version of Gatehouse recorded. */
function settingOf(name: string): Setting {
  const account = ACCOUNT_SECRET_NAME.exec(name)?.[1];
  // A user who reads Secrets of the namespace, or knows the other value, can sign in.
  if (account !== undefined) {
    return {
      section: ({ member }) => String(member.has(account)),
      added: (_, __, { before }) => (before.setting.size > 0 ? "more" : "other"),
      changed: "more",
    };
  }
  if (CREDENTIAL_NAME.test(name)) return { isPart: true, changed: "more" };
  return Object.hasOwn(SETTINGS, name) ? SETTINGS[name as keyof typeof SETTINGS] : {};
}

/** Returns an entry whose effect also compares with an unset value. */
function always(effect: EffectOf): Setting {
  return { added: effect, removed: effect, changed: effect };
}

function effectOf(effect: EffectOf | undefined, before: string, after: string, stacks: Stacks): Effect {
  return typeof effect === "function" ? effect(before, after, stacks) : (effect ?? "other");
}

/** Returns whether other statements explain that a setting is new or no longer set. */
function isImplied(name: string, { before, after }: Stacks): boolean {
  const { isPart = false, section = ({ setting }) => String(setting.size > 0) } = settingOf(name);
  return isPart || section(before) !== section(after);
}

function hasServer({ setting }: AccessFacts): boolean {
  return setting.has(NAMES.databaseServer);
}

/** Returns what decides the address: another server has another one, and each kind of Service its default. */
function serverAndService({ setting }: AccessFacts): string {
  return `${setting.get(NAMES.databaseServer)?.value} ${setting.get(NAMES.databaseService)?.value}`;
}

function items(text: string): string[] {
  return text.split(", ").filter((item) => item !== "" && !item.startsWith("no "));
}

/** Returns the effect of a changed list: another item is more access. */
function listEffect(before: string, after: string): Effect {
  const { added, removed } = difference(items(before), items(after));
  return added.length > 0 ? "more" : removed.length > 0 ? "less" : "other";
}

/** Returns the effect of changed writers: everyone can read their relations, also existing ones. */
function writersEffect(before: string, after: string): Effect {
  const effect = listEffect(before, after);
  return effect === "more" ? "public" : effect;
}

/** Returns the effect of another database server, or of another user there, which can have other rights. */
function serverEffect(before: string, after: string, { after: { setting } }: Stacks): Effect {
  const address = (server: string): string => server.slice(server.lastIndexOf("@") + 1);
  // The database of the data API, or that of the identity provider, which decides who signs in.
  return address(before) !== address(after) && setting.has(NAMES.database) ? "public" : "more";
}

/** Returns the effect of changed networks, which contain each other. */
function networksEffect(before: string, after: string): Effect {
  const [old, now] = [items(before), items(after)];
  // By default, the network policy admits the load balancer of k3s, and no network.
  const listed = old.filter((one) => one !== DEFAULT_NETWORKS);
  const added = now.filter((one) => !isNetworkWithin(one, one === DEFAULT_NETWORKS ? old : listed));
  if (added.some(isInternet)) return "public";
  return added.length > 0 ? "more" : old.some((one) => !isNetworkWithin(one, now)) ? "less" : "other";
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

/** Returns "more" if a label was removed: a pod needs every label, so that another label admits fewer pods. */
function gatewayEffect(before: string, after: string): Effect {
  const parts = (text: string) => text.split(/, (?:pods with )?/);
  return difference(parts(before), parts(after)).removed.length > 0 ? "more" : "less";
}
