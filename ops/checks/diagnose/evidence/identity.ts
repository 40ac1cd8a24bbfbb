import type { Plan } from "../../../../infra/plan/types.ts";
import { type AuthentikApi, withAuthentik } from "../../../../infra/identity/authentikApi.ts";
import { withClient } from "../../../clients/http.ts";
import { type IdentityRecords, readIdentityRecords, requireSuperuser } from "../../../clients/identityRecords.ts";
import { type Observation, observe } from "../../observation.ts";

/** What the users of an application are bound to. */
export interface ObservedBinding {
  readonly kind: "policy" | "group" | "user";
  readonly name: string;
  /** Whether it admits the users that it would refuse, and refuses the others. */
  readonly negate: boolean;
}

/** The records that causes compare with the plan. */
export interface ObservedRecords extends Pick<IdentityRecords, "proxies" | "clients" | "applications" | "outposts"> {
  /** By the `pk` of the application; disabled bindings are left out. */
  readonly bindings: ReadonlyMap<string, readonly ObservedBinding[]>;
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
  const bound = bindings
    .filter(({ enabled }) => enabled)
    .flatMap((binding) => {
      const { target, negate, policy_obj: policy, group, user } = binding;
      const one = (kind: ObservedBinding["kind"], name: string) => ({ target, binding: { kind, name, negate } });
      // The API can leave the group of a binding next to a new policy, and both admit (docs/authentik.md).
      return [
        ...(group == null ? [] : [one("group", names.get(group) ?? group)]),
        ...(policy == null ? [] : [one("policy", policy.name)]),
        ...(user == null ? [] : [one("user", binding.user_obj?.username ?? String(user))]),
      ];
    });
  const byTarget = [...Map.groupBy(bound, ({ target }) => target)];
  return {
    proxies,
    clients,
    applications,
    outposts,
    bindings: new Map(byTarget.map(([target, list]) => [target, list.map(({ binding }) => binding)])),
    groups: new Set(names.values()),
  };
}
