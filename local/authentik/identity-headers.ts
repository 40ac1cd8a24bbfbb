import type { Application, Fields, Outpost, OutpostSession, Provider } from "./objects.ts";

const version = "goauthentik.io/outpost/2026.5.0";

/** A provider that the embedded outpost serves, and the addresses that go with it. */
export type Served = {
  outpost: Outpost;
  provider: Provider;
  application: Application;
  scope: string;
  authentikHost: string;
};

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
    "X-authentik-meta-version": version,
    ...basicAuthorization(provider, attributes, text("email")),
    ...Object.fromEntries(additional.map(([name, value]) => [name, typeof value === "string" ? value : ""])),
  };
}

function basicAuthorization(provider: Provider, attributes: Fields, email: string): Record<string, string> {
  const password = attributes[provider.basic_auth_password_attribute];
  if (!provider.basic_auth_enabled || typeof password !== "string" || password === "") return {};
  const user = attributes[provider.basic_auth_user_attribute];
  const pair = `${typeof user === "string" ? user : email}:${password}`;
  return { Authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}
