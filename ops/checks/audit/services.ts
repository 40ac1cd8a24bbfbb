import { labelsOf } from "../../../infra/pods.ts";
import { differences } from "../../../policy/differences.ts";
import { type Finding, listOf, type Manifest, textAt } from "../../../policy/resource.ts";
import { type Backends, labels } from "./backends.ts";

/** Services that lead to a guarded backend from outside of the cluster, and the stack's own that lead elsewhere. */
export function exposedServices(manifests: readonly Manifest[], backends: Backends): Finding[] {
  return manifests
    .filter(({ kind }) => kind === "Service")
    .flatMap((service) => [...fromOutside(service, backends), ...elsewhere(service, backends)]);
}

function fromOutside(service: Manifest, backends: Backends): Finding[] {
  const { spec, label, namespace, objectName = "" } = service;
  const type = textAt(spec, "type") ?? "ClusterIP";
  const addresses = listOf(spec["externalIPs"]);
  if (type !== "LoadBalancer" && type !== "NodePort" && addresses.length === 0) return [];
  const reached = backends.behind({ kind: "Service", namespace, name: objectName });
  if (reached === undefined) return [];
  const how = addresses.length > 0 ? `the addresses ${addresses.join(", ")}` : `type ${type}`;
  return [
    {
      rule: "backends-behind-the-plan",
      object: label,
      problem: `exposes the pods of ${reached.namespace}/${reached.name} outside of the cluster (${how}), without the gateway`,
      hint: "make it of type ClusterIP without externalIPs, or remove it",
    },
  ];
}

/** Of a Service that the stack deploys: it selects what the stack runs. */
function elsewhere({ spec, label, namespace, objectName }: Manifest, backends: Backends): Finding[] {
  if (!backends.own.some((one) => one.namespace === namespace && one.name === objectName)) return [];
  const alias =
    textAt(spec, "type") === "ExternalName" ? [`it is an alias of ${textAt(spec, "externalName") ?? ""}`] : [];
  const other = differences({ selector: labelsOf(objectName ?? "") }, { selector: labels(spec["selector"]) });
  return [...alias, ...other].slice(0, 1).map((difference) => ({
    rule: "services-as-planned",
    object: label,
    problem: `selects other pods than planned: ${difference}`,
    hint: "deploy the stack again (./deploy CONTEXT --refresh)",
  }));
}
