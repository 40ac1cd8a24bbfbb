/** The Postgres server that the stack installs: who else than planned can connect to its pods. */
import { matchesLabels } from "../../../infra/labels.ts";
import { namespaced } from "../../../infra/network.ts";
import { CLOUDNATIVEPG_METRICS } from "../../../infra/observability/targets.ts";
import { balancedNetworks, policyOf, STATUS_PORT } from "../../../infra/postgres/networkPolicy.ts";
import { NAME, PODS, PORT, serviceNames } from "../../../infra/postgres/objects.ts";
import { at, listOf, type Manifest, textAt, type Value } from "../../../manifests/resource.ts";
import { labelsIn } from "../../clients/services.ts";
import type { ServiceName } from "./backends.ts";
import type { InstalledPostgres } from "./installedPostgres.ts";
import type { AuditFinding, Compared } from "./finding.ts";
import { type Clients, isFor, NAMESPACE_NAME, namespacesOf, widenedFor } from "./networkPolicies.ts";

const LOAD_BALANCER = "type LoadBalancer";

/** Returns the Services of a server. */
export function databaseServices({ install }: InstalledPostgres): ServiceName[] {
  return serviceNames(install).map((name) => ({ namespace: install.namespace, name }));
}

/** Returns whether a Service is that of the server for the deploying machine. */
export function isPlannedService(
  { namespace, objectName }: Manifest,
  postgres: InstalledPostgres | undefined,
): boolean {
  return namespace === postgres?.install.namespace && objectName === NAME;
}

/** Returns those of the ways on which a Service is exposed outside of the cluster that the configuration does not allow. */
export function unplannedAddresses(
  service: Manifest,
  ways: readonly string[],
  postgres: InstalledPostgres | undefined,
): string[] {
  if (!isPlannedService(service, postgres) || postgres?.install.service !== "LoadBalancer") return [...ways];
  const planned = balancedNetworks(postgres.install);
  const networks = listOf(service.spec["loadBalancerSourceRanges"]);
  const others = networks.length === 0 ? ["any network"] : networks.filter((one) => !planned.includes(String(one)));
  return ways.flatMap((way) => {
    if (way !== LOAD_BALANCER) return [way];
    return others.length === 0 ? [] : [`${way} for ${others.join(", ")}`];
  });
}

/** Returns the NetworkPolicies that admit other clients to the server's pods than planned; one finding if none selects them. */
export function widenedDatabasePolicies(compared: Compared, { observability }: Clients): AuditFinding[] {
  const { postgres } = compared;
  if (postgres === undefined) return [];
  const { namespace, kind } = postgres.install;
  const planned = plannedRules(postgres, observability?.namespace);
  return widenedFor(compared, {
    service: { namespace, name: NAME },
    pods: PODS[kind],
    effect: "connect to the database server",
    othersIn: (rules) => [...othersIn(rules, planned, postgres)],
    hint: "remove that rule, or add the namespace to postgres.install.clients, or the network to allowed_from",
  });
}

/** Returns the ingress rules of the stack's own policies for the pods. */
function plannedRules({ install, clients }: InstalledPostgres, prometheus: string | undefined): readonly Value[] {
  const port = CLOUDNATIVEPG_METRICS.containerPort;
  const metrics = prometheus === undefined ? [] : [{ from: [namespaced(prometheus)], ports: [{ port }] }];
  return [...policyOf(install, clients).ingress, ...metrics];
}

/** Returns who else than planned can connect because of some rules, and to which ports. */
function othersIn(
  rules: readonly Value[],
  planned: readonly Value[],
  { install }: InstalledPostgres,
): Map<string, number[]> {
  const others = new Map<string, number[]>();
  const ports = install.kind === "statefulset" ? [PORT] : [PORT, STATUS_PORT, CLOUDNATIVEPG_METRICS.containerPort];
  for (const port of ports) {
    const allowed = planned.filter((rule) => isFor(rule, port)).flatMap((rule) => listOf(at(rule, "from")));
    const clients = rules
      .filter((one) => isFor(one, port))
      .flatMap((one) => clientsIn(one, allowed, install.namespace));
    for (const client of new Set(clients)) others.set(client, [...(others.get(client) ?? []), port]);
  }
  return others;
}

/** Returns the peers of a rule that are not within an allowed one, as text. */
function clientsIn(rule: Value, allowed: readonly Value[], own: string): string[] {
  const peers = listOf(at(rule, "from"));
  if (peers.length === 0) return ["any client"];
  return peers.filter((peer) => !allowed.some((one) => isWithin(peer, one, own))).map((peer) => textOf(peer, own));
}

/** Returns whether a peer selects no more than another one. Networks are compared as text. */
function isWithin(peer: Value, allowed: Value, own: string): boolean {
  const network = textAt(peer, "ipBlock", "cidr");
  if (network !== undefined) return network === textAt(allowed, "ipBlock", "cidr");
  const namespace = namespaceOf(peer, own);
  if (namespace === undefined || namespace !== namespaceOf(allowed, own)) return false;
  return matchesLabels(podLabels(allowed), podLabels(peer));
}

/** Returns the one namespace of a peer's pods; undefined for a network, and for namespaces that it does not name. */
function namespaceOf(peer: Value, own: string): string | undefined {
  if (at(peer, "ipBlock") !== undefined) return undefined;
  const selector = at(peer, "namespaceSelector");
  return selector === undefined ? own : labelsIn(at(selector, "matchLabels"))[NAMESPACE_NAME];
}

function podLabels(peer: Value): Readonly<Record<string, string>> {
  return labelsIn(at(peer, "podSelector", "matchLabels"));
}

function textOf(peer: Value, own: string): string {
  const network = textAt(peer, "ipBlock", "cidr");
  if (network !== undefined) return `the network ${network}`;
  const namespace = namespaceOf(peer, own);
  if (namespace === undefined) return namespacesOf(at(peer, "namespaceSelector"));
  return at(peer, "podSelector") === undefined ? `the namespace ${namespace}` : `pods of the namespace ${namespace}`;
}
