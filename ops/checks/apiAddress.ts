/** Whether this machine will reach the API of an authentik on localhost: otherwise a first deployment would wait 20 minutes for it. */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import { apiAddress, hostsFileHint } from "../../infra/identity/apiAddress.ts";
import { pluginsResolve } from "../../infra/loopback.ts";
import { authentikOrigin, type StackContext } from "../context/context.ts";
import { CONNECT_TIMEOUT_MS, tryConnection } from "../clients/connection.ts";

/**
 * @param options tests pass their own
 * @returns what is wrong, and how to correct it; undefined if the API is reached, and if the user may not read the Service that would show it
 */
export async function unreachableApi(
  target: Pick<StackContext, "settings" | "plan">,
  config: KubeConfig,
  { resolves = pluginsResolve, reaches = isReachable } = {},
): Promise<{ problem: string; hint: string } | undefined> {
  const url = authentikOrigin(target);
  if (url === undefined) return undefined;
  const { hostname } = new URL(url);
  const [problem, hint] = [`the provider plugins cannot resolve ${hostname}`, hostsFileHint(hostname)];
  const address = await apiAddress(target.settings.identityProvider, url, resolves).catch(() => null);
  if (address === null) return { problem, hint };
  const service = address === undefined ? await apiServer(config).catch(() => undefined) : undefined;
  if (service === undefined || (await reaches(service))) return undefined;
  const network = `this machine does not reach Services of the cluster (no connection to ${service.host}:${service.port} within ${CONNECT_TIMEOUT_MS / 1000} s)`;
  return { problem: `${problem}, and ${network}`, hint };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Returns the address of the API server's Service, which every cluster has. */
async function apiServer(config: KubeConfig): Promise<Address | undefined> {
  const { spec } = await config
    .makeApiClient(CoreV1Api)
    .readNamespacedService({ name: "kubernetes", namespace: "default" });
  const port = spec?.ports?.[0]?.port;
  return spec?.clusterIP === undefined || port === undefined ? undefined : { host: spec.clusterIP, port };
}

/** Returns whether the network of an address is reached, as a refused connection shows, too. */
function isReachable(address: Address): Promise<boolean> {
  return tryConnection(address).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED",
  );
}
