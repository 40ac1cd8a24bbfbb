import { asText, isEmpty } from "../bridge.ts";
import type { Value, Values } from "../protocol/plugin.ts";
import type { Api } from "./api.ts";
import { wireName } from "./operations.ts";
import { MEMBERS } from "./resources.ts";
import schema from "./schema.json" with { type: "json" };

interface Lookup {
  readonly path: string;
  /** The argument that names one object by its id. */
  readonly one?: string;
  /** The arguments that a list is filtered by, with their names in the API. */
  readonly filters: Readonly<Record<string, string>>;
  /** Goes with every list. */
  readonly query?: Readonly<Record<string, string>>;
  /** As in "No matching groups found". */
  readonly noun: string;
  /** Outputs that are called otherwise in the API. */
  readonly renamed?: Readonly<Record<string, string>>;
}

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  getFlow: { path: "/flows/instances/", filters: { slug: "slug", designation: "designation" }, noun: "flows" },
  getPropertyMappingProviderScope: {
    path: "/propertymappings/provider/scope/",
    filters: { managed: "managed", managedLists: "managed", name: "name", scopeName: "scope_name" },
    noun: "mappings",
  },
  // Not a slip of this page: the real one says so.
  getCertificateKeyPair: { path: "/crypto/certificatekeypairs/", filters: { name: "name" }, noun: "groups" },
  getGroup: {
    path: "/core/groups/",
    one: "pk",
    filters: { name: "name" },
    noun: "groups",
    renamed: { usersObjs: "users_obj" },
  },
  getUser: {
    path: "/core/users/",
    one: "pk",
    filters: { username: "username" },
    query: { include_groups: "true", include_roles: "true" },
    noun: "users",
  },
};

/** Names of the outputs of a data source, by token, e.g. `authentik:index/getFlow:getFlow`. */
export function outputsOf(token: string): string[] {
  const functions: Readonly<Record<string, { outputs: { properties: object } }>> = schema.functions;
  return Object.keys(functions[token]?.outputs.properties ?? {});
}

/** Runs a data source; of a key pair it tells what its list does, so no certificate and no key. A 404 gives an empty result, as with the real provider. @throws when nothing matches */
export async function lookUp(api: Api, token: string, args: Values): Promise<Values> {
  const name = token.slice(token.lastIndexOf(":") + 1);
  const lookup = LOOKUPS[name];
  if (!lookup) throw new Error(`the stand-in for the authentik provider does not know the data source ${token}`);
  const { path, one } = lookup;
  const members = name === "getGroup" ? { ...MEMBERS, include_users: asText(args.includeUsers ?? true) } : {};

  const matches = async (): Promise<Values[] | undefined> => {
    if (!one || isEmpty(args[one])) return matchesOf(api, lookup, args, members);
    const found = await api.object({ method: "GET", path: `${path}${asText(args[one])}/`, query: members });
    return found && [found];
  };
  const found = await matches();
  if (!found) return {};
  const [first, ...others] = found;
  if (!first) throw new Error(`No matching ${lookup.noun} found`);
  if (one && others.length > 0) throw new Error(`Multiple ${lookup.noun.replace(/s?$/, "s")} found`);
  if (!isEmpty(args.managedLists)) return { ...args, id: "-1", ids: found.map((entry) => entry.pk ?? null) };

  const id = asText(first.pk);
  const outputs = outputsOf(token).map((output) => [
    output,
    plain(first[lookup.renamed?.[output] ?? wireName(output)]),
  ]);
  return { ...args, ...(Object.fromEntries(outputs.filter(([, value]) => value !== undefined)) as Values), id };
}

async function matchesOf(api: Api, lookup: Lookup, args: Values, query: Values): Promise<Values[] | undefined> {
  const { path, one, filters } = lookup;
  const given = Object.entries(filters).filter(([name]) => !isEmpty(args[name]));
  if (one && given.length === 0) throw new Error(`Neither ${one} nor ${Object.keys(filters).join(", ")} were provided`);
  if (!isEmpty(args.managedLists) && !isEmpty(args.name)) throw new Error('"managed_list": conflicts with name');
  const filtered: Values = Object.fromEntries(given.map(([name, parameter]) => [parameter, args[name]]));
  return api.list({ method: "GET", path, query: { ...query, ...lookup.query, ...filtered } });
}

/** Objects travel as JSON text. */
function plain(value: Value | undefined): Value | undefined {
  if (value === null || value === undefined || Array.isArray(value)) return value ?? undefined;
  return typeof value === "object" ? asText(value) : value;
}
