import { setTimeout as pause } from "node:timers/promises";

import type { Value, Values } from "../protocol/plugin.ts";
import { itemsOf, textOf, valueAt } from "../protocol/values.ts";
import type { Cluster } from "./cluster.ts";

const POLL_MS = 200;

/** Why an object is not ready (yet). Failed: it will not become ready by waiting. */
interface UnreadyReason {
  readonly reason: string;
  readonly failed?: boolean;
}

/** The object was created, but did not become ready. */
export class NotReady extends Error {
  readonly live: Values;
  readonly reasons: readonly string[];

  constructor(live: Values, reasons: readonly string[]) {
    super(reasons.join("; "));
    this.live = live;
    this.reasons = reasons;
  }
}

/** Waits until an object is ready, and returns it. `deadline` in ms since 1970. @throws NotReady */
export async function untilReady(
  cluster: Cluster,
  object: Values,
  deadline: number,
  signal: AbortSignal,
): Promise<Values> {
  let live = object;
  for (let unready = unreadyReason(live); unready; unready = unreadyReason(live)) {
    if (unready.failed || signal.aborted || Date.now() > deadline) {
      throw new NotReady(live, [unready.reason, ...(await podProblems(cluster, live))]);
    }
    await pause(POLL_MS);
    live = (await cluster.read(live)) ?? live;
  }
  return live;
}

/** Waits until the object is deleted, or another one has its name. */
export async function untilGone(
  cluster: Cluster,
  object: Values,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  const uid = valueAt(object, "metadata", "uid");
  for (;;) {
    const live = await cluster.read(object);
    if (!live || (uid !== undefined && valueAt(live, "metadata", "uid") !== uid)) return;
    if (signal.aborted || Date.now() > deadline) {
      const finalizers = JSON.stringify(valueAt(live, "metadata", "finalizers") ?? []);
      throw new Error(`it is still being deleted; finalizers: ${finalizers}`);
    }
    await pause(POLL_MS);
  }
}

/** Returns why an object is not ready; undefined = ready. */
export function unreadyReason(live: Values): UnreadyReason | undefined {
  return READINESS[`${textOf(live, "apiVersion")} ${textOf(live, "kind")}`]?.(live);
}

const READINESS: Readonly<Record<string, (live: Values) => UnreadyReason | undefined>> = {
  "apps/v1 Deployment": (live) => {
    const status = (field: string): number => count(valueAt(live, "status", field));
    const wanted = count(valueAt(live, "spec", "replicas"));
    const isObserved = status("observedGeneration") >= count(valueAt(live, "metadata", "generation"));
    const [updated, available, all] = [status("updatedReplicas"), status("availableReplicas"), status("replicas")];
    if (isObserved && updated >= wanted && available >= wanted && all <= wanted) return undefined;
    // ProgressDeadlineExceeded is a reason and no failure: a pod can still become ready (pulumi-kubernetes, provider/pkg/await/deployment.go).
    const late = isObserved ? condition(live, "Progressing", "False") : undefined;
    const progress = late ? `[${textOf(late, "reason")}] ${textOf(late, "message")}; ` : "";
    return {
      reason: `${progress}of ${wanted} replicas ${updated} are updated, ${available} available, ${all} in total`,
    };
  },
  "apps/v1 StatefulSet": (live) => {
    const status = (field: string): Value | undefined => valueAt(live, "status", field);
    const wanted = count(valueAt(live, "spec", "replicas"));
    const isObserved = count(status("observedGeneration")) >= count(valueAt(live, "metadata", "generation"));
    const isRolledOut = status("currentRevision") === status("updateRevision");
    if (isObserved && isRolledOut && count(status("readyReplicas")) >= wanted) return undefined;
    return { reason: `of ${wanted} replicas ${count(status("readyReplicas"))} are ready` };
  },
  "batch/v1 Job": (live) => {
    const failure = condition(live, "Failed");
    if (failure) return { reason: `[${textOf(failure.reason)}] ${textOf(failure.message)}`, failed: true };
    return condition(live, "Complete") ? undefined : { reason: "the job is not complete" };
  },
};

function count(value: Value | undefined): number {
  return typeof value === "number" ? value : 0;
}

function condition(live: Values, type: string, status = "True"): Values | undefined {
  return itemsOf(live, "status", "conditions").find((one) => one.type === type && one.status === status);
}

/** Returns the reasons for which the containers of a workload do not run. */
async function podProblems(cluster: Cluster, workload: Values): Promise<string[]> {
  const pods = await cluster.podsOf(workload);
  const containers = pods.flatMap((pod) => itemsOf(pod, "status", "containerStatuses"));
  return containers.flatMap((container) => {
    const state = valueAt(container, "state", "waiting") ?? valueAt(container, "state", "terminated");
    const reason = [textOf(state, "reason"), textOf(state, "message")].filter((text) => text !== undefined);
    return reason.length === 0 || reason[0] === "Completed"
      ? []
      : [`container "${textOf(container, "name")}": ${reason.join(": ")}`];
  });
}
