/** Who may open an application of authentik, as far as an entry of `protected_services` can express it. */
import { NO_OPEN_PATHS } from "../../protections/forwardAuth.ts";
import { isSimplePath } from "./publicPaths.ts";
import type { Application, ClientRecord, IdentityRecords, ProxyRecord } from "../clients/identityRecords.ts";
import type { ServiceOutpost } from "./outpost.ts";
import type { Protocol } from "./source.ts";

/** Flows of a new authentik. Gatehouse uses the first one (infra/identity/defaults.ts). */
const AUTHORIZATION_FLOWS = ["implicit", "explicit"].map((name) => `default-provider-authorization-${name}-consent`);
const AUTHENTIK = "its backend is the server of authentik, which gatehouse:identity_provider is about";
const STANDARD_SCOPES = new Set(["openid", "email", "profile"]);

/** What of an entry comes from an application. */
export interface ImportedAccess {
  readonly application: Application;
  readonly groups: readonly string[];
  readonly session: string;
  readonly publicPaths: readonly string[];
  readonly protocol: Protocol;
  readonly differences: readonly string[];
}

interface ClientAccess extends Omit<ImportedAccess, "session" | "publicPaths"> {
  readonly provider: ClientRecord;
  readonly redirectPath: string;
  readonly scopes: readonly string[];
}

/**
 * Returns the application that an outpost checks for a host, or why it cannot be an entry.
 * @param by `proxy`: the outpost serves the host itself; `forward auth`: Traefik asks the outpost
 */
export function proxyAccess(
  host: string,
  records: IdentityRecords | string,
  outpost: ServiceOutpost,
  by: "proxy" | "forward auth",
): (ImportedAccess & { readonly internalHost: string }) | string {
  const serves = by === "proxy";
  if (typeof records === "string") return serves && outpost.embedded ? AUTHENTIK : unknownGroups(records);
  // Compared before any cookie domain, in every mode (authentik, internal/outpost/proxyv2/handlers.go).
  const own = records.proxies.filter((proxy) => hostOf(proxy.external_host) === host);
  if (serves && outpost.embedded && !own.some(({ mode }) => mode === "proxy")) return AUTHENTIK;
  const [provider, ...others] = own.length > 0 ? own : records.proxies.filter((proxy) => isInDomain(host, proxy));
  if (provider === undefined) return "authentik has no proxy provider for its host";
  if (others.length > 0) return "authentik has several proxy providers for its host";
  const name = `provider "${provider.name}" of authentik`;
  if (provider.mode === "proxy" && !serves) return `its ${name} proxies requests itself`;
  if (provider.mode !== "proxy" && serves) return `its backend is an outpost, but its ${name} proxies no requests`;
  if (provider.basic_auth_enabled) return `its ${name} sends a password to the application`;
  const outposts = records.outposts.filter(({ providers }) => providers.includes(provider.pk));
  if (outposts.length === 0) return `its ${name} is in no outpost`;
  if (!outposts.some(outpost.is))
    return `its ${name} is in another outpost than that of its ${serves ? "route" : "forward auth"}`;
  if (serves) {
    const custom = records.scopes.filter(
      ({ pk, managed }) => managed == null && provider.property_mappings.includes(pk),
    );
    if (custom.length > 0)
      return `its ${name} has custom scope mappings, which can choose another backend (ak_proxy.backend_override)`;
  }
  const access = accessTo(provider, records);
  if (typeof access === "string") return access;
  const { paths, differences } = skippedPaths(provider);
  const domain =
    provider.mode === "forward_domain"
      ? [`a session is valid for this host only, no longer for all of ${provider.cookie_domain}`]
      : [];
  return {
    ...access,
    session: provider.access_token_validity,
    internalHost: provider.internal_host,
    publicPaths: paths,
    protocol: provider.external_host.startsWith("https:") ? "https" : "http",
    differences: [...access.differences, ...differences, ...domain],
  };
}

/** Returns why the groups of an application are not known. @param reason why authentik was not read */
export function unknownGroups(reason: string): string {
  return `the groups of its application are not known: ${reason}`;
}

/** Returns the application that is an OpenID Connect client with a callback on the host; undefined if there is none. */
export function clientAccess(host: string, records: IdentityRecords | string): ClientAccess | string | undefined {
  if (typeof records === "string") return undefined;
  const found = records.clients.filter(({ redirect_uris: uris }) => uris.some(({ url }) => hostOf(url) === host));
  const [provider, ...others] = found;
  if (provider === undefined) return undefined;
  const name = `provider "${provider.name}" of authentik`;
  if (others.length > 0) return "authentik has several OAuth2 providers for its host";
  const [uri, ...more] = provider.redirect_uris.filter(({ url }) => hostOf(url) === host);
  if (uri === undefined || more.length > 0)
    return `its ${name} has several redirect URIs on its host, and an entry has one`;
  if (uri.matching_mode !== "strict") return `its ${name} has a redirect URI that is a pattern`;
  const access = accessTo(provider, records);
  if (typeof access === "string") return access;
  const mappings = records.scopes.filter(({ pk }) => provider.property_mappings.includes(pk));
  const wanted = mappings.filter(({ scope_name: scope }) => !STANDARD_SCOPES.has(scope));
  const custom = mappings.filter(({ managed }) => managed == null).map(({ scope_name: scope }) => scope);
  const omitted =
    custom.length === 0 ? [] : [`custom scope mappings (${custom.join(", ")}) are not part of the new client`];
  const signedOut =
    provider.logout_uris.length === 0
      ? []
      : [`addresses after a sign-out (${provider.logout_uris.join(", ")}) are not part of the new client`];
  const scopes = [...new Set(wanted.filter(({ managed }) => managed != null).map(({ scope_name: scope }) => scope))];
  const { pathname, protocol } = new URL(uri.url);
  return {
    ...access,
    provider,
    scopes,
    redirectPath: pathname,
    protocol: protocol === "https:" ? "https" : "http",
    differences: [...access.differences, ...omitted, ...signedOut],
  };
}

/** Returns the application of a provider with its allowed groups, or why they cannot be written. */
function accessTo(provider: ProxyRecord | ClientRecord, records: IdentityRecords) {
  // Of every kind of provider (authentik/policies/views.py, handle_no_permission).
  if (provider.authentication_flow != null)
    return `its provider "${provider.name}" of authentik has an authentication flow`;
  const application = records.applications.find((one) => one.provider === provider.pk);
  if (application === undefined) return `provider "${provider.name}" of authentik has no application`;
  const name = `application "${application.slug}" of authentik`;
  const flow = records.flows.find(({ pk }) => pk === provider.authorization_flow)?.slug ?? "";
  const [implicit, explicit] = AUTHORIZATION_FLOWS;
  if (flow !== implicit && flow !== explicit) return `provider "${provider.name}" of authentik has the flow "${flow}"`;
  const bindings = records.bindings.filter(({ target, enabled }) => enabled && target === application.pk);
  if (bindings.some(({ policy }) => policy != null)) return `its ${name} has a policy; an entry has groups only`;
  if (bindings.some(({ user }) => user != null)) return `its ${name} is bound to a user; an entry has groups only`;
  if (bindings.some(({ negate }) => negate)) return `its ${name} has a negated binding`;
  if (application.policy_engine_mode !== "any" && bindings.length > 1) {
    return `its ${name} requires all of its groups; an entry allows users of any one`;
  }
  const groups: string[] = [];
  for (const { group } of bindings) {
    const found = records.groups.find(({ pk }) => pk === group);
    if (found === undefined) return `its ${name} is bound to a group that cannot be read`;
    groups.push(found.name);
  }
  const consent = `users are no longer asked for their consent at the first login, and policies and stages that were bound to the flow "${explicit}" no longer apply`;
  return { application, groups: [...new Set(groups)].sort(), differences: flow === explicit ? [consent] : [] };
}

/**
 * Returns the paths that an outpost leaves open (authentik docs, "Unauthenticated paths"): one regular expression on each line, spaces included. In mode
 * `forward_domain` it is compared with the whole URL (internal/outpost/proxyv2/application/mode_common.go). The expression of Gatehouse's own providers
 * opens none.
 */
function skippedPaths({ skip_path_regex: lines, mode }: ProxyRecord) {
  const patterns = lines.split("\n").filter((line) => line !== "" && line !== NO_OPEN_PATHS);
  const prefixOf = (pattern: string): string | undefined =>
    mode === "forward_domain" ? undefined : simplePrefix(pattern);
  const paths = patterns.flatMap((pattern) => prefixOf(pattern) ?? []);
  const differences = patterns.flatMap((pattern) => {
    const path = prefixOf(pattern);
    if (path === undefined)
      return [`the open paths ${pattern} require a session, because no path prefix opens only them`];
    const isWider = !path.endsWith("/") && !/\(\/\.\*\)\?\$$|\(\/\|\$\)$/.test(pattern);
    return isWider ? [`of the open paths ${pattern} only ${path} and ${path}/… stay open`] : [];
  });
  return { paths, differences };
}

/** Returns the prefix of a pattern that opens at least what `public_paths` opens. */
function simplePrefix(pattern: string): string | undefined {
  const [, path = ""] =
    /^\^((?:\/(?:[A-Za-z0-9_~-]|\\\.)+)+\/?)(?:\.\*\$?|\(\/\.\*\)\?\$|\(\/\|\$\))?$/.exec(pattern) ?? [];
  const plain = path.replaceAll("\\.", ".");
  return isSimplePath(plain) ? plain : undefined;
}

function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

/** Returns whether an outpost can select a provider for a host: it compares the end of the host, also within a label (lookupApp in the same file). */
function isInDomain(host: string, { mode, cookie_domain: domain }: ProxyRecord): boolean {
  const end = domain.replace(/^\./, "");
  return mode === "forward_domain" && end !== "" && host.endsWith(end);
}
