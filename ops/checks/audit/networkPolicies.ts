import type { GatewayPods } from "../../../infra/network.ts";
import { labelsOf } from "../../../infra/pods.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../../policy/resource.ts";
import { labelsIn, matches } from "../../clients/services.ts";
import { type AuditFinding, type Compared, finding, restore } from "./finding.ts";

const NAMESPACE_NAME = "kubernetes.io/metadata.name";
const RULE = "backends-take-only-the-gateway";

/**
 * Returns the NetworkPolicies that admit other clients than the gateway to the stack's pods. Policies are additive, so each one is checked.
 * @param gateway its namespace and the labels of its pods; without it, any one namespace by name is taken for it
 */
export function widenedPolicies(compared: Compared, gateway: GatewayPods | undefined): AuditFinding[] {
  const all = compared.manifests.filter(({ kind }) => kind === "NetworkPolicy");
  return compared.backends.deployed.flatMap(({ namespace, name, port }) => {
    const policies = all.filter((policy) => policy.namespace === namespace && selects(policy, labelsOf(name)));
    if (policies.length === 0) {
      const message = "no NetworkPolicy selects its pods, so any pod of the cluster can send them forged headers";
      return [finding({ rule: RULE, subject: `Service ${namespace}/${name}`, message, hint: restore([], compared) })];
    }
    return policies.flatMap(({ label, spec }) =>
      listOf(spec["ingress"])
        .filter((rule) => isFor(rule, port))
        .flatMap((rule) => othersIn(rule, namespace, gateway))
        .map((others) =>
          finding({
            ...{ rule: RULE, subject: label },
            message: `lets ${others} connect to port ${port} of ${namespace}/${name}`,
            hint: "remove that rule; only the gateway's pods may connect",
          }),
        ),
    );
  });
}

function selects({ spec }: Manifest, pods: Readonly<Record<string, string>>): boolean {
  const types = listOf(spec["policyTypes"]);
  const forIngress = types.length === 0 || types.includes("Ingress");
  // An expression selects fewer pods; taking it for one that selects these errs on the safe side only for a policy that opens.
  const expressions = listOf(at(spec, "podSelector", "matchExpressions")).length > 0;
  const opens = listOf(spec["ingress"]).length > 0;
  return forIngress && matches(labelsIn(at(spec, "podSelector", "matchLabels")), pods) && (!expressions || opens);
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

/** Returns who may connect in addition to the gateway and the namespace itself. */
function othersIn(rule: Value, own: string, gateway: GatewayPods | undefined): string[] {
  const peers = listOf(at(rule, "from"));
  if (peers.length === 0) return ["any client"];
  return peers.flatMap((peer) => {
    const block = textAt(peer, "ipBlock", "cidr");
    if (block !== undefined) return [`the network ${block}`];
    const selector = at(peer, "namespaceSelector");
    if (selector === undefined) return [];
    const named = labelsIn(at(selector, "matchLabels"))[NAMESPACE_NAME];
    if (named === undefined) return [namespacesOf(selector)];
    if (named === own || gateway === undefined) return [];
    if (named !== gateway.namespace) return [`the namespace ${named}`];
    const pods = labelsIn(at(peer, "podSelector", "matchLabels"));
    return matches(gateway.podLabels, pods) ? [] : [`other pods of the namespace ${named}`];
  });
}

function namespacesOf(selector: Value): string {
  return Object.keys(fieldsOf(selector)).length === 0
    ? "every namespace"
    : "namespaces selected by other labels than their name";
}
