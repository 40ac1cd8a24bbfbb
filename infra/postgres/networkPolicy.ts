/** Who can connect to an installed server. Pure. */
import type * as k8s from "@pulumi/kubernetes";
import { PRIVATE_NETWORKS } from "../../config/schema/networks.ts";
import type { PostgresInstallation, Settings } from "../../config/settings.ts";
import { namespaced } from "../network.ts";
import { CLOUDNATIVEPG_METRICS } from "../observability/targets.ts";
import { NAME, PODS, PORT } from "./objects.ts";

type NetworkPolicySpec = k8s.types.input.networking.v1.NetworkPolicySpec;
type IngressRule = k8s.types.input.networking.v1.NetworkPolicyIngressRule;

/** Port of the operator's instance manager (CloudNativePG docs, "Security", exposed ports). */
export const STATUS_PORT = 8000;

/** Returns the namespaces of the stack whose pods connect to the server. */
export function clientsOf({ identityProvider, dataApi }: Pick<Settings, "identityProvider" | "dataApi">): string[] {
  return [...(identityProvider.install ? [identityProvider.namespace] : []), ...(dataApi ? [dataApi.namespace] : [])];
}

/** Returns the networks whose addresses can connect through the load balancer. */
export function balancedNetworks({ allowedFrom }: Pick<PostgresInstallation, "allowedFrom">): readonly string[] {
  return allowedFrom.length > 0 ? allowedFrom : PRIVATE_NETWORKS;
}

/**
 * Returns a policy that admits the namespaces of clients, the load balancer of k3s, the networks of `allowed_from`, and what the kind of installation
 * needs.
 * @param clients namespaces of the stack whose pods connect
 */
export function policyOf(
  install: PostgresInstallation,
  clients: readonly string[],
): Omit<NetworkPolicySpec, "ingress"> & { ingress: IngressRule[] } {
  const namespaces = [...new Set([...clients, ...install.clients])].sort();
  const balancer = {
    ...namespaced("kube-system"),
    podSelector: { matchLabels: { "svccontroller.k3s.cattle.io/svcname": NAME } },
  };
  const from = [
    ...namespaces.map(namespaced),
    ...(install.service === "LoadBalancer" ? [balancer] : []),
    ...install.allowedFrom.map((cidr) => ({ ipBlock: { cidr } })),
  ];
  return {
    podSelector: { matchLabels: PODS[install.kind] },
    policyTypes: ["Ingress"],
    ingress: [
      ...(from.length > 0 ? [{ from, ports: [{ protocol: "TCP", port: PORT }] }] : []),
      ...(install.kind === "cloudnativepg" ? ofOperator(install) : []),
    ],
  };
}

/** Returns rules for the operator, the other instances, and Prometheus (CloudNativePG docs, "Networking"). */
function ofOperator({ operatorNamespace, monitoring }: PostgresInstallation): IngressRule[] {
  const tcp = (...ports: number[]) => ports.map((port) => ({ protocol: "TCP", port }));
  const operator = {
    ...namespaced(operatorNamespace),
    podSelector: { matchLabels: { "app.kubernetes.io/name": "cloudnative-pg" } },
  };
  return [
    { from: [operator, { podSelector: { matchLabels: PODS.cloudnativepg } }], ports: tcp(PORT, STATUS_PORT) },
    ...(monitoring === undefined
      ? []
      : [{ from: [namespaced(monitoring)], ports: tcp(CLOUDNATIVEPG_METRICS.containerPort) }]),
  ];
}
