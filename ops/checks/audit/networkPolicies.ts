import type { Observability } from "../../../config/settings.ts";
import { HTTPS_PORT } from "../../../infra/identity/containers.ts";
import type { GatewayPods } from "../../../infra/network.ts";
import { AUTHENTIK_METRICS, POSTGREST_ADMIN } from "../../../infra/observability/targets.ts";
import { labelsOf } from "../../../infra/pods.ts";
import { at, fieldsOf, listOf, textAt, type Value } from "../../../manifests/resource.ts";
import { labelsIn, objectLabels, podsOf, selects } from "../../clients/services.ts";
import { matchesLabels } from "../../../infra/labels.ts";
import type { ServiceName } from "./backends.ts";
import { type AuditFinding, type Compared, finding, restore } from "./finding.ts";

export const NAMESPACE_NAME = "kubernetes.io/metadata.name";
const RULE = "backends-take-only-the-gateway";

const METRICS = [AUTHENTIK_METRICS.containerPort, POSTGREST_ADMIN.containerPort];
const AUTHENTIK = [HTTPS_PORT, AUTHENTIK_METRICS.containerPort];
/** Ports on which pods listen in addition to that of their Service, by role. */
const MORE_PORTS: Readonly<Record<string, readonly number[]>> = {
  outpost: AUTHENTIK,
  "identity-provider": AUTHENTIK,
  "data-api": [POSTGREST_ADMIN.containerPort],
};

/** Clients other than pods of the same namespace. */
export interface Clients {
  /** Without it, any one namespace by name is taken for the gateway's. */
  readonly gateway?: GatewayPods;
  /** Whose pods may connect to the ports of metrics. */
  readonly observability?: Pick<Observability, "namespace"> | undefined;
}

/** Returns the NetworkPolicies that admit other clients to the stack's pods. Policies are additive, so each one is checked. */
export function widenedPolicies(compared: Compared, clients: Clients): AuditFinding[] {
  return compared.backends.deployed.flatMap(({ namespace, name, port, role }) => {
    const ports = [port, ...(MORE_PORTS[role ?? ""] ?? [])];
    return widenedFor(compared, {
      service: { namespace, name },
      pods: labelsOf(name),
      effect: "send them forged headers",
      othersIn: (rules) => rules.flatMap((rule) => [...othersIn(rule, namespace, ports, clients)]),
      hint: "remove that rule; only the gateway's pods may connect",
    });
  });
}

/** Pods whose policies are compared. */
interface Guarded {
  readonly service: ServiceName;
  /** Their planned labels. */
  readonly pods: Readonly<Record<string, string>>;
  /** What any pod of the cluster can do without a policy. */
  readonly effect: string;
  /** Returns who else than planned can connect because of rules of ingress, and to which ports. */
  readonly othersIn: (rules: readonly Value[]) => readonly (readonly [client: string, ports: readonly number[]])[];
  /** For a policy that admits others. */
  readonly hint: string;
}

/** Returns a finding for each client that a policy admits to pods besides the planned ones, and one if no policy selects a pod. */
export function widenedFor(compared: Compared, guarded: Guarded): AuditFinding[] {
  const { namespace, name } = guarded.service;
  const own = compared.manifests.filter((one) => one.namespace === namespace);
  const running = podsOf(own)
    .map(objectLabels)
    .filter((labels) => matchesLabels(guarded.pods, labels));
  const pods = running.length > 0 ? running : [guarded.pods];
  const policies = own.filter(({ kind, spec }) => kind === "NetworkPolicy" && isForIngress(spec["policyTypes"]));
  const isOpen = pods.some((pod) => !policies.some(({ spec }) => selects(spec["podSelector"], pod)));
  const message = `no NetworkPolicy selects its pods, so any pod of the cluster can ${guarded.effect}`;
  const open = finding({ rule: RULE, subject: `Service ${namespace}/${name}`, message, hint: restore([], compared) });
  const selecting = policies.filter(({ spec }) => pods.some((pod) => selects(spec["podSelector"], pod)));
  const widened = selecting.flatMap(({ label, spec }) =>
    guarded.othersIn(listOf(spec["ingress"])).map(([client, ports]) =>
      finding({
        rule: RULE,
        subject: label,
        message: `lets ${client} connect to ${ports.length === 1 ? "port" : "ports"} ${ports.join(", ")} of ${namespace}/${name}`,
        hint: guarded.hint,
      }),
    ),
  );
  return isOpen ? [open, ...widened] : widened;
}

function isForIngress(types: Value): boolean {
  return listOf(types).length === 0 || listOf(types).includes("Ingress");
}

/** Returns whether a rule of ingress is for a port. A port by name may be any. */
export function isFor(rule: Value, port: number): boolean {
  const ports = listOf(at(rule, "ports"));
  return (
    ports.length === 0 ||
    ports.some((one) => {
      const [first, last] = [at(one, "port"), at(one, "endPort")];
      if (typeof first !== "number") return true;
      return first === port || (typeof last === "number" && first <= port && port <= last);
    })
  );
}

/** Returns who else may connect because of a rule, and to which ports. */
function othersIn(
  rule: Value,
  own: string,
  ports: readonly number[],
  { gateway, observability }: Clients,
): Map<string, number[]> {
  const peers = listOf(at(rule, "from"));
  const admitted = ports
    .filter((port) => isFor(rule, port))
    .flatMap((port) => {
      const allowed = METRICS.includes(port) ? [own, observability?.namespace] : [own];
      const others = peers.length === 0 ? ["any client"] : peers.flatMap((peer) => otherThan(allowed, peer, gateway));
      return others.map((one) => [one, port] as const);
    });
  const byClient = Map.groupBy(admitted, ([others]) => others);
  return new Map([...byClient].map(([others, pairs]) => [others, pairs.map(([, port]) => port)]));
}

function otherThan(allowed: readonly (string | undefined)[], peer: Value, gateway: GatewayPods | undefined): string[] {
  const block = textAt(peer, "ipBlock", "cidr");
  if (block !== undefined) return [`the network ${block}`];
  const selector = at(peer, "namespaceSelector");
  if (selector === undefined) return [];
  const named = labelsIn(at(selector, "matchLabels"))[NAMESPACE_NAME];
  if (named === undefined) return [namespacesOf(selector)];
  if (allowed.includes(named) || gateway === undefined) return [];
  if (named !== gateway.namespace) return [`the namespace ${named}`];
  const pods = labelsIn(at(peer, "podSelector", "matchLabels"));
  return matchesLabels(gateway.podLabels, pods) ? [] : [`other pods of the namespace ${named}`];
}

/** Returns the namespaces of a selector that names none, as text. */
export function namespacesOf(selector: Value): string {
  return Object.keys(fieldsOf(selector)).length === 0
    ? "every namespace"
    : "namespaces selected by other labels than their name";
}
