import { labelsOf } from "../../../infra/pods.ts";
import { differences } from "../../../manifests/differences.ts";
import { at, fieldsOf, listOf, type Manifest, textAt } from "../../../manifests/resource.ts";
import { labelsIn } from "../../clients/services.ts";
import { type AuditFinding, type Compared, finding, restore } from "./finding.ts";
import { isPlannedService, unplannedAddresses } from "./postgres.ts";

/** Returns findings for Services that expose a guarded backend outside of the cluster, and for planned ones that select other pods. */
export function exposedServices(compared: Compared): AuditFinding[] {
  return compared.manifests
    .filter(({ kind }) => kind === "Service")
    .flatMap((service) => [...fromOutside(service, compared), ...elsewhere(service, compared)]);
}

/** Annotations with which the operator of Tailscale gives a Service an address in the tailnet (its documentation, "Expose a cluster workload"). */
const TAILNET = ["tailscale.com/expose", "tailscale.com/tailnet-ip", "tailscale.com/tailnet-fqdn"];

/** Returns how a Service exposes its pods outside of the cluster, as text; none for one of type ClusterIP. */
export function addressesOutside({ props, spec }: Manifest): string[] {
  const type = textAt(spec, "type") ?? "ClusterIP";
  const addresses = listOf(spec["externalIPs"]);
  const annotations = fieldsOf(at(props, "metadata", "annotations"));
  const tailnet = TAILNET.find((name) => name in annotations && annotations[name] !== "false");
  return [
    ...(addresses.length > 0 ? [`the addresses ${addresses.join(", ")}`] : []),
    ...(type === "LoadBalancer" || type === "NodePort" ? [`type ${type}`] : []),
    ...(tailnet === undefined ? [] : [`annotation ${tailnet}`]),
  ];
}

function fromOutside(service: Manifest, compared: Compared): AuditFinding[] {
  const { backends, postgres } = compared;
  const { label, namespace, objectName = "" } = service;
  const addresses = unplannedAddresses(service, addressesOutside(service), postgres);
  if (addresses.length === 0) return [];
  const reached = backends.behind({ kind: "Service", namespace, name: objectName });
  if (reached === undefined) return [];
  return [
    finding({
      rule: "backends-behind-the-plan",
      subject: label,
      message: `exposes the pods of ${reached.namespace}/${reached.name} outside of the cluster (${addresses.join(", ")}), without the gateway`,
      hint: isPlannedService(service, postgres)
        ? restore([], compared, service)
        : "make it of type ClusterIP without externalIPs and such annotations, or remove it",
    }),
  ];
}

/** Returns a finding for a deployed Service that selects other pods than those of the stack. */
function elsewhere(service: Manifest, compared: Compared): AuditFinding[] {
  const { spec, label, namespace, objectName = "" } = service;
  const isSame = (one: { namespace: string; name: string }): boolean =>
    one.namespace === namespace && one.name === objectName;
  if (!compared.backends.deployed.some(isSame)) return [];
  const alias =
    textAt(spec, "type") === "ExternalName" ? [`it is an alias of ${textAt(spec, "externalName") ?? ""}`] : [];
  const other = differences({ selector: labelsOf(objectName) }, { selector: labelsIn(spec["selector"]) });
  const evidence = [...alias, ...other];
  if (evidence.length === 0) return [];
  const rules = compared.plan.routes.flatMap((route) => route.rules);
  const hosts = rules.filter(({ backend }) => isSame(backend)).map(({ host }) => host);
  return [
    finding({
      rule: "services-as-planned",
      subject: label,
      message: "selects other pods than planned",
      evidence,
      hosts,
      hint: restore([], compared, service),
    }),
  ];
}
