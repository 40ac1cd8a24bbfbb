/** Who may connect to a pod: identity headers can be trusted only if nothing but the gateway can connect to an application. */
import type * as k8s from "@pulumi/kubernetes";
import type { TraefikGateway } from "../config/settings.ts";

type NetworkPolicySpec = k8s.types.input.networking.v1.NetworkPolicySpec;
type NetworkPolicyPeer = k8s.types.input.networking.v1.NetworkPolicyPeer;

/** The pods of a namespace. */
export function namespaced(name: string): NetworkPolicyPeer {
  return { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } };
}

/** What selects the pods of Traefik. */
export type GatewayPods = Pick<TraefikGateway, "namespace" | "podLabels">;

/** The pods of Traefik, and none of the others in its namespace. */
export function gatewayPods({ namespace, podLabels }: GatewayPods): NetworkPolicyPeer {
  return { ...namespaced(namespace), podSelector: { matchLabels: podLabels } };
}

/**
 * Lets some pods reach one port of the selected pods, and no others anything.
 * @param labels labels of the pods
 * @param peers allowed peers
 */
export function onlyFrom(
  labels: Readonly<Record<string, string>>,
  port: number,
  peers: NetworkPolicyPeer[],
): NetworkPolicySpec {
  return {
    podSelector: { matchLabels: labels },
    policyTypes: ["Ingress"],
    ingress: [{ from: peers, ports: [{ protocol: "TCP", port }] }],
  };
}

/** As {@link onlyFrom}, for pods that themselves connect to nothing. */
export function answersOnly(policy: NetworkPolicySpec): NetworkPolicySpec {
  return { ...policy, policyTypes: ["Ingress", "Egress"], egress: [] };
}

/** Names are looked up in the cluster's own DNS. */
const DNS = {
  to: [namespaced("kube-system")],
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};

/**
 * For pods without incoming connections that connect to the gateway only: to its pods, and to some ports of any address, since the names of
 * the domains can resolve to any.
 * @param gateway pods of the gateway
 */
export function callsOnly(
  labels: Readonly<Record<string, string>>,
  gateway: NetworkPolicyPeer,
  ports: readonly number[],
): NetworkPolicySpec {
  return {
    podSelector: { matchLabels: labels },
    policyTypes: ["Ingress", "Egress"],
    egress: [DNS, { to: [gateway] }, { ports: ports.map((port) => ({ protocol: "TCP", port })) }],
  };
}

/**
 * As {@link onlyFrom}, for pods that themselves connect to one server and nothing else.
 * @param server its port, and where it is; without `peers` it may be anywhere
 */
export function onlyBetween(
  policy: NetworkPolicySpec,
  { peers, port }: { readonly peers: NetworkPolicyPeer[] | undefined; readonly port: number },
): NetworkPolicySpec {
  return {
    ...policy,
    policyTypes: ["Ingress", "Egress"],
    egress: [DNS, { ...(peers && { to: peers }), ports: [{ protocol: "TCP", port }] }],
  };
}
