import { VERSION } from "../version.ts";
import type { Claims } from "./claims.ts";
import type { Configuration, Endpoints } from "./configuration.ts";

/**
 * All headers of a signed-in user, from the claims of the login, empty values included. Spellings of one name overwrite each other in the
 * random order of a Go map (`addHeaders` in internal/outpost/proxyv2/application/mode_common.go). Here the first one wins: that of an
 * attribute before that of a mapping.
 */
export function identityHeaders(
  configuration: Configuration,
  { jwks }: Endpoints,
  outpostName: string,
  claims: Claims,
): Record<string, string> {
  const additional = Object.entries(claims.ak_proxy.user_attributes["additionalHeaders"] ?? {});
  const authorization = basicAuthorization(configuration, claims);
  const headers = {
    "X-authentik-username": claims.preferred_username,
    "X-authentik-groups": claims.groups.join("|"),
    "X-authentik-entitlements": claims.entitlements.join("|"),
    "X-authentik-email": claims.email,
    "X-authentik-name": claims.name,
    "X-authentik-uid": claims.sub,
    "X-authentik-jwt": claims.raw_token,
    "X-authentik-meta-jwks": jwks,
    "X-authentik-meta-outpost": outpostName,
    "X-authentik-meta-provider": configuration.name,
    "X-authentik-meta-app": configuration.assigned_application_slug,
    "X-authentik-meta-version": `goauthentik.io/outpost/${VERSION}`,
    ...(authorization ? { Authorization: authorization } : {}),
    // Go writes text only; every other type becomes an empty value.
    ...Object.fromEntries(additional.map(([name, value]) => [name, typeof value === "string" ? value : ""])),
  };
  // Go removes names with an underscore, which some servers read as a hyphen, and does not write those that are not tokens.
  const written = Object.entries(headers).filter(([name]) => /^[!#$%&'*+.^`|~\w-]+$/.test(name) && !name.includes("_"));
  return Object.fromEntries(written.map(([name, value]): [string, string] => [canonical(name), value]).toReversed());
}

/** As `textproto.CanonicalMIMEHeaderKey` spells a token. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

function basicAuthorization(configuration: Configuration, { ak_proxy, email }: Claims): string | undefined {
  if (!configuration.basic_auth_enabled) return undefined;
  const attribute = (name: string) => ak_proxy.user_attributes[name];
  const password = attribute(configuration.basic_auth_password_attribute);
  const user = attribute(configuration.basic_auth_user_attribute);
  if (typeof password !== "string" || password === "") return undefined;
  return `Basic ${Buffer.from(`${typeof user === "string" ? user : email}:${password}`).toString("base64")}`;
}
