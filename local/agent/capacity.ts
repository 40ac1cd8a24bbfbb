import { availableParallelism, totalmem } from "node:os";
import type { V1Pod } from "@kubernetes/client-node";
import { add, totalForResource } from "@kubernetes/client-node/dist/util.js";

/** Cores and bytes of memory. */
interface Capacity {
  readonly cpu: number;
  readonly memory: number;
}

/** What a kubelet would report for this machine. */
export const MACHINE: Capacity = { cpu: availableParallelism(), memory: totalmem() };

/**
 * Returns why a Pod does not fit on the node together with others, in the words of kube-scheduler; undefined = it fits.
 * @param others Pods that are on the node; finished ones do not count
 */
export function insufficient(pod: V1Pod, others: readonly V1Pod[], capacity: Capacity): string | undefined {
  const counted = [pod, ...others.filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")];
  const lacking = (["cpu", "memory"] as const).filter(
    (resource) => counted.map((one) => requestOf(one, resource)).reduce(add, 0) > capacity[resource],
  );
  if (lacking.length === 0) return undefined;
  return `0/1 nodes are available: ${lacking.map((resource) => `1 Insufficient ${resource}`).join(", ")}.`;
}

function requestOf(pod: V1Pod, resource: keyof Capacity): number | bigint {
  return totalForResource(pod, resource).request;
}
