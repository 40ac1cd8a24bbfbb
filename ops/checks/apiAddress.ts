/** Whether this machine will reach the API of an authentik on localhost: otherwise a first deployment would wait ten minutes for it. */
import { once } from "node:events";
import { connect } from "node:net";
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import type { Settings } from "../../config/settings.ts";
import { apiAddress, hostsFileFix } from "../../infra/identity/apiAddress.ts";
import { pluginsResolve } from "../../infra/loopback.ts";
import type { Plan } from "../../infra/plan/types.ts";

const TIMEOUT_MS = 5_000;

interface Target {
  readonly settings: Pick<Settings, "identityProvider">;
  readonly plan: Pick<Plan, "identityProviderUrl">;
}

/** What is wrong, and how to correct it. */
export interface Unreachable {
  readonly problem: string;
  readonly fix: string;
}

/**
 * @param options tests pass their own
 * @returns undefined if the API is reached, and if the user may not read the Service that would show it
 */
export async function unreachableApi(
  { settings: { identityProvider }, plan: { identityProviderUrl } }: Target,
  config: KubeConfig,
  { resolves = pluginsResolve, reaches = isReachable } = {},
): Promise<Unreachable | undefined> {
  const url = identityProvider.apiUrl ?? identityProviderUrl;
  if (url === undefined) return undefined;
  const { hostname } = new URL(url);
  const [problem, fix] = [`the provider plugins cannot resolve ${hostname}`, hostsFileFix(hostname)];
  const address = await apiAddress(identityProvider, url, resolves).catch(() => null);
  if (address === null) return { problem, fix };
  const service = address === undefined ? await apiServer(config).catch(() => undefined) : undefined;
  if (service === undefined || (await reaches(service))) return undefined;
  const network = `this machine does not reach Services of the cluster (no connection to ${service.host}:${service.port} within ${TIMEOUT_MS / 1000} s)`;
  return { problem: `${problem}, and ${network}`, fix };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The Service of the API server, which every cluster has. */
async function apiServer(config: KubeConfig): Promise<Address | undefined> {
  const { spec } = await config
    .makeApiClient(CoreV1Api)
    .readNamespacedService({ name: "kubernetes", namespace: "default" });
  const port = spec?.ports?.[0]?.port;
  return spec?.clusterIP === undefined || port === undefined ? undefined : { host: spec.clusterIP, port };
}

/** A refused connection shows that the network is reached. */
async function isReachable({ host, port }: Address): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}
