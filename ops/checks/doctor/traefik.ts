/** Traefik: its pods, its Service, its definitions and its static options. */
import { CoreV1Api, type V1Pod } from "@kubernetes/client-node";
import type { TraefikGateway } from "../../../config/settings.ts";
import { selectorOf } from "../../../infra/prerequisites/cluster.ts";
import { readable } from "../../../infra/prerequisites/readable.ts";
import { type Check, failed, passed } from "../check.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";
import { ifAllowed, prerequisiteChecks } from "./prerequisite.ts";

const OPTIONAL_LABELS =
  /^(pod-template-hash|controller-revision-hash|helm\.sh\/chart|app\.kubernetes\.io\/(managed-by|version))$/;

/** Checks Traefik: its pods, its Service and its custom resources. The local platform has neither pods nor a Service. */
export async function traefik(inputs: Inputs, reached: ReachedCluster): Promise<Check[]> {
  // On the local platform, Traefik is a process without a Service.
  const objects = inputs.target.local ? [] : [await pods(inputs, reached), await service(inputs, reached)];
  return [...objects, ...prerequisiteChecks(inputs, reached, "Traefik")];
}

async function pods({ target: { settings } }: Inputs, { config, facts }: ReachedCluster): Promise<Check> {
  const name = "pods of Traefik";
  const { namespace } = settings.gateway;
  if (facts.traefik) return passed(name, `${namespace}/${facts.traefik.pods.join(", ")}`);
  const reason = "the user may not list pods, so the running Traefik is not known";
  return ifAllowed(name, reason, "allow the user to list pods in all namespaces", async () => {
    const { items } = await config.makeApiClient(CoreV1Api).listPodForAllNamespaces();
    return missing(settings.gateway, items.find(isTraefik));
  });
}

/** @param other pod of a Traefik in the cluster */
function missing({ namespace, podLabels }: TraefikGateway, other: V1Pod | undefined): Check {
  const problem = `gateway.pod_labels: no pod in namespace ${namespace} has the labels ${selectorOf(podLabels)}`;
  if (other === undefined) {
    const hint = "install Traefik 3.7.13 with its Helm chart (https://doc.traefik.io), or use k3s, which includes it";
    return failed("pods of Traefik", problem, hint);
  }
  const found = Object.entries(other.metadata?.labels ?? {}).filter(([key]) => !OPTIONAL_LABELS.test(key));
  const own = found.map(([key, value]) => `${key}: ${value}`).join(", ");
  const where = other.metadata?.namespace ?? "";
  const hint = `set gateway.namespace to ${where}, and gateway.pod_labels to those of Traefik's pods there: { ${own} }`;
  return failed("pods of Traefik", problem, hint);
}

function isTraefik({ spec }: V1Pod): boolean {
  return (spec?.containers ?? []).some(({ image = "" }) => /(^|\/)[\w-]*traefik:/.test(image));
}

/** Checks the gateway's Service, to which pods resolve hosts on localhost, and which policies of other objects name. */
async function service({ target: { settings } }: Inputs, { config }: ReachedCluster): Promise<Check> {
  const name = "Service of Traefik";
  const { namespace, service } = settings.gateway;
  return ifAllowed(name, "the user may not read Services", "allow the user to get Services", async () => {
    const reading = config.makeApiClient(CoreV1Api).readNamespacedService({ name: service, namespace });
    const found = await readable(reading, [404]);
    if (found === undefined) {
      const problem = `gateway.service: namespace ${namespace} has no Service "${service}"`;
      return failed(name, problem, "set gateway.namespace and gateway.service to those of Traefik's Service");
    }
    const addresses = (found.status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "");
    return passed(name, [`${namespace}/${service}`, ...addresses].join(", "));
  });
}
