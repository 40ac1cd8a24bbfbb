import { at, listOf, textAt, type Value } from "./resource.ts";

/** Returns whether Services route requests to a pod: it is ready and is not being deleted. */
export function isReadyPod(pod: Value): boolean {
  const ready = listOf(at(pod, "status", "conditions")).find((condition) => textAt(condition, "type") === "Ready");
  return textAt(ready, "status") === "True" && at(pod, "metadata", "deletionTimestamp") === undefined;
}
