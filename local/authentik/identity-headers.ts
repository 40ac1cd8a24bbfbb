import type { Fields, OutpostSession } from "./objects.ts";
import type { Served } from "./served.ts";

/** Of authentik, as the double claims to be it. */
export const version = "2026.5.1";

/** All headers of a signed-in user, from the claims of the login; empty values are sent too. */
export function identityHeaders(
  { outpost, provider, application, authentikHost }: Served,
  { claims, idToken }: OutpostSession,
) {
  const text = (name: string) => (typeof claims[name] === "string" ? claims[name] : "");
  const list = (name: string) => (Array.isArray(claims[name]) ? claims[name].join("|") : "");
  const attributes = (claims["ak_proxy"] as { user_attributes?: Fields } | undefined)?.user_attributes ?? {};
  const additional = Object.entries((attributes["additionalHeaders"] as Fields | undefined) ?? {});
  return {
    "X-authentik-username": text("preferred_username"),
    "X-authentik-groups": list("groups"),
    "X-authentik-entitlements": list("entitlements"),
    "X-authentik-email": text("email"),
    "X-authentik-name": text("name"),
    "X-authentik-uid": text("sub"),
    "X-authentik-jwt": idToken,
    "X-authentik-meta-jwks": `${authentikHost}/application/o/${application.slug}/jwks/`,
    "X-authentik-meta-outpost": outpost.name,
    "X-authentik-meta-provider": provider.name,
    "X-authentik-meta-app": application.slug,
    "X-authentik-meta-version": `goauthentik.io/outpost/${version}`,
    ...Object.fromEntries(additional.map(([name, value]) => [name, typeof value === "string" ? value : ""])),
  };
}
