import type { Plan } from "../../../../infra/plan/types.ts";
import { type AuthentikApi, withAuthentik } from "../../../../infra/identity/authentikApi.ts";
import { withClient } from "../../../clients/http.ts";
import { type IdentityRecords, readIdentityRecords, requireSuperuser } from "../../../clients/identityRecords.ts";
import { type Observation, observe } from "../../observation.ts";

/** The records that causes compare with the plan. */
export interface ObservedRecords extends Pick<IdentityRecords, "proxies" | "clients" | "applications" | "outposts"> {
  /** Names of the bound groups and policies, by the `pk` of the application; disabled bindings are left out. */
  readonly bindings: ReadonlyMap<string, readonly string[]>;
  /** Names of all groups. */
  readonly groups: ReadonlySet<string>;
}

/**
 * Reads the records of the identity provider from its API.
 * @param url origin of the server
 * @param token its API token
 */
export function observeIdentity(
  url: string | undefined,
  token: Observation<string>,
): Promise<Observation<ObservedRecords>> {
  return observe("the identity provider's records", async () => {
    if (url === undefined) throw new Error("it is on no enabled domain");
    if ("unavailable" in token) throw new Error(`its API token is not available (${token.unavailable})`);
    return withAuthentik(url, token.value, records);
  });
}

/**
 * Reads the origin that the identity provider builds its own addresses from. Django compares a browser's `Origin` with the same one, so another
 * than the browser's means "CSRF Failed: Origin checking failed" (authentik #3094, #4209).
 */
export function observeOwnOrigin({ identityProviderUrl, identitySlug }: Plan): Promise<Observation<string>> {
  return observe("the identity provider's own origin", async () => {
    if (identityProviderUrl === undefined) throw new Error("it is on no enabled domain");
    const url = `${identityProviderUrl}/application/o/${identitySlug}/.well-known/openid-configuration`;
    const response = await withClient((client) => client.send(url));
    if (response.status !== 200) throw new Error(`its OpenID configuration answers ${response.status}`);
    const { issuer } = JSON.parse(response.body) as { issuer: string };
    return new URL(issuer).origin;
  });
}

async function records(api: AuthentikApi): Promise<ObservedRecords> {
  await requireSuperuser(api);
  const { proxies, clients, applications, outposts, groups, bindings } = await readIdentityRecords(api);
  const names = new Map(groups.map(({ pk, name }) => [pk, name]));
  const bound = bindings.flatMap(({ target, group, policy_obj: policy, enabled }) => {
    const name = group == null ? policy?.name : (names.get(group) ?? group);
    return enabled && name !== undefined ? [{ target, name }] : [];
  });
  const byTarget = [...Map.groupBy(bound, ({ target }) => target)];
  return {
    proxies,
    clients,
    applications,
    outposts,
    bindings: new Map(byTarget.map(([target, list]) => [target, list.map(({ name }) => name)])),
    groups: new Set(names.values()),
  };
}
