import { randomBytes, randomUUID } from "node:crypto";
import { describeCertificate } from "./certificate.ts";
import { fill } from "./description.ts";
import type { Claims } from "./claims.ts";
import { seconds } from "./duration.ts";
import { read } from "./objects.ts";
import { OUTPOST_PATH } from "./outpost/address.ts";
import type {
  Application,
  Binding,
  Fields,
  Kind,
  Kinds,
  KeyPair,
  Outpost,
  Provider,
  Stored,
  Token,
  User,
} from "./objects.ts";
import { serviceAccountOf } from "./permissions.ts";
import { directGroups, isSuperuser, uidOf } from "./users.ts";
import { ApiError } from "./apiError.ts";
import type { Random } from "./random.ts";
import type { Store } from "./store.ts";
import type { TaskSender } from "./tasks.ts";

export type Runtime = {
  store: Store;
  secretKey: string;
  tasks: TaskSender;
  claims: Claims;
  random: Random;
};
/** One kind of object of the REST API; `resources.yaml` documents the fields. */
export type Resource = {
  /** Below `/api/v3`. */
  path?: string;
  schema: string;
  kind: Kind;
  /** authentik's name of the model, as blueprints spell it. */
  model: string;
  key?: string;
  unique: string[];
  /** Fields that no two objects have in common (`unique_together`). */
  together?: string[];
  /** Fields that distinguish the objects of this resource from others of its kind. */
  where?: Fields;
  /** Fields of every new object. */
  initial?: Fields;
  /** Query parameters that filter the list, `field` or `field__lookup`; every other one is ignored. */
  filters: string[];
  /** Fields that the query parameter `search` searches. */
  search: string[];
  ordering: string;
  defaults: Fields;
  fixed?: Fields;
};

export const resources = read<Resource[]>("resources.yaml");
const proxyMappings = read<{ mappings?: Fields[] }[]>("defaults.yaml")
  .flatMap(({ mappings = [] }) => mappings)
  .filter(({ proxy }) => proxy)
  .map(({ managed }) => managed as string);

/** Returns a new object with the defaults of all fields. */
export function create({ store }: Runtime, { kind, defaults, where, initial }: Resource): Stored {
  const now = new Date().toISOString();
  const own: Partial<Record<Kind, () => Fields>> = {
    user: () => ({ uuid: randomUUID(), date_joined: now, last_updated: now, password_change_date: now }),
    group: () => ({ num_pk: store.next("group") }),
    provider: () => ({ client_id: secret(40), client_secret: secret(128), cookie_secret: secret(32) }),
    token: () => ({ key: secret(60) }),
  };
  const pk = kind === "user" || kind === "provider" ? store.next(kind) : randomUUID();
  return { ...structuredClone(defaults), ...where, ...initial, ...own[kind]?.(), pk };
}

/** Returns a new object by kind; for `provider`, a proxy provider. */
export function createOf<K extends Kind>(runtime: Runtime, kind: K): Kinds[K] {
  const resource = resources.find((candidate) => candidate.kind === kind);
  if (!resource) throw new Error(`no resource for ${kind}`);
  return create(runtime, resource) as Kinds[K];
}

/** Applies the rules of a write, which may change other objects. @throws ApiError */
export function settle(runtime: Runtime, { schema }: Resource, object: Stored): Stored {
  const { store } = runtime;
  for (const [name, value] of Object.entries(object)) {
    if (/_(validity|threshold|duration)$/.test(name)) refuseOtherThanDuration(name, value as string);
  }
  if (schema === "ProxyProvider") return settleProxy(store, object as Provider);
  if (schema === "OAuth2Provider") return settleOauth2(object as Provider);
  if (schema === "User") return { ...object, last_updated: new Date().toISOString() };
  if (schema === "Token") return settleToken(object as Token);
  if (schema === "Outpost") settleOutpost(runtime, object as Outpost);
  if (schema === "CertificateKeyPair") describeCertificate((object as KeyPair).certificate_data);
  const { users, ...group } = object;
  if (schema === "Group" && Array.isArray(users)) setMembers(store, String(group["pk"]), users as number[]);
  return schema === "Group" ? group : object;
}

function refuseOtherThanDuration(field: string, value: string): void {
  try {
    seconds(value);
  } catch {
    const message = `${value} is not in the correct format of 'hours=3;minutes=1'.`;
    throw new ApiError(400, { [field]: [message] });
  }
}

/** Returns the object with every field that the API schema requires. */
export function present(runtime: Runtime, { schema, fixed }: Resource, object: Stored): Fields {
  return fill(schema, { ...object, ...fixed, ...computed[schema]?.(runtime, object) });
}

const computed: Record<string, (runtime: Runtime, object: Stored) => Fields> = {
  Group: ({ store }, { pk }) => ({
    users: store.list("user").flatMap((user) => (user.groups.includes(String(pk)) ? user.pk : [])),
  }),
  User: presentUser,
  Application: ({ store }, application) => {
    const provider = store.get("provider", (application as Application).provider);
    const launch_url = application["meta_launch_url"] ?? provider?.external_host ?? null;
    const provider_obj = provider ? asProvider(store, provider) : null;
    return { launch_url, meta_icon_url: application["meta_icon"] || null, provider_obj };
  },
  ProxyProvider: ({ store }, provider) => presentProvider(store, provider as Provider),
  OAuth2Provider: ({ store }, provider) => presentProvider(store, provider as Provider),
  Outpost: ({ store }, outpost) => ({
    token_identifier: tokenIdentifierOf(outpost as Outpost),
    refresh_interval_s: seconds(((outpost as Outpost).config["refresh_interval"] as string | undefined) ?? "minutes=5"),
    providers_obj: (outpost as Outpost).providers.flatMap((id) => {
      const provider = store.get("provider", id);
      return provider ? asProvider(store, provider) : [];
    }),
  }),
  PolicyBinding: ({ store }, binding) => {
    const policy = store.get("policy", (binding as Binding).policy);
    return { policy_obj: policy ? fill("Policy", policy) : null };
  },
  ExpressionPolicy: ({ store }, { pk }) => ({
    bound_to: store.list("binding").filter(({ policy }) => policy === pk).length,
  }),
  Flow: (_, { pk }) => ({ policybindingmodel_ptr_id: pk }),
  CertificateKeyPair: (_, pair) => {
    const { certificate_data, key_data } = pair as KeyPair;
    return { ...describeCertificate(certificate_data), private_key_available: key_data !== "" };
  },
  Token: (runtime, token) => {
    const user = runtime.store.get("user", (token as Token).user);
    return { user_obj: user ? fill("User", { ...user, ...presentUser(runtime, user) }) : null };
  },
};

function presentUser(runtime: Runtime, stored: Stored): Fields {
  const user = stored as User;
  return {
    uid: uidOf(user, runtime.secretKey),
    is_superuser: isSuperuser(runtime.store, user),
    avatar: "/static/user.svg",
    email: user.email || undefined,
    groups_obj: directGroups(runtime.store, user).map((group) => fill("PartialGroup", group)),
  };
}

function presentProvider(store: Store, provider: Provider): Fields {
  const application = store.find("application", { provider: provider.pk });
  const outposts = store.list("outpost").filter(({ providers }) => providers.includes(provider.pk));
  return {
    assigned_application_slug: application?.slug ?? null,
    assigned_application_name: application?.name ?? null,
    outpost_set: outposts.map(({ name }) => name),
  };
}

function asProvider(store: Store, provider: Provider): Fields {
  const { fixed } = resources.find(({ where, initial }) => (where ?? initial)?.["model"] === provider.model) ?? {};
  return fill("Provider", { ...provider, ...fixed, ...presentProvider(store, provider) });
}

/** Sets the fields that the model decides, not the request (docs/authentik.md, REST API: `redirect_uri_type`). */
function settleProxy(store: Store, provider: Provider): Provider {
  const added = proxyMappings.flatMap((managed) => store.find("mapping", { managed })?.pk ?? []);
  const callback = `${provider.external_host.replace(/\/$/, "")}${OUTPOST_PATH}/callback`;
  return {
    ...provider,
    property_mappings: [...new Set([...provider.property_mappings, ...added])],
    redirect_uris: [callback, provider.external_host].map((url) => ({
      matching_mode: "strict",
      url: `${url}?X-authentik-auth-callback=true`,
      redirect_uri_type: "authorization",
    })),
  };
}

function settleOauth2(provider: Provider): Provider {
  const redirect_uris = provider.redirect_uris.map((uri) => ({ redirect_uri_type: "authorization", ...uri }));
  return { ...provider, redirect_uris };
}

/**
 * Sends the tasks that update outposts after a write: two for a proxy provider, whose serializer saves it twice. authentik sends none for deletes
 * and applications.
 */
export function saved({ store, tasks }: Runtime, { pk }: Stored, kind: Kind): void {
  if (kind === "outpost") tasks.send("outpost_send_update", String(pk));
  if (kind !== "provider") return;
  for (const outpost of store.list("outpost").filter(({ providers }) => providers.includes(pk as number))) {
    tasks.send("outpost_send_update", outpost.pk);
    tasks.send("outpost_send_update", outpost.pk);
  }
}

/** The default lifetime of a token that expires is a day. */
function settleToken(token: Token): Token {
  const aDay = new Date(Date.now() + seconds("days=1") * 1000).toISOString();
  return { ...token, expires: token.expiring ? (token.expires ?? aDay) : null };
}

/** Creates the service account and the token of an outpost. */
export function settleOutpost(runtime: Runtime, outpost: Outpost): void {
  const { store } = runtime;
  const username = serviceAccountOf(outpost);
  if (store.find("user", { username })) return;
  const name = `Outpost ${outpost.name} Service-Account`;
  const account = { username, name, type: "internal_service_account", path: "goauthentik.io/outposts" };
  const user = store.put("user", { ...createOf(runtime, "user"), ...account });
  const identifier = tokenIdentifierOf(outpost);
  store.put("token", { ...createOf(runtime, "token"), identifier, user: user.pk, expiring: false });
}

const tokenIdentifierOf = ({ pk }: Outpost) => `ak-outpost-${pk}-api`;

/** Replaces the members of a group. Membership is stored in the users. */
function setMembers(store: Store, group: string, users: number[]): void {
  for (const user of store.list("user")) {
    const others = user.groups.filter((id) => id !== group);
    const groups = users.includes(user.pk) ? [...others, group] : others;
    if (groups.length !== user.groups.length) store.put("user", { ...user, groups });
  }
}

function secret(length: number): string {
  return randomBytes(length).toString("base64url").slice(0, length);
}
