import { asText, isEmpty } from "../bridge.ts";
import type { Value, Values } from "../protocol/plugin.ts";
import type { Api } from "./api.ts";
import { wireName } from "./operations.ts";

interface Lookup {
  readonly path: string;
  /** The arguments that a list is filtered by, with their names in the API. */
  readonly filters: Readonly<Record<string, string>>;
  /** Sent with every list. */
  readonly query?: Readonly<Record<string, string>>;
  /** As in "No matching flows found". */
  readonly noun: string;
  /** Names of the outputs except `id`, separated by blanks. */
  readonly outputs: string;
}

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  getFlow: {
    path: "/flows/instances/",
    filters: { slug: "slug" },
    noun: "flows",
    outputs: "authentication designation name slug title",
  },
  getPropertyMappingProviderScope: {
    path: "/propertymappings/provider/scope/",
    filters: { managedLists: "managed", scopeName: "scope_name" },
    noun: "mappings",
    outputs: "description expression ids managed managedLists name scopeName",
  },
  // Verbatim: the real provider reports "groups" here.
  getCertificateKeyPair: {
    path: "/crypto/certificatekeypairs/",
    filters: { name: "name" },
    noun: "groups",
    outputs: "certificateData expiry fetchCertificate fetchKey fingerprint1 fingerprint256 keyData name subject",
  },
  getUser: {
    path: "/core/users/",
    filters: { username: "username" },
    query: { include_groups: "true", include_roles: "true" },
    noun: "users",
    outputs:
      "attributes avatar dateJoined email groups isActive isSuperuser lastLogin name path pk type uid username uuid",
  },
};

/** Names of the outputs of a data source, by token, e.g. `authentik:index/getFlow:getFlow`. */
export function outputsOf(token: string): string[] {
  return ["id", ...lookupOf(token).outputs.split(" ")];
}

function lookupOf(token: string): Lookup {
  const lookup = LOOKUPS[nameOf(token)];
  if (!lookup) throw new Error(`the emulated authentik provider does not support the data source ${token}`);
  return lookup;
}

function nameOf(token: string): string {
  return token.slice(token.lastIndexOf(":") + 1);
}

/** Runs a data source; of a key pair it returns the fields of the list, without certificate and key. A 404 gives an empty result, as with the real provider. @throws when nothing matches */
export async function lookUp(api: Api, token: string, args: Values): Promise<Values> {
  const lookup = lookupOf(token);
  const { path, filters, noun } = lookup;
  const given = Object.entries(filters).filter(([name]) => !isEmpty(args[name]));
  if (given.length === 0)
    throw new Error(`the emulated provider looks up ${noun} only by ${Object.keys(filters).join(" or ")}`);
  const filtered: Values = Object.fromEntries(given.map(([name, parameter]) => [parameter, args[name]]));
  const found = await api.list({ method: "GET", path, query: { ...lookup.query, ...filtered } });
  if (!found) return {};
  const [first] = found;
  if (!first) throw new Error(`No matching ${noun} found`);
  if (!isEmpty(args.managedLists)) return { ...args, id: "-1", ids: found.map((entry) => entry.pk ?? null) };

  const id = asText(first.pk);
  const outputs = outputsOf(token).map((output) => [output, plain(first[wireName(output)])]);
  return { ...args, ...(Object.fromEntries(outputs.filter(([, value]) => value !== undefined)) as Values), id };
}

/** Returns objects as JSON text. */
function plain(value: Value | undefined): Value | undefined {
  if (value === null || value === undefined || Array.isArray(value)) return value ?? undefined;
  return typeof value === "object" ? asText(value) : value;
}
