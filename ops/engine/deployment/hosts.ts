/** After a failed deployment: checks that protected hosts refuse requests without a session. */
import { accessOf } from "../../../infra/access/access.ts";
import type { Access, HostFacts } from "../../../infra/access/facts.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { type HttpClient, withClient } from "../../clients/http.ts";

export interface HostState {
  readonly url: string;
  readonly state: "closed" | "open" | "unreachable";
  /** Status, or the error of the request. */
  readonly answered: string;
}

/** Returns the hosts that the gateway protects before or after; without those of applications that require the login themselves. */
export function protectedUrls(before: Access | undefined, after: Plan): string[] {
  const hosts = [...(before?.host.values() ?? []), ...accessOf(after).host.values()];
  return [...new Set(hosts.filter(isProtected).map(({ url }) => url))].sort();
}

function isProtected({ protection, publicPaths }: HostFacts): boolean {
  return protection.asked !== "none" && !publicPaths.includes("/");
}

/** Sends a request without a session to each host. */
export function requestHosts(urls: readonly string[]): Promise<HostState[]> {
  return withClient((client) => Promise.all(urls.map((url) => requestHost(client, url))));
}

async function requestHost(client: HttpClient, url: string): Promise<HostState> {
  try {
    const { status, headers } = await client.send(`${url}/`);
    const location = headers["location"];
    return { url, state: stateOf(status, typeof location === "string" ? location : ""), answered: String(status) };
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return { url, state: "unreachable", answered: code ?? message };
  }
}

/** Returns `closed` for a refusal, a redirect to the login, no route, and a failed authentication; any other response is the application's. */
export function stateOf(status: number, location: string): HostState["state"] {
  if (status === 401 || status === 403 || status === 404 || status >= 500) return "closed";
  return status === 302 && location.includes("/application/o/authorize/?") ? "closed" : "open";
}
