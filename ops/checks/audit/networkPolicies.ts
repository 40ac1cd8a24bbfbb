import type { GatewayPods } from "../../../infra/network.ts";
import { labelsOf } from "../../../infra/pods.ts";
import { at, fieldsOf, type Finding, listOf, type Manifest, textAt, type Value } from "../../../policy/resource.ts";
import { type Backends, labels, matches } from "./backends.ts";

const NAMESPACE_NAME = "kubernetes.io/metadata.name";
const RULE = "backends-take-only-the-gateway";

/**
 * Returns the NetworkPolicies that admit other clients than the gateway to the stack's pods. Policies are additive, so each one is checked.
 * @param gateway its namespace and the labels of its pods; without it, any one namespace by name is taken for it
 */
export function widenedPolicies(
  manifests: readonly Manifest[],
  backends: Backends,
  gateway: GatewayPods | undefined,
): Finding[] {
  const all = manifests.filter(({ kind }) => kind === "NetworkPolicy");
  return backends.own.flatMap((backend) => {
    const { namespace, name, port } = backend;
    const policies = all.filter((policy) => policy.namespace === namespace && selects(policy, labelsOf(name)));
    if (policies.length === 0) {
      const problem = "no NetworkPolicy selects its pods, so any pod of the cluster can send them forged headers";
      const hint = "deploy the stack again (./deploy CONTEXT --refresh)";
      return [{ rule: RULE, object: `Service ${namespace}/${name}`, problem, hint }];
    }
    return policies.flatMap(({ label, spec }) =>
      listOf(spec["ingress"])
        .filter((rule) => isFor(rule, port))
        .flatMap((rule) => othersIn(rule, namespace, gateway))
        .map((others) => ({
          rule: RULE,
          object: label,
          problem: `lets ${others} connect to port ${port} of ${namespace}/${name}`,
          hint: "remove that rule; only the gateway's pods may connect",
        })),
    );
  });
}

function selects({ spec }: Manifest, pods: Readonly<Record<string, string>>): boolean {
  const types = listOf(spec["policyTypes"]);
  const forIngress = types.length === 0 || types.includes("Ingress");
  // An expression selects fewer pods; taking it for one that selects these errs on the safe side only for a policy that opens.
  const expressions = listOf(at(spec, "podSelector", "matchExpressions")).length > 0;
  const opens = listOf(spec["ingress"]).length > 0;
  return forIngress && matches(labels(at(spec, "podSelector", "matchLabels")), pods) && (!expressions || opens);
}

function isFor(rule: Value, port: number): boolean {
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

/** Who may connect besides the gateway and the namespace itself. */
function othersIn(rule: Value, own: string, gateway: GatewayPods | undefined): string[] {
  const peers = listOf(at(rule, "from"));
  if (peers.length === 0) return ["any client"];
  return peers.flatMap((peer) => {
    const block = textAt(peer, "ipBlock", "cidr");
    if (block !== undefined) return [`the network ${block}`];
    const selector = at(peer, "namespaceSelector");
    if (selector === undefined) return [];
    const named = labels(at(selector, "matchLabels"))[NAMESPACE_NAME];
    if (named === undefined) return [namespacesOf(selector)];
    if (named === own || gateway === undefined) return [];
    if (named !== gateway.namespace) return [`the namespace ${named}`];
    const pods = labels(at(peer, "podSelector", "matchLabels"));
    return matches(gateway.podLabels, pods) ? [] : [`other pods of the namespace ${named}`];
  });
}

function namespacesOf(selector: Value): string {
  return Object.keys(fieldsOf(selector)).length === 0
    ? "every namespace"
    : "namespaces selected by other labels than their name";
}
