import type { Claims } from "./claims.ts";
import { seconds } from "./duration.ts";
import { mappingsOf } from "./mappings.ts";
import type { Fields } from "./objects.ts";
import type { Client } from "./openidProvider.ts";
import { recordToken } from "./issuedTokens.ts";
import { tokenOwner } from "./users.ts";
import type { Store } from "./store.ts";

/**
 * Handles `grant_type=client_credentials` with `username` and, as `password`, an app password of that user, who must pass the
 * application's policies. As in authentik, no client secret is required. Undefined = invalid_grant.
 */
export function clientCredentials(
  store: Store,
  claims: Claims,
  { application, provider }: Client,
  body: Record<string, string>,
  origin: string,
): Fields | undefined {
  const user = tokenOwner(store, body["password"] ?? "", "app_password");
  if (!user || user.username !== body["username"] || !claims.mayAccess(application, user)) return undefined;
  const known = mappingsOf(store, provider).map(({ scope_name }) => scope_name);
  const scopes = (body["scope"] ?? "").split(" ").filter((scope) => known.includes(scope));
  const token = claims.mint({ provider, user, scopes, origin }, provider.access_token_validity);
  const expires_in = seconds(provider.access_token_validity);
  recordToken(store, provider, token, expires_in);
  return { access_token: token, token_type: "Bearer", scope: scopes.join(" "), expires_in, id_token: token };
}
