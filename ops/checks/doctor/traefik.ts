/** Traefik: its pods, its Service, its definitions and its static options. */
import { ApiException, CoreV1Api, type KubeConfig, type V1Pod } from "@kubernetes/client-node";
import type { TraefikGateway } from "../../../config/settings.ts";
import { type Check, skip } from "../verify/check.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";
import { failed, passed, prerequisiteChecks } from "./prerequisite.ts";

const OPTIONAL_LABELS =
  /^(pod-template-hash|controller-revision-hash|helm\.sh\/chart|app\.kubernetes\.io\/(managed-by|version))$/;

export async function traefik(inputs: Inputs, reached: ReachedCluster): Promise<Check[]> {
  // On the local platform, Traefik is a process without a Service.
  const objects = inputs.target.local ? [] : [await pods(inputs, reached), await service(inputs, reached)];
  return [...objects, ...prerequisiteChecks(inputs, reached, "Traefik")];
}

async function pods({ target: { settings } }: Inputs, { config }: ReachedCluster): Promise<Check> {
  const name = "pods of Traefik";
  const { namespace, podLabels } = settings.gateway;
  const labels = selectorOf(podLabels);
  const core = config.makeApiClient(CoreV1Api);
  try {
    const { items } = await core.listNamespacedPod({ namespace, labelSelector: labels });
    const names = items.map(({ metadata }) => metadata?.name ?? "");
    if (names.length > 0) return passed(name, `${namespace}/${names.join(", ")}`);
    return missing(settings.gateway, labels, (await core.listPodForAllNamespaces()).items.filter(isTraefik));
  } catch (error) {
    if (!(error instanceof ApiException) || error.code !== 403) throw error;
    const hint = "allow the user to list pods in all namespaces";
    return skip(name, `the user may not list pods, so the running Traefik is not known`, hint);
  }
}

/** @param others pods of a Traefik in the cluster */
function missing({ namespace }: TraefikGateway, labels: string, [other]: readonly V1Pod[]): Check {
  const problem = `gateway.pod_labels: no pod in namespace ${namespace} has the labels ${labels}`;
  if (other === undefined) {
    return failed(
      "pods of Traefik",
      problem,
      "install Traefik 3.7.13 with its Helm chart (https://doc.traefik.io), or use k3s, which includes it",
    );
  }
  const found = Object.entries(other.metadata?.labels ?? {}).filter(([key]) => !OPTIONAL_LABELS.test(key));
  const own = found.map(([key, value]) => `${key}: ${value}`).join(", ");
  const where = other.metadata?.namespace ?? "";
  const fix = `set gateway.namespace to ${where}, and gateway.pod_labels to those of Traefik's pods there: { ${own} }`;
  return failed("pods of Traefik", problem, fix);
}

function isTraefik({ spec }: V1Pod): boolean {
  return (spec?.containers ?? []).some(({ image = "" }) => /(^|\/)[\w-]*traefik:/.test(image));
}

/** Pods resolve hosts on localhost to this Service, and the policies of other objects name it. */
async function service({ target: { settings } }: Inputs, { config }: ReachedCluster): Promise<Check> {
  const name = "Service of Traefik";
  const { namespace, service } = settings.gateway;
  const found = await readService(config, namespace, service);
  if (found === "forbidden") return skip(name, "the user may not read Services", "allow the user to get Services");
  if (found !== undefined) return passed(name, `${namespace}/${service}${found === "" ? "" : `, ${found}`}`);
  const problem = `gateway.service: namespace ${namespace} has no Service "${service}"`;
  return failed(name, problem, "set gateway.namespace and gateway.service to those of Traefik's Service");
}

/** Returns the addresses of a Service's load balancer, if it has some; undefined if it does not exist. */
async function readService(config: KubeConfig, namespace: string, name: string): Promise<string | undefined> {
  try {
    const { status } = await config.makeApiClient(CoreV1Api).readNamespacedService({ name, namespace });
    return (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "").join(", ");
  } catch (error) {
    if (!(error instanceof ApiException)) throw error;
    if (error.code === 403) return "forbidden";
    if (error.code === 404) return undefined;
    throw error;
  }
}

function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
}
