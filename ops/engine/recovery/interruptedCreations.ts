import type { Stack } from "@pulumi/pulumi/automation/index.js";
import pRetry from "p-retry";
import { AuthentikApi } from "../../clients/authentikApi.ts";
import { type HttpClient, withClient } from "../../clients/http.ts";
import type { Deployment, Resource } from "../state/state.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** A list of authentik with the objects of a type. */
interface List {
  readonly path: string;
  /** Inputs that distinguish one object from another; its fields have the same names. */
  readonly fields: readonly string[];
  /** Query parameters of the list, by the input whose value they take; not every list can filter by `name`. */
  readonly filters: Readonly<Record<string, string>>;
  /** Fields by their input that an object of another program with the same name has otherwise, e.g. ids of objects of this stack. */
  readonly own?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** The field that is the id. Default: `pk` */
  readonly id?: string;
}

const named = (path: string, filter = "name", own = {}): List => {
  return { path, fields: ["name"], filters: { name: filter }, own };
};
/** The second is not the default for a provider, neither in the API nor in the UI. */
const FLOWS = { authorizationFlow: "authorization_flow", invalidationFlow: "invalidation_flow" };

const USER = "authentik:index/user:User";

const LISTS: Readonly<Record<string, List>> = {
  [USER]: {
    path: "/core/users/",
    fields: ["username"],
    filters: { username: "username" },
    own: { type: "type", groups: "groups" },
  },
  "authentik:index/application:Application": {
    path: "/core/applications/",
    fields: ["slug"],
    filters: { slug: "slug" },
    own: { protocolProvider: "provider" },
    // Else it lists what the token's user may open.
    query: { superuser_full_list: "true" },
    id: "slug",
  },
  "authentik:index/token:Token": {
    path: "/core/tokens/",
    fields: ["identifier"],
    filters: { identifier: "identifier" },
    own: { user: "user" },
    id: "identifier",
  },
  "authentik:index/providerProxy:ProviderProxy": named("/providers/proxy/", "name__iexact", {
    ...FLOWS,
    externalHost: "external_host",
  }),
  "authentik:index/providerOauth2:ProviderOauth2": named("/providers/oauth2/", "name", FLOWS),
  "authentik:index/propertyMappingProviderScope:PropertyMappingProviderScope": named(
    "/propertymappings/provider/scope/",
    "name",
    { scopeName: "scope_name", expression: "expression" },
  ),
  "authentik:index/outpost:Outpost": named("/outposts/instances/", "name__iexact", { protocolProviders: "providers" }),
  "authentik:index/blueprint:Blueprint": named("/managed/blueprints/"),
  "authentik:index/policyExpression:PolicyExpression": named("/policies/expression/", "name", {
    expression: "expression",
  }),
  "authentik:index/policyBinding:PolicyBinding": {
    path: "/policies/bindings/",
    fields: ["target", "order", "group", "policy"],
    filters: { target: "target", order: "order" },
  },
};

/** Returns whether the ids of resources of a type are looked up in authentik. */
export function isLookedUp(type: string): boolean {
  return type in LISTS;
}

export function isProvider(type: string): boolean {
  return type.startsWith("pulumi:providers:");
}

/** Two minutes, because a pod of authentik may still be starting. */
const RETRIES = { retries: 60, factor: 1, minTimeout: 2_000, maxTimeout: 2_000 };

/**
 * Returns the existing resources as the state contains them, with the id from their inputs or from authentik. A component exists
 * once it is registered. Omits resources that do not exist, those that can safely be created again, and objects in authentik of the same name
 * that are not of this stack: the next run fails on their names instead of changing them.
 * @param creations creations of an interrupted deployment, dependencies first
 * @throws Error when a lookup in authentik fails for two minutes
 */
export async function existingResources(stack: Stack, creations: readonly Resource[]): Promise<Resource[]> {
  const lookedUp = creations.filter(({ type }) => isLookedUp(type));
  const found = lookedUp.length === 0 ? new Map<Resource, string>() : await lookUpIds(stack, lookedUp);
  return creations.flatMap((resource): Resource[] => {
    if (resource.custom === false) return [{ ...resource, inputs: {}, outputs: {} }];
    const id = resource.id ?? found.get(resource) ?? idFromInputs(resource.type, resource.inputs ?? {});
    if (id === undefined) return [];
    // A user's password is set by a second call, which may not have happened: without it here, the next run sets it.
    const { password, ...rest } = resource.inputs ?? {};
    const inputs = resource.type === USER || password === undefined ? rest : { ...rest, password };
    return [{ ...resource, id, inputs, outputs: inputs }];
  });
}

async function lookUpIds(stack: Stack, resources: readonly Resource[]): Promise<Map<Resource, string>> {
  const { deployment } = (await stack.exportStack()) as { deployment: Deployment };
  return withClient(async (client) => {
    const found = new Map<Resource, string>();
    for (const resource of resources) {
      const provider = deployment.resources?.find(({ urn, id }) => `${urn}::${id}` === resource.provider);
      const id = await pRetry(() => lookUp(client, provider?.inputs ?? {}, resource), RETRIES);
      if (id !== undefined) found.set(resource, id);
    }
    return found;
  });
}

async function lookUp(
  client: HttpClient,
  provider: Inputs,
  { type, inputs = {} }: Resource,
): Promise<string | undefined> {
  const { path, fields, filters, own = {}, query: more, id = "pk" } = LISTS[type] ?? named("");
  const url = plain(provider["url"]);
  const query = Object.entries(filters).map(([input, filter]) => [filter, String(inputs[input])]);
  const api = new AuthentikApi(client, url, plain(provider["token"]));
  const objects = await api
    .all<Inputs>(path, { ...(Object.fromEntries(query) as Record<string, string>), ...more })
    .catch((error: unknown) => {
      const { message } = error as Error;
      throw new Error(`cannot determine whether the interrupted deployment created a ${type} at ${url}: ${message}`);
    });
  // A field that the program leaves out is null in authentik.
  const isNamed = (object: Inputs) => fields.every((field) => comparable(object[field]) === comparable(inputs[field]));
  const isOwn = (object: Inputs) =>
    Object.entries(own).every(([input, field]) => {
      return inputs[input] === undefined || comparable(object[field]) === comparable(inputs[input]);
    });
  const match = objects.find((object) => isNamed(object) && isOwn(object));
  return match && String(match[id]);
}

/** Returns a value as it is compared: authentik has lists in any order. */
function comparable(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map(String).sort() : (value ?? null));
}

/** Returns a value of a state that was exported with its secrets. */
function plain(value: unknown): string {
  const secret = (value as { plaintext?: string } | undefined)?.plaintext;
  return secret === undefined ? String(value) : String(JSON.parse(secret));
}

/**
 * Returns the id of a resource from its inputs.
 * @returns undefined if it can safely be created again, or if the server generates the id
 */
function idFromInputs(type: string, inputs: Inputs): string | undefined {
  if (type.startsWith("kubernetes:")) {
    const { name, namespace } = (inputs["metadata"] ?? {}) as { name?: string; namespace?: string };
    return namespace === undefined ? name : `${namespace}/${name}`;
  }
  const text = (key: string): string => String(inputs[key]);
  switch (type) {
    case "postgresql:index/role:Role":
    case "postgresql:index/database:Database":
      return text("name");
    case "postgresql:index/schema:Schema":
      return `${text("database")}.${text("name")}`;
    default:
      return undefined;
  }
}
