import type { Plan } from "../../../../infra/plan/types.ts";
import { AuthentikApi } from "../../../clients/authentikApi.ts";
import { withClient } from "../../../clients/http.ts";
import type { IdentityRecords, Observation, OutpostRecord, ProxyRecord } from "../evidence.ts";
import { look } from "../observation.ts";

/** Records as the API gives them; what is not named is not taken. */
interface Named {
  readonly pk: number;
  readonly name: string;
}
interface Proxy extends Named {
  readonly mode: string;
  readonly external_host: string;
  readonly cookie_domain?: string;
  readonly access_token_validity: string;
}
interface Client extends Named {
  readonly redirect_uris?: readonly { readonly url: string }[];
}
interface Application {
  readonly pk: string;
  readonly slug: string;
  readonly provider: number | null;
}
interface Outpost {
  readonly name: string;
  readonly providers: readonly number[];
  readonly config?: { readonly authentik_host?: string };
}
interface Binding {
  readonly target: string;
  readonly group: string | null;
  readonly enabled: boolean;
}

/**
 * What the identity provider holds, by its API. Of its answers, which carry secrets of clients and cookies, only the named fields are taken.
 * @param url origin of the server
 * @param token undefined when it is not available
 */
export function observeIdentity(
  url: string | undefined,
  token: Observation<string>,
): Promise<Observation<IdentityRecords>> {
  return look("the identity provider's records", async () => {
    if (url === undefined) throw new Error("it is on no enabled domain");
    if ("unseen" in token) throw new Error(`its API token is not available (${token.unseen})`);
    return withClient((client) => records(new AuthentikApi(client, url, token.seen)));
  });
}

/**
 * The origin that the identity provider builds its own addresses from. Django compares a browser's `Origin` with the same one, so another
 * than the browser's means "CSRF Failed: Origin checking failed" (authentik #3094, #4209).
 */
export function observeOwnOrigin({ identityProviderUrl, identitySlug }: Plan): Promise<Observation<string>> {
  return look("the identity provider's own origin", async () => {
    if (identityProviderUrl === undefined) throw new Error("it is on no enabled domain");
    const url = `${identityProviderUrl}/application/o/${identitySlug}/.well-known/openid-configuration`;
    const answer = await withClient((client) => client.send(url));
    if (answer.status !== 200) throw new Error(`its OpenID configuration answers ${answer.status}`);
    const { issuer } = JSON.parse(answer.body) as { issuer: string };
    return new URL(issuer).origin;
  });
}

async function records(api: AuthentikApi): Promise<IdentityRecords> {
  const { version_current: version } = await api.one<{ version_current: string }>("/admin/version/");
  const [proxies, clients, applications, outposts, groups, bindings] = await Promise.all([
    api.all<Proxy>("/providers/proxy/"),
    api.all<Client>("/providers/oauth2/"),
    api.all<Application>("/core/applications/", { superuser_full_list: "true" }),
    api.all<Outpost>("/outposts/instances/"),
    api.all<{ pk: string; name: string }>("/core/groups/", { include_users: "false" }),
    api.all<Binding>("/policies/bindings/"),
  ]);
  return {
    version,
    proxies: proxies.map(proxyOf),
    clients: clients.map(({ pk, name, redirect_uris }) => ({
      ...{ id: pk, name },
      redirectUris: (redirect_uris ?? []).map(({ url }) => url),
    })),
    applications: applications.map(({ pk, slug, provider }) => ({ id: pk, slug, provider })),
    outposts: outposts.map(outpostOf),
    bindings: boundGroups(bindings, new Map(groups.map(({ pk, name }) => [pk, name]))),
  };
}

function proxyOf(record: Proxy): ProxyRecord {
  const { pk, name, mode, external_host, cookie_domain, access_token_validity } = record;
  const { externalHost, cookieDomain } = { externalHost: external_host, cookieDomain: cookie_domain ?? "" };
  return { id: pk, name, mode, externalHost, cookieDomain, session: access_token_validity };
}

function outpostOf({ name, providers, config }: Outpost): OutpostRecord {
  return { name, providers, authentikHost: config?.authentik_host ?? "" };
}

function boundGroups(bindings: readonly Binding[], names: ReadonlyMap<string, string>): Map<string, string[]> {
  const bound = new Map<string, string[]>();
  for (const { target, group, enabled } of bindings) {
    if (enabled && group !== null) bound.set(target, [...(bound.get(target) ?? []), names.get(group) ?? group]);
  }
  return bound;
}
