import type { Plan } from "../../../infra/plan/types.ts";
import { labelsOf } from "../../../infra/pods.ts";
import { differences } from "../../../manifests/differences.ts";
import { MANAGED_BY, SELECTOR_CONTROLLER, SERVICE_NAME } from "../../../manifests/endpointSlice.ts";
import { at, fieldsOf, listOf, type Manifest, textAt } from "../../../manifests/resource.ts";
import { labelsIn, objectLabels } from "../../clients/services.ts";
import type { ServiceName } from "./backends.ts";
import { type AuditFinding, type Compared, deletion, finding, restore } from "./finding.ts";
import { databaseServices, isPlannedService, unplannedAddresses } from "./postgres.ts";

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

/** Returns findings for EndpointSlices that add addresses to a deployed Service, which the cluster uses next to its pods. */
export function addedEndpoints(compared: Compared): AuditFinding[] {
  const { manifests, plan, backends, postgres, context } = compared;
  const services = [...backends.deployed, ...(postgres ? databaseServices(postgres) : [])];
  return manifests.flatMap((slice) => {
    const labels = objectLabels(slice);
    if (slice.kind !== "EndpointSlice" || labels[MANAGED_BY] === SELECTOR_CONTROLLER) return [];
    const service = services.find(
      ({ namespace, name }) => namespace === slice.namespace && name === labels[SERVICE_NAME],
    );
    if (service === undefined) return [];
    const addresses = listOf(slice.props["endpoints"]).flatMap((endpoint) => listOf(at(endpoint, "addresses")));
    return [
      finding({
        rule: "services-as-planned",
        subject: slice.label,
        message: `adds addresses to ${service.namespace}/${service.name}, which receive its requests`,
        evidence: [`its addresses: ${addresses.join(", ") || "none"}`],
        hosts: hostsBehind(service, plan),
        hint: `remove it (${deletion(slice, context)})`,
      }),
    ];
  });
}

/** Returns the planned hosts with a rule for a Service. */
function hostsBehind({ namespace, name }: ServiceName, { routes }: Plan): string[] {
  const rules = routes.flatMap((route) => route.rules);
  return rules
    .filter(({ backend }) => backend.namespace === namespace && backend.name === name)
    .map(({ host }) => host);
}

/** Returns a finding for a deployed Service that selects other pods than those of the stack. */
function elsewhere(service: Manifest, compared: Compared): AuditFinding[] {
  const { spec, label, namespace, objectName = "" } = service;
  const { backends, plan } = compared;
  if (!backends.deployed.some((one) => one.namespace === namespace && one.name === objectName)) return [];
  const alias =
    textAt(spec, "type") === "ExternalName" ? [`it is an alias of ${textAt(spec, "externalName") ?? ""}`] : [];
  const other = differences({ selector: labelsOf(objectName) }, { selector: labelsIn(spec["selector"]) });
  const evidence = [...alias, ...other];
  if (evidence.length === 0) return [];
  return [
    finding({
      rule: "services-as-planned",
      subject: label,
      message: "selects other pods than planned",
      evidence,
      hosts: hostsBehind({ namespace, name: objectName }, plan),
      hint: restore([], compared, service),
    }),
  ];
}
