/** The Services of a cluster, and whether a backend of the plan is one of them. */
import type { Backend } from "../../config/settings.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../policy/resource.ts";
import type { ClusterObjects } from "./clusterObjects.ts";

type Labels = Readonly<Record<string, string>>;

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

/** Returns the Services of all namespaces. */
export function servicesOf({ manifests }: Pick<ClusterObjects, "manifests">): DeployedService[] {
  const pods = Map.groupBy(podsOf(manifests), ({ namespace }) => namespace);
  const services = manifests.filter(({ kind }) => kind === "Service");
  return services.map(({ namespace, objectName = "", spec }) => {
    const selector = labelsIn(spec["selector"]);
    const selected = pods.get(namespace)?.filter((pod) => matches(selector, objectLabels(pod))) ?? [];
    const ports = listOf(spec["ports"]).map((port) => at(port, "port"));
    return {
      namespace,
      name: objectName,
      clusterIP: textAt(spec, "clusterIP"),
      ports: ports.filter((port) => typeof port === "number"),
      ready: Object.keys(selector).length === 0 ? undefined : selected.filter(isReady).length,
    };
  });
}

export function podsOf(manifests: readonly Manifest[]): Manifest[] {
  return manifests.filter(({ kind }) => kind === "Pod");
}

/** Returns the Service of this name, as the cluster has it. */
export function serviceNamed(
  { namespace, name }: Pick<Backend, "namespace" | "name">,
  manifests: readonly Manifest[],
): Manifest | undefined {
  return manifests.find((one) => one.kind === "Service" && one.namespace === namespace && one.objectName === name);
}

export function objectLabels({ props }: Manifest): Labels {
  return labelsIn(at(props, "metadata", "labels"));
}

/** Returns whether a Service sends requests to the pod. */
export function isReady({ props }: Manifest): boolean {
  const conditions = listOf(at(props, "status", "conditions"));
  const ready = conditions.find((condition) => textAt(condition, "type") === "Ready");
  return textAt(ready, "status") === "True" && at(props, "metadata", "deletionTimestamp") === undefined;
}

/** Returns whether labels have all that a selector requires. */
export function matches(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** Returns the labels in a field of an object. */
export function labelsIn(value: Value): Labels {
  const entries = Object.entries(fieldsOf(value));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
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
  const service = `Service ${namespace}/${name}`;
  const found = findService(services, backend);
  if (found === undefined) {
    return { kind: "missing", problem: `${service} is missing`, evidence: `${service} does not exist` };
  }
  if (!found.ports.includes(port)) {
    const evidence = `its ports are ${found.ports.join(", ")}`;
    return { kind: "port", problem: `${service} has no port ${port}`, evidence };
  }
  if (found.ready !== 0) return undefined;
  const evidence = "0 ready pods match its selector";
  return { kind: "not-ready", problem: `no pod of ${service} is ready`, evidence };
}
