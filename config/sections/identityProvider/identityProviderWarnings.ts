/** Warnings of the section `identity_provider`. */
import { isIP, isIPv6 } from "node:net";
import { isTailnet } from "../../schema/dnsName.ts";
import { seconds } from "../../schema/duration.ts";
import { isNetworkWithin, PRIVATE_NETWORKS } from "../../schema/networks.ts";
import type { Settings } from "../../settings.ts";
import { mostReachable } from "../domains/domainKinds.ts";

/** Warns of a sign-in domain that the users of another one may not reach, of sessions that end with that at authentik, and of addresses without TLS. */
export function identityProviderWarnings({
  identityProvider,
  domains,
  services,
}: Pick<Settings, "identityProvider" | "domains" | "services">): string[] {
  return [
    ...sessionWarnings(identityProvider, services),
    ...signInWarnings(identityProvider, domains),
    ...unencrypted("url", identityProvider.url, "passwords, sessions and tokens"),
    ...unencrypted("api_url", identityProvider.apiUrl, "the token"),
  ];
}

function signInWarnings({ install, domain }: Settings["identityProvider"], domains: Settings["domains"]): string[] {
  if (!install || domain !== undefined) return [];
  const kinds = domains.filter(({ enabled }) => enabled).map(({ kind }) => kind);
  const [first] = kinds;
  const reachable = mostReachable(kinds);
  if (first === undefined || reachable === first) return [];
  return [
    `identity_provider.domain: not set, so that users of every domain sign in on "${first}", the first enabled one. ` +
      `Set it to a domain that all users reach, such as "${reachable}", or to "${first}".`,
  ];
}

/** An outpost ends its sessions when that of authentik ends (2026.5, outposts/signals.py), which has a fixed length in an authentik that the stack installs. */
function sessionWarnings(
  { install, session: login }: Settings["identityProvider"],
  services: Settings["services"],
): string[] {
  return services.flatMap(({ name, session }, index) => {
    if (!install || seconds(session) <= seconds(login)) return [];
    return `protected_services[${index}] "${name}".session: ${session} is longer than identity_provider.session (${login}): the session ends with that at authentik. Set identity_provider.session to the longest session.`;
  });
}

function unencrypted(key: string, address: string | undefined, what: string): string[] {
  const url = address === undefined ? undefined : new URL(address);
  return url?.protocol === "http:" && !isPrivate(url.hostname)
    ? [`identity_provider.${key}: http sends ${what} unencrypted. Use an https address.`]
    : [];
}

/** Returns whether a host is below localhost, a private address, the name of a Service, or a node of a tailnet, which encrypts its connections. */
function isPrivate(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) > 0)
    return isNetworkWithin(`${address}/${isIPv6(address) ? 128 : 32}`, [
      ...PRIVATE_NETWORKS,
      "::1/128",
      "100.64.0.0/10",
    ]);
  return !host.includes(".") || /\.(localhost|svc|svc\.cluster\.local)$/.test(host) || isTailnet(host);
}
