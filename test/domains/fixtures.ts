import { CoreV1Api } from "@kubernetes/client-node";
import { inject } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import type { Exposure } from "../../infra/plan/types.ts";
import { type HttpResponse, headerOf, type HttpClient, withClient as withConnected } from "../../ops/clients/http.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import type { Credentials } from "../../ops/clients/signIn.ts";

/** Long enough on a machine that is busy with other things. */
const TIMEOUT_MS = 240_000;

/** Runs with a new client that resolves every name to loopback and accepts every certificate. */
export function withClient<T>(work: (client: HttpClient) => Promise<T>): Promise<T> {
  const connect: Parameters<typeof withConnected>[1] = {
    rejectUnauthorized: false,
    lookup: (_name, { all }, found) =>
      all ? found(null, [{ address: "127.0.0.1", family: 4 }]) : found(null, "127.0.0.1", 4),
  };
  return withConnected(work, connect, TIMEOUT_MS);
}

/** Returns the exposure of a service on a domain kind. @throws if the plan has none */
export function exposureOf(service: string, domain: string): Exposure {
  const found = inject("domains").plan.exposures.find(({ id }) => id === `${service}@${domain}`);
  if (!found) throw new Error(`the plan has no ${service}@${domain}`);
  return found;
}

/** Returns the identity provider's origin in redirects of browsers. */
export function identityProvider(): string {
  return exposureOf("authentik", "localhost").url;
}

export function credentialsOf(username: string): Credentials {
  const found = inject("domains").users.find((candidate) => candidate.username === username);
  if (!found) throw new Error(`no user "${username}"`);
  return found;
}

/**
 * Runs a flow without user input as authentik's page does in a browser, e.g. the one that ends a session.
 * @param page end of a redirect
 * @returns the address that the page opens at the end of the flow; undefined when it is not a flow
 */
export async function flowTarget(client: HttpClient, page: HttpResponse): Promise<URL | undefined> {
  const { origin, pathname, search } = new URL(page.url);
  const [, slug] = /^\/if\/flow\/([^/]+)\//.exec(pathname) ?? [];
  if (slug === undefined) return undefined;
  const query = encodeURIComponent(search.slice(1));
  const { body } = await client.follow(`${origin}/api/v3/flows/executor/${slug}/?query=${query}`);
  const { to } = JSON.parse(body) as { to?: string };
  return new URL(to ?? "/", origin);
}

/** Runs a flow like {@link flowTarget}. @returns the page at the end of the flow; `page` itself when it is not a flow */
export async function runFlow(client: HttpClient, page: HttpResponse): Promise<HttpResponse> {
  const target = await flowTarget(client, page);
  return target === undefined ? page : client.follow(target.href);
}

/** Returns a response's status, and the origin and path of its redirect target. */
export function statusAndTarget(response: HttpResponse): string {
  const location = headerOf(response, "location");
  if (location === undefined) return String(response.status);
  const { origin, pathname } = new URL(location, response.url);
  return `${response.status} ${origin}${pathname}`;
}

/** Returns the names of the identity headers that the echo service received, in any spelling; sorted. */
export function receivedIdentityHeaders(body: string): string[] {
  return [...receivedHeaders(body).keys()].filter((name) => /^x[-_.]idp[-_.]/.test(name)).sort();
}

/** Values of a machine's Secret. */
interface MachineSecret {
  readonly username: string;
  readonly password: string;
  readonly tokenUrl: string;
  readonly scope: string;
  /** Origin of a service → client id. */
  readonly clientIds: Readonly<Record<string, string>>;
}

export async function machineSecret(name: string): Promise<MachineSecret> {
  const config = RetryingKubeConfig.fromFile(inject("domains").kubeconfig);
  const secret = await config
    .makeApiClient(CoreV1Api)
    .readNamespacedSecret({ name: `${name}-account`, namespace: "default" });
  const text = (key: string): string => Buffer.from(secret.data?.[key] ?? "", "base64").toString();
  return {
    username: text("USERNAME"),
    password: text("PASSWORD"),
    tokenUrl: text("TOKEN_URL"),
    scope: text("SCOPE"),
    clientIds: JSON.parse(text("CLIENT_IDS")) as Record<string, string>,
  };
}

/** Requests a machine's token for one service (docs/applications.md, "Machines"). */
export async function requestToken(client: HttpClient, machine: MachineSecret, clientId: string): Promise<string> {
  const form = {
    grant_type: "client_credentials",
    client_id: clientId,
    username: machine.username,
    password: machine.password,
    scope: machine.scope,
  };
  const response = await client.send(machine.tokenUrl, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
  });
  if (response.status !== 200) throw new Error(`the token endpoint answered ${response.status}: ${response.body}`);
  return (JSON.parse(response.body) as { access_token: string }).access_token;
}
