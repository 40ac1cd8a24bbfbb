/** Who may talk to a pod: identity headers are worth nothing when anyone but the gateway reaches an application (field.md 3.2). */
import type * as k8s from "@pulumi/kubernetes";

type NetworkPolicySpec = k8s.types.input.networking.v1.NetworkPolicySpec;

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
  const from = namespaces.map((name) => ({
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
  }));
  return {
    podSelector: { matchLabels: labels },
    policyTypes: ["Ingress"],
    ingress: [{ from, ports: [{ protocol: "TCP", port }] }],
  };
}
