/** After a failed deployment: checks that protected hosts refuse requests without a session. */
import pLimit from "p-limit";
import type { AccessFacts, HostFacts } from "../../infra/access/facts.ts";
import { authenticatesAtGateway } from "../../infra/access/hostAccess.ts";
import { isOutpostWithoutProvider, mayBeGatewayResponse } from "../clients/gatewayResponse.ts";
import { type HttpResponse, headerOf, type HttpClient, withClient } from "../clients/http.ts";
import { AUTHORIZE_PATH } from "../clients/signIn.ts";

export interface HostState {
  /** Origin of a host, or a path on it. */
  readonly url: string;
  readonly state: "closed" | "open" | "unreachable";
  /** Status, or the error of the request. */
  readonly answered: string;
}

/**
 * Returns the hosts that the gateway protects in any of these deployments, without those of applications that require the login themselves; and
 * their paths that are public in some of the deployments only. A planned public path of a new host is not one of them.
 * @param before deployments that can be in effect, complete or not
 */
export function protectedUrls(before: readonly AccessFacts[], plan: AccessFacts): string[] {
  const all = [...before, plan].flatMap(({ host }) => [...host.values()]);
  const planned = new Map([...plan.host.values()].map(({ url, publicPaths }) => [url, publicPaths]));
  const urls = [...Map.groupBy(all.filter(isProtected), ({ url }) => url)].flatMap(([url, facts]) => {
    const lists = [planned.get(url) ?? [], ...facts.map(({ publicPaths }) => publicPaths)];
    const paths = facts.flatMap(({ publicPaths }) => publicPaths);
    const some = paths.filter((path) => !lists.every((other) => other.includes(path)));
    return [url, ...some.map((path) => url + path)];
  });
  return [...new Set(urls)].sort();
}

function isProtected(facts: HostFacts): boolean {
  return authenticatesAtGateway(facts) && !facts.publicPaths.includes("/");
}

/** Milliseconds for all requests after Ctrl-C. */
const INTERRUPTED_MS = 10_000;
const MAX_CONCURRENT_REQUESTS = 16;

/**
 * Sends a request without a session to each URL.
 * @param interrupted ends the requests; one that has aborted before limits their time, for the report of an interrupted deployment
 */
export function requestHosts(urls: readonly string[], interrupted: AbortSignal): Promise<HostState[]> {
  const signal = interrupted.aborted ? AbortSignal.timeout(INTERRUPTED_MS) : interrupted;
  const limit = pLimit(MAX_CONCURRENT_REQUESTS);
  return withClient((client) => Promise.all(urls.map((url) => limit(() => requestHost(client, url, signal)))));
}

async function requestHost(client: HttpClient, url: string, signal: AbortSignal): Promise<HostState> {
  try {
    const response = await client.send(url, { excerpt: true, signal });
    return { url, state: hostStateOf(response), answered: String(response.status) };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return { url, state: "unreachable", answered: code ?? message };
  }
}

/**
 * Returns `closed` for a refusal, a redirect to the login, no route, and a failed authentication; any other response is the application's, also a
 * 404 that Traefik did not write.
 */
export function hostStateOf(response: Pick<HttpResponse, "status" | "headers" | "body">): HostState["state"] {
  const { status } = response;
  // A limit of the application, or of a proxy: whether the host is open is not known.
  if (status === 429) return "unreachable";
  if (status === 401 || status === 403 || status >= 500) return "closed";
  if (isOutpostWithoutProvider(response) || mayBeGatewayResponse(response)) return "closed";
  return status === 302 && headerOf(response, "location")?.includes(`${AUTHORIZE_PATH}?`) ? "closed" : "open";
}
