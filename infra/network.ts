/** Who may talk to a pod: identity headers are worth nothing when anyone but the gateway reaches an application (field.md 3.2). */
import type * as k8s from "@pulumi/kubernetes";

type NetworkPolicySpec = k8s.types.input.networking.v1.NetworkPolicySpec;
type NetworkPolicyPeer = k8s.types.input.networking.v1.NetworkPolicyPeer;

/** The pods of a namespace. */
export function namespaced(name: string): NetworkPolicyPeer {
  return { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } };
}

/**
 * Lets the pods of some namespaces reach one port of the selected pods, and nobody anything else.
 * @param labels labels of the pods
 * @param namespaces names of namespaces whose pods may connect
 */
export function onlyFrom(
  labels: Readonly<Record<string, string>>,
  port: number,
  namespaces: readonly string[],
): NetworkPolicySpec {
  return {
    podSelector: { matchLabels: labels },
    policyTypes: ["Ingress"],
    ingress: [{ from: namespaces.map(namespaced), ports: [{ protocol: "TCP", port }] }],
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
 * For pods that nobody connects to, and that themselves connect to the gateway alone: to its pods, and to some ports wherever the names of
 * the domains lead.
 * @param gateway namespace of the gateway
 */
export function callsOnly(
  labels: Readonly<Record<string, string>>,
  gateway: string,
  ports: readonly number[],
): NetworkPolicySpec {
  return {
    podSelector: { matchLabels: labels },
    policyTypes: ["Ingress", "Egress"],
    egress: [DNS, { to: [namespaced(gateway)] }, { ports: ports.map((port) => ({ protocol: "TCP", port })) }],
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
