/** The objects of authentik that Gatehouse creates, and how one of a name is found. */
import { type AuthentikApi, StatusError } from "../../infra/identity/authentikApi.ts";

type Inputs = Readonly<Record<string, unknown>>;

/** A list of authentik with the objects of a type. */
interface List {
  readonly path: string;
  /** Inputs that distinguish one object from another; its fields have the same names. */
  readonly fields: readonly string[];
  /** Query parameters of the list, by the input whose value they take; not every list can filter by `name`. */
  readonly filters: Readonly<Record<string, string>>;
  /** The filter that names another object. authentik answers 400 if that does not exist (django-filter, `ModelChoiceFilter`). */
  readonly reference?: string;
  /** Further fields by their input, each of which two objects cannot have in common. */
  readonly unique?: Readonly<Record<string, string>>;
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

export const USER = "authentik:index/user:User";

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
  "authentik:index/providerOauth2:ProviderOauth2": {
    ...named("/providers/oauth2/", "name", FLOWS),
    unique: { clientId: "client_id" },
  },
  "authentik:index/propertyMappingProviderScope:PropertyMappingProviderScope": named(
    "/propertymappings/provider/scope/",
    "name",
    { scopeName: "scope_name", expression: "expression" },
  ),
  "authentik:index/outpost:Outpost": named("/outposts/instances/", "name__iexact", { protocolProviders: "providers" }),
  "authentik:index/policyExpression:PolicyExpression": named("/policies/expression/", "name", {
    expression: "expression",
  }),
  "authentik:index/policyBinding:PolicyBinding": {
    path: "/policies/bindings/",
    fields: ["target", "order", "group", "policy"],
    filters: { target: "target", order: "order" },
    reference: "target",
  },
};

/** Returns whether the ids of resources of a type are looked up in authentik. */
export function isLookedUp(type: string): boolean {
  return type in LISTS;
}

/** Returns how objects of a type are listed; the type must be one that {@link isLookedUp}. */
export function listOf(type: string): List {
  return LISTS[type] ?? named("");
}

/**
 * Returns the objects that have the name of a planned one: the server accepts no second one.
 * @param type one that {@link isLookedUp}
 * @param inputs of the resource
 * @throws Error when the server does not answer
 */
export async function objectsNamed(api: AuthentikApi, type: string, inputs: Inputs): Promise<Inputs[]> {
  const { path, fields, filters, reference = "", query } = listOf(type);
  const filtered = Object.entries(filters).map(([input, filter]) => [filter, String(inputs[input])]);
  const parameters = { ...(Object.fromEntries(filtered) as Record<string, string>), ...query };
  const objects = await api.all<Inputs>(path, parameters).catch((error: unknown) => {
    // No object refers to one that does not exist.
    if (error instanceof StatusError && error.refused.includes(reference)) return [];
    throw error;
  });
  // A field that the program leaves out is null in authentik.
  return objects.filter((object) => fields.every((field) => comparable(object[field]) === comparable(inputs[field])));
}

/**
 * Returns the fields of a planned object that another one has, and of which the server accepts no second one: its name, or another unique field.
 * @throws Error when the server does not answer
 */
export async function takenFields(api: AuthentikApi, type: string, inputs: Inputs): Promise<string[]> {
  const { path, fields, unique = {} } = listOf(type);
  const taken = async ([input, field]: readonly [string, string]): Promise<string[]> => {
    const value = inputs[input];
    if (typeof value !== "string") return [];
    const objects = await api.all<Inputs>(path, { [field]: value });
    return objects.some((object) => object[field] === value) ? [input] : [];
  };
  const isNamed = (await objectsNamed(api, type, inputs)).length > 0;
  const others = await Promise.all(Object.entries(unique).map(taken));
  return [...(isNamed ? fields.slice(0, 1) : []), ...others.flat()];
}

/** Returns a value as it is compared: authentik has lists in any order. */
export function comparable(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.map(String).sort() : (value ?? null));
}
