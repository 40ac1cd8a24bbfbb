import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { describeCertificate } from "./certificate.ts";
import { fill } from "./description.ts";
import type { Application, Fields, Kind, KeyPair, Outpost, Provider, Stored, Token, User } from "./objects.ts";
import { directGroups, isSuperuser, members, uidOf } from "./people.ts";
import type { Store } from "./store.ts";

export type World = { store: Store; secretKey: string };
/** One kind of object of the REST API; `resources.yaml` says what the fields mean. */
export type Resource = {
  path: string;
  schema: string;
  kind: Kind;
  /** authentik's name of the model, as blueprints spell it. */
  model: string;
  key?: string;
  unique: string[];
  where?: Fields;
  defaults: Fields;
  fixed?: Fields;
};

export const resources = read<Resource[]>("resources.yaml");
const initial = read<{ flows: Fields[]; mappings: Fields[] }>("bootstrap.yaml");
export const stockFlows = initial.flows;
export const stockMappings = initial.mappings;

/** A new object, whole but for what the request says. */
export function create({ store }: World, { kind, defaults, where }: Resource): Stored {
  const now = new Date().toISOString();
  const own: Partial<Record<Kind, () => Fields>> = {
    user: () => ({ uuid: store.uuid(), date_joined: now, last_updated: now, password_change_date: now }),
    group: () => ({ num_pk: store.next("group") }),
    provider: () => ({ client_id: secret(40), client_secret: secret(128), cookie_secret: secret(32) }),
    token: () => ({ key: secret(60) }),
  };
  const pk = kind === "user" || kind === "provider" ? store.next(kind) : store.uuid();
  return { ...structuredClone(defaults), ...where, ...own[kind]?.(), pk };
}

/** What authentik does on every write; may change other objects. */
export function settle({ store }: World, { schema }: Resource, object: Stored): Stored {
  if (schema === "ProxyProvider") return settleProxy(store, object as Provider);
  if (schema === "User") return { ...object, last_updated: new Date().toISOString() };
  const { users, ...group } = object;
  if (schema === "Group" && Array.isArray(users)) setMembers(store, String(group["pk"]), users as number[]);
  return schema === "Group" ? group : object;
}

/** A full answer: every field that the description requires. */
export function present(world: World, resource: Resource, object: Stored, query = new URLSearchParams()): Fields {
  return fill(resource.schema, { ...object, ...resource.fixed, ...computed[resource.schema]?.(world, object, query) });
}

const computed: Record<string, (world: World, object: Stored, query: URLSearchParams) => Fields> = {
  Group: (world, group, query) => {
    const users = members(world.store, String(group.pk));
    const children = world.store.list("group").filter(({ parents }) => parents.includes(String(group.pk)));
    const shown = query.get("include_users") !== "false";
    const users_obj = shown ? users.map((user) => partialUser(world, user)) : null;
    return { users: users.map((user) => user.pk), users_obj, children: children.map((child) => child.pk) };
  },
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
    token_identifier: `ak-outpost-${outpost.pk}-api`,
    providers_obj: (outpost as Outpost).providers.flatMap((id) => {
      const provider = store.get("provider", id);
      return provider ? asProvider(store, provider) : [];
    }),
  }),
  Flow: (_, flow) => ({
    policybindingmodel_ptr_id: flow.pk,
    export_url: `/api/v3/flows/instances/${String(flow["slug"])}/export/`,
  }),
  PolicyBinding: (world, binding) => {
    const group = world.store.get("group", binding["group"] as string | null);
    const user = world.store.get("user", binding["user"] as number | null);
    return { group_obj: group ? fill("PartialGroup", group) : null, user_obj: user ? partialUser(world, user) : null };
  },
  CertificateKeyPair: (_, pair) => {
    const { certificate_data, key_data, pk } = pair as KeyPair;
    const url = `/api/v3/crypto/certificatekeypairs/${pk}`;
    return {
      ...describeCertificate(certificate_data),
      private_key_available: key_data !== "",
      certificate_download_url: `${url}/view_certificate/?download`,
      private_key_download_url: `${url}/view_private_key/?download`,
    };
  },
  Brand: (_, brand) => ({ brand_uuid: brand.pk }),
  Token: (world, token) => {
    const user = world.store.get("user", (token as Token).user);
    return { user_obj: user ? fill("User", { ...user, ...presentUser(world, user) }) : null };
  },
};

function presentUser(world: World, stored: Stored): Fields {
  const user = stored as User;
  return {
    uid: uidOf(user, world.secretKey),
    is_superuser: isSuperuser(world.store, user),
    avatar: "/static/user.svg",
    email: user.email || undefined,
    groups_obj: directGroups(world.store, user).map((group) => fill("PartialGroup", group)),
  };
}

function partialUser({ secretKey }: World, user: User): Fields {
  return fill("PartialUser", { ...user, email: user.email || undefined, uid: uidOf(user, secretKey) });
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
  const { fixed } = resources.find(({ where }) => where?.["model"] === provider.model) ?? {};
  return fill("Provider", { ...provider, ...fixed, ...presentProvider(store, provider) });
}

function settleProxy(store: Store, provider: Provider): Provider {
  const added = stockMappings
    .filter(({ proxy }) => proxy)
    .flatMap(({ managed }) => store.find("mapping", { managed: String(managed as string) })?.pk ?? []);
  const url = `${provider.external_host.replace(/\/$/, "")}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true`;
  return {
    ...provider,
    property_mappings: [...new Set([...provider.property_mappings, ...added])],
    redirect_uris: [{ matching_mode: "strict", url }],
  };
}

/** Membership is one relation, kept on the users' side: this replaces the group's side of it. */
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

function read<T>(file: string): T {
  return parse(readFileSync(new URL(file, import.meta.url), "utf8")) as T;
}
