/**
 * The delay of a NetworkPolicy controller that works with sets of addresses, such as kube-router in k3s: a new pod's address is not in the
 * set yet when its first container connects, so the connection is refused (measured for 77-216 ms; here for one second).
 */
import { CoreV1Api, makeInformer, type V1Pod } from "@kubernetes/client-node";
import { RetryingKubeConfig } from "../../../infra/kubeConfig.ts";
import { POD_RANGE } from "./addresses.ts";
import { run } from "./namespaces.ts";

/** How long a new pod's connections are refused after its first container started, in milliseconds. */
const REFUSED_MS = 1000;
const SET = "admitted-pods";

/** Refuses connections from pods, until a second has passed since their first container started. */
export async function delayNewPods(kubeconfig: string): Promise<void> {
  run("ipset", "create", SET, "hash:ip");
  const rule = `FORWARD -s ${POD_RANGE} -m conntrack --ctstate NEW -m set ! --match-set ${SET} src -j REJECT`;
  run("iptables", "--wait", "-I", ...rule.split(" "));
  const config = RetryingKubeConfig.fromFile(kubeconfig);
  const api = config.makeApiClient(CoreV1Api);
  const pods = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
  const admitted = new Map<string, string>();
  const update = (pod: V1Pod): void => {
    const { uid = "" } = pod.metadata ?? {};
    const { podIP, hostIP } = pod.status ?? {};
    if (!podIP || podIP === hostIP || admitted.has(uid) || !hasStarted(pod)) return;
    admitted.set(uid, podIP);
    setTimeout(() => admitted.has(uid) && run("ipset", "add", SET, podIP, "-exist"), REFUSED_MS);
  };
  pods.on("add", update);
  pods.on("update", update);
  pods.on("delete", ({ metadata: { uid = "" } = {} }) => {
    const podIP = admitted.get(uid);
    admitted.delete(uid);
    // Meanwhile another pod may have this address.
    if (podIP && ![...admitted.values()].includes(podIP)) run("ipset", "del", SET, podIP, "-exist");
  });
  pods.on("error", () => setTimeout(() => void pods.start(), 100));
  await pods.start();
}

function hasStarted({ status }: V1Pod): boolean {
  return status?.containerStatuses?.some(({ state }) => state?.running ?? state?.terminated) ?? false;
}
