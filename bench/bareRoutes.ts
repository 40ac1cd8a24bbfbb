/** Routes without the middlewares of Gatehouse: the baseline of `npm run bench -- wire`. */
import { setTimeout } from "node:timers/promises";
import { CoreV1Api, CustomObjectsApi } from "@kubernetes/client-node";
import { hashSync } from "bcryptjs";
import type { Backend } from "../config/settings.ts";
import { TRAEFIK_API } from "../infra/gateway/specs.ts";
import { RetryingKubeConfig } from "../infra/kubeConfig.ts";
import type { Platform } from "../local/platform/platform.ts";
import { withClient } from "../ops/clients/http.ts";
import { isGatewayResponse } from "../ops/clients/gatewayResponse.ts";
import type { Credentials } from "../ops/clients/signIn.ts";

/** A request with this header, and the name of a bare route, takes that route instead of the host's own. */
export const BARE_HEADER = "x-bench";

/** A route to a backend with at most one middleware. */
export interface BareRoute {
  readonly name: string;
  readonly host: string;
  readonly backend: Backend;
  /** `spec` of a Middleware; default: none. */
  readonly middleware?: object;
}

/** Deploys the routes in the namespaces of their backends, and returns when Traefik serves them. */
export async function deployBareRoutes(platform: Platform, routes: readonly BareRoute[]): Promise<void> {
  const objects = configOf(platform).makeApiClient(CustomObjectsApi);
  const create = (kind: string, namespace: string, name: string, spec: object): Promise<unknown> => {
    const [group = "", version = ""] = TRAEFIK_API.split("/");
    const body = { apiVersion: TRAEFIK_API, kind, metadata: { name, namespace }, spec };
    return objects.createNamespacedCustomObject({ group, version, namespace, plural: `${kind.toLowerCase()}s`, body });
  };
  const route = ({ name, backend, middleware }: BareRoute, match: string): Promise<unknown> => {
    const { namespace, ...service } = backend;
    const middlewares = middleware ? [{ name: `bench-${name}` }] : [];
    const rule = { kind: "Rule", match, priority: 1000, middlewares, services: [{ ...service, nativeLB: true }] };
    return create("IngressRoute", namespace, `bench-${name}`, { entryPoints: ["web"], routes: [rule] });
  };
  for (const one of routes) {
    const { name, host, backend, middleware } = one;
    if (middleware) await create("Middleware", backend.namespace, `bench-${name}`, middleware);
    await route(one, `Host(\`${host}\`) && Header(\`${BARE_HEADER}\`, \`${name}\`)`);
  }
  const [first] = routes;
  if (first === undefined) return;
  // Traefik reads all objects at once, so that it serves the others when it serves the last.
  await route({ name: "last", host: LAST_HOST, backend: first.backend }, `Host(\`${LAST_HOST}\`)`);
  await withClient(async (client) => {
    const request = () => client.send(`http://127.0.0.1:${platform.httpPort}/`, { headers: { host: LAST_HOST } });
    while (isGatewayResponse(await request())) await setTimeout(200);
  });
}

const LAST_HOST = "bench-last.localhost";

/** Creates the Secret of one user, hashed with bcrypt at a cost, for a bare route with basic auth. @returns its name */
export async function createUsers(
  platform: Platform,
  { namespace }: Backend,
  { username, password }: Credentials,
  cost: number,
): Promise<string> {
  const name = `bench-cost-${cost}`;
  const body = { metadata: { name }, stringData: { users: `${username}:${hashSync(password, cost)}` } };
  await configOf(platform).makeApiClient(CoreV1Api).createNamespacedSecret({ namespace, body });
  return name;
}

export function configOf({ kubeconfig }: Platform): RetryingKubeConfig {
  return RetryingKubeConfig.fromFile(kubeconfig);
}
