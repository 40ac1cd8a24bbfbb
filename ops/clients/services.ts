/** The Services of a cluster, and whether a backend of the plan is one of them. */
import { CoreV1Api, type KubeConfig, type V1Pod, type V1Service } from "@kubernetes/client-node";
import type { Backend } from "../../config/settings.ts";

export interface DeployedService {
  readonly namespace: string;
  readonly name: string;
  readonly clusterIP: string | undefined;
  readonly ports: readonly number[];
  /** Number of ready pods behind it; undefined where it selects none. */
  readonly ready: number | undefined;
}

/** Why a backend does not answer. */
export interface ServiceProblem {
  readonly kind: "missing" | "port" | "not-ready";
  readonly problem: string;
  readonly evidence: string;
}

/** Reads the Services of all namespaces. @throws ApiException when the user may not list Services or pods */
export async function readServices(config: KubeConfig): Promise<DeployedService[]> {
  const api = config.makeApiClient(CoreV1Api);
  const [services, pods] = await Promise.all([api.listServiceForAllNamespaces(), api.listPodForAllNamespaces()]);
  return services.items.map((service) => serviceOf(service, pods.items));
}

function serviceOf({ metadata, spec }: V1Service, pods: readonly V1Pod[]): DeployedService {
  const selector = Object.entries(spec?.selector ?? {});
  const selected = pods.filter(
    (pod) =>
      pod.metadata?.namespace === metadata?.namespace &&
      selector.every(([key, value]) => pod.metadata?.labels?.[key] === value),
  );
  return {
    namespace: metadata?.namespace ?? "",
    name: metadata?.name ?? "",
    clusterIP: spec?.clusterIP,
    ports: spec?.ports?.map(({ port }) => port) ?? [],
    ready: selector.length === 0 ? undefined : selected.filter(isReady).length,
  };
}

/** Returns whether a Service sends requests to the pod. */
export function isReady({ metadata, status }: V1Pod): boolean {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  return metadata?.deletionTimestamp === undefined && condition?.status === "True";
}

export function findService(
  services: readonly DeployedService[],
  { namespace, name }: Pick<Backend, "namespace" | "name">,
): DeployedService | undefined {
  return services.find((one) => one.namespace === namespace && one.name === name);
}

/** Returns what is wrong with the Service of a backend: it does not exist, has no such port, or no ready pod. */
export function serviceProblem(backend: Backend, services: readonly DeployedService[]): ServiceProblem | undefined {
  const { namespace, name, port } = backend;
  const place = `Service ${namespace}/${name}`;
  const found = findService(services, backend);
  if (found === undefined) {
    return { kind: "missing", problem: `${place} is missing`, evidence: `${place} does not exist` };
  }
  if (!found.ports.includes(port)) {
    const evidence = `its ports are ${found.ports.join(", ")}`;
    return { kind: "port", problem: `${place} has no port ${port}`, evidence };
  }
  if (found.ready !== 0) return undefined;
  const evidence = "0 ready pods match its selector";
  return { kind: "not-ready", problem: `no pod of ${place} is ready`, evidence };
}
