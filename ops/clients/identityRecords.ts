/** The records of authentik that decide who may open an application. */
import { z } from "zod";
import type { AuthentikApi } from "../../infra/identity/authentikApi.ts";

/** The fields that are kept; others contain secrets of clients and cookies. */
const provider = {
  pk: z.number(),
  name: z.string(),
  authorization_flow: z.string(),
  authentication_flow: z.string().nullish(),
  access_token_validity: z.string(),
};
const PROXY = z.object({
  ...provider,
  mode: z.string(),
  external_host: z.string(),
  internal_host: z.string().default(""),
  property_mappings: z.array(z.string()).default([]),
  cookie_domain: z.string().default(""),
  skip_path_regex: z.string().default(""),
  basic_auth_enabled: z.boolean().default(false),
});
const REDIRECT_URI = z.object({
  url: z.string(),
  matching_mode: z.string(),
  redirect_uri_type: z.enum(["authorization", "logout"]).default("authorization"),
});
/** `redirect_uris` are those of the sign-in, `logout_uris` those after a sign-out: authentik lists both in one field. */
const CLIENT = z
  .object({
    ...provider,
    client_type: z.enum(["confidential", "public"]).default("confidential"),
    refresh_token_validity: z.string(),
    sub_mode: z.string(),
    property_mappings: z.array(z.string()).default([]),
    redirect_uris: z.array(REDIRECT_URI).default([]),
  })
  .transform(({ redirect_uris: uris, ...client }) => ({
    ...client,
    redirect_uris: uris
      .filter(({ redirect_uri_type: type }) => type === "authorization")
      .map(({ url, matching_mode }) => ({ url, matching_mode })),
    logout_uris: uris.filter(({ redirect_uri_type: type }) => type === "logout").map(({ url }) => url),
  }));
const APPLICATION = z.object({
  pk: z.string(),
  slug: z.string(),
  name: z.string(),
  provider: z.number().nullish(),
  meta_description: z.string().default(""),
  policy_engine_mode: z.string().default("any"),
});
const BINDING = z.object({
  target: z.string(),
  enabled: z.boolean(),
  negate: z.boolean().default(false),
  policy: z.string().nullish(),
  policy_obj: z.object({ name: z.string() }).nullish(),
  group: z.string().nullish(),
  user: z.number().nullish(),
  user_obj: z.object({ username: z.string() }).nullish(),
});
const NAMED = z.object({ pk: z.string(), name: z.string() });
const FLOW = z.object({ pk: z.string(), slug: z.string() });
const SCOPE = z.object({ pk: z.string(), scope_name: z.string(), managed: z.string().nullish() });
export const OUTPOST = z.object({
  pk: z.string(),
  name: z.string(),
  managed: z.string().nullable(),
  providers: z.array(z.number()),
  config: z.object({ authentik_host: z.string().default("") }),
});

/** `managed` of the outpost in the server of authentik. */
export const EMBEDDED_OUTPOST = "goauthentik.io/outposts/embedded";

export type Application = z.output<typeof APPLICATION>;
export type ProxyRecord = z.output<typeof PROXY>;
export type OutpostRecord = z.output<typeof OUTPOST>;
export type ClientRecord = z.output<typeof CLIENT>;

export type IdentityRecords = Awaited<ReturnType<typeof readIdentityRecords>>;

const SELF = z.object({ user: z.object({ is_superuser: z.boolean() }) });

/**
 * Checks that the user of a token is a superuser.
 * For other users the lists contain what they may view only, and a missing binding would read as a missing restriction.
 * @throws Error when the token is not a superuser's, or when the server does not answer
 */
export async function requireSuperuser(api: AuthentikApi): Promise<void> {
  if (!SELF.parse(await api.one("/core/users/me/")).user.is_superuser)
    throw new Error("its token is not a superuser's");
}

/** Reads the records of authentik from its API. @throws Error when the server does not answer, or with other records than expected */
export async function readIdentityRecords(api: AuthentikApi) {
  const all = async <T>(path: string, schema: z.ZodType<T>, filters = {}): Promise<readonly T[]> =>
    (await api.all<unknown>(path, filters)).map((record) => schema.parse(record));
  const [applications, proxies, clients, bindings, groups, flows, scopes, outposts] = await Promise.all([
    all("/core/applications/", APPLICATION, { superuser_full_list: "true" }),
    all("/providers/proxy/", PROXY),
    all("/providers/oauth2/", CLIENT),
    all("/policies/bindings/", BINDING),
    all("/core/groups/", NAMED, { include_users: "false" }),
    all("/flows/instances/", FLOW),
    all("/propertymappings/provider/scope/", SCOPE),
    all("/outposts/instances/", OUTPOST),
  ]);
  // The API lists proxy providers as clients, too.
  const isProxy = new Set(proxies.map(({ pk }) => pk));
  const others = clients.filter(({ pk }) => !isProxy.has(pk));
  return { applications, proxies, clients: others, bindings, groups, flows, scopes, outposts };
}
