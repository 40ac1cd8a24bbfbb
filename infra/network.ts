/** Specs of NetworkPolicies. Identity headers can be trusted only if no pod other than the gateway can connect to an application. */
import type * as k8s from "@pulumi/kubernetes";
import type { TraefikGateway } from "../config/settings.ts";

type NetworkPolicySpec = k8s.types.input.networking.v1.NetworkPolicySpec;
type NetworkPolicyPeer = k8s.types.input.networking.v1.NetworkPolicyPeer;

/** Returns a peer that selects all pods of a namespace. */
export function namespaced(name: string): NetworkPolicyPeer {
  return { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } };
}

/** The namespace and the labels of the pods of Traefik. */
export type GatewayPods = Pick<TraefikGateway, "namespace" | "podLabels">;

/** Returns a peer that selects the pods of Traefik, and no others in its namespace. */
export function gatewayPods({ namespace, podLabels }: GatewayPods): NetworkPolicyPeer {
  return { ...namespaced(namespace), podSelector: { matchLabels: podLabels } };
}

/**
 * Returns a policy that allows ingress from the peers to one port of the selected pods, and no other ingress.
 * @param labels select the pods; without labels all pods of the namespace
 */
export function allowIngressFrom(
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

/** Returns the policy, and denies all egress of its pods. */
export function denyEgress(policy: NetworkPolicySpec): NetworkPolicySpec {
  return { ...policy, policyTypes: ["Ingress", "Egress"], egress: [] };
}

/** Egress to DNS, at any address: NodeLocal DNSCache answers on the node, where no policy can select it, and DNS pods can be outside of kube-system. */
const DNS = {
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};

/**
 * Returns a policy that denies all ingress, and allows egress to the pods of the gateway, and to some ports of any address, because the hosts
 * of a domain can resolve to any address.
 * @param gateway pods of the gateway
 */
export function allowEgressToGateway(
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
 * Returns the policy, and allows egress of its pods to one server only.
 * @param server without `peers`, its port at any address
 */
export function allowEgressTo(
  policy: NetworkPolicySpec,
  { peers, port }: { readonly peers: NetworkPolicyPeer[] | undefined; readonly port: number },
): NetworkPolicySpec {
  return {
    ...policy,
    policyTypes: ["Ingress", "Egress"],
    egress: [DNS, { ...(peers && { to: peers }), ports: [{ protocol: "TCP", port }] }],
  };
}
