import { z } from "zod";
import type { Plan } from "../../../../infra/plan/types.ts";
import { AuthentikApi } from "../../../clients/authentikApi.ts";
import { withClient } from "../../../clients/http.ts";
import { type Observation, observe } from "../observation.ts";

/** The fields of records that are kept; others contain secrets of clients and cookies. */
const named = { pk: z.number(), name: z.string() };
const PROXY = z.object({
  ...named,
  mode: z.string(),
  external_host: z.string(),
  cookie_domain: z.string().default(""),
  access_token_validity: z.string(),
});
const CLIENT = z.object({ ...named, redirect_uris: z.array(z.object({ url: z.string() })).default([]) });
const APPLICATION = z.object({ pk: z.string(), slug: z.string(), provider: z.number().nullable() });
const OUTPOST = z.object({
  name: z.string(),
  providers: z.array(z.number()),
  config: z.object({ authentik_host: z.string().default("") }),
});
const GROUP = z.object({ pk: z.string(), name: z.string() });
const BINDING = z.object({
  target: z.string(),
  group: z.string().nullable(),
  policy_obj: z.object({ name: z.string() }).nullable(),
  enabled: z.boolean(),
});

/** Records of the identity provider. */
export interface IdentityRecords {
  readonly proxies: readonly z.infer<typeof PROXY>[];
  readonly clients: readonly z.infer<typeof CLIENT>[];
  readonly applications: readonly z.infer<typeof APPLICATION>[];
  readonly outposts: readonly z.infer<typeof OUTPOST>[];
  /** Names of the bound groups and policies, by the `pk` of the application; disabled bindings are left out. */
  readonly bindings: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the records of the identity provider from its API.
 * @param url origin of the server
 * @param token its API token
 */
export function observeIdentity(
  url: string | undefined,
  token: Observation<string>,
): Promise<Observation<IdentityRecords>> {
  return observe("the identity provider's records", async () => {
    if (url === undefined) throw new Error("it is on no enabled domain");
    if ("unavailable" in token) throw new Error(`its API token is not available (${token.unavailable})`);
    return withClient((client) => records(new AuthentikApi(client, url, token.value)));
  });
}

/**
 * The origin that the identity provider builds its own addresses from. Django compares a browser's `Origin` with the same one, so another
 * than the browser's means "CSRF Failed: Origin checking failed" (authentik #3094, #4209).
 */
export function observeOwnOrigin({ identityProviderUrl, identitySlug }: Plan): Promise<Observation<string>> {
  return observe("the identity provider's own origin", async () => {
    if (identityProviderUrl === undefined) throw new Error("it is on no enabled domain");
    const url = `${identityProviderUrl}/application/o/${identitySlug}/.well-known/openid-configuration`;
    const answer = await withClient((client) => client.send(url));
    if (answer.status !== 200) throw new Error(`its OpenID configuration answers ${answer.status}`);
    const { issuer } = JSON.parse(answer.body) as { issuer: string };
    return new URL(issuer).origin;
  });
}

async function records(api: AuthentikApi): Promise<IdentityRecords> {
  const all = async <T>(path: string, schema: z.ZodType<T>, filters = {}): Promise<T[]> =>
    (await api.all<unknown>(path, filters)).map((record) => schema.parse(record));
  const [proxies, clients, applications, outposts, groups, bindings] = await Promise.all([
    all("/providers/proxy/", PROXY),
    all("/providers/oauth2/", CLIENT),
    all("/core/applications/", APPLICATION, { superuser_full_list: "true" }),
    all("/outposts/instances/", OUTPOST),
    all("/core/groups/", GROUP, { include_users: "false" }),
    all("/policies/bindings/", BINDING),
  ]);
  const names = new Map(groups.map(({ pk, name }) => [pk, name]));
  const bound = bindings.flatMap(({ target, group, policy_obj: policy, enabled }) => {
    const name = group === null ? policy?.name : (names.get(group) ?? group);
    return enabled && name !== undefined ? [{ target, name }] : [];
  });
  const byTarget = [...Map.groupBy(bound, ({ target }) => target)];
  return {
    ...{ proxies, clients, applications, outposts },
    bindings: new Map(byTarget.map(([target, list]) => [target, list.map(({ name }) => name)])),
  };
}
