import { withHint } from "../../config/errors/userError.ts";
import type { IdentityProvider } from "../../config/settings.ts";
import { isLoopbackName, type pluginsResolve } from "../loopback.ts";

/**
 * Returns the URL at which the deploying machine reaches authentik's API; undefined = the address of its Service.
 * `*.localhost` is the one kind of name that browsers resolve and the provider plugin often does not ({@link pluginsResolve}). The Service's address
 * works on a node of the cluster and on the local platform; on Rancher Desktop and k3d it needs the hosts file instead.
 * @param browserUrl URL of authentik for browsers
 * @throws Error with the hint when neither is possible
 */
export async function apiAddress(
  { install, service, apiUrl }: Pick<IdentityProvider, "install" | "service" | "apiUrl">,
  browserUrl: string,
  resolves: typeof pluginsResolve,
): Promise<string | undefined> {
  const url = apiUrl ?? browserUrl;
  const { hostname } = new URL(url);
  if (!isLoopbackName(hostname) || (await resolves(hostname))) return url;
  if (apiUrl === undefined && (install || service)) return undefined;
  throw new Error(withHint(`the provider plugins cannot resolve ${hostname}`, hostsFileHint(hostname)));
}

/** Returns the hint for a host that this machine does not resolve. @param host a name below localhost */
export function hostsFileHint(host: string): string {
  return `add "127.0.0.1 ${host}" to /etc/hosts, or set identity_provider.api_url to an address of authentik that this machine reaches`;
}
