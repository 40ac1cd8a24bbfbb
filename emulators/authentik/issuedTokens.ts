import { createHash } from "node:crypto";
import jwt from "jsonwebtoken";
import type { Fields, Provider } from "./objects.ts";
import type { Store } from "./store.ts";

/** Records an access token for `lifetime` seconds. @param opaque its name in the OpenID library */
export function recordToken(store: Store, provider: Provider, token: string, lifetime: number, opaque?: string): void {
  const payload = { provider: provider.pk, ...(opaque ? { opaque } : {}) };
  store.put("artifact", { pk: keyOf(token), exp: Date.now() / 1000 + lifetime, payload });
}

/** Returns the name of an access token in the OpenID library. */
export function opaqueOf(store: Store, token: string): string | undefined {
  return store.get("artifact", keyOf(token))?.payload["opaque"] as string | undefined;
}

/** Revokes an access token: introspection then reports it as inactive. */
export function revoke(store: Store, token: string): void {
  store.remove("artifact", keyOf(token));
}

/**
 * The claims of a provider's token that has time left, as introspection gives them: not of a token that another provider of the application
 * issued (authentik/providers/oauth2/views/introspection.py, `from_request`).
 */
export function introspected(store: Store, { pk, client_id }: Provider, token: string): Fields {
  const issued = store.get("artifact", keyOf(token));
  const isValid = issued && issued.payload["provider"] === pk && issued.exp > Date.now() / 1000;
  if (!isValid) return { active: false };
  const claims = jwt.decode(token) as Fields;
  return { ...claims, active: true, scope: claims["scope"] ?? "", client_id };
}

/** A digest: tokens are too long for a key of Postgres. */
const keyOf = (token: string) => `IssuedToken:${createHash("sha256").update(token).digest("hex")}`;
