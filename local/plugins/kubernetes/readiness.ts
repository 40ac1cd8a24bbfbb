import { setTimeout as pause } from "node:timers/promises";

import type { Value, Values } from "../protocol/plugin.ts";
import { isValues, itemsOf, textOf, valueAt } from "../protocol/values.ts";
import type { Cluster } from "./cluster.ts";

const POLL_MS = 200;

/** Why an object is not ready (yet). Failed: it will not become ready by waiting. */
interface Obstacle {
  readonly reason: string;
  readonly failed?: boolean;
}

/** The object came to be, but not to work. */
export class NotReady extends Error {
  readonly live: Values;
  readonly reasons: readonly string[];

  constructor(live: Values, reasons: readonly string[]) {
    super(reasons.join("; "));
    this.live = live;
    this.reasons = reasons;
  }
}

/** Waits until an object works as its kind means it, and returns it as it is then. `deadline` in ms since 1970. Throws NotReady. */
export async function untilReady(
  cluster: Cluster,
  object: Values,
  deadline: number,
  signal: AbortSignal,
): Promise<Values> {
  let live = object;
  for (;;) {
    const obstacle = OBSTACLES[`${textOf(live, "apiVersion")} ${textOf(live, "kind")}`]?.(live);
    if (!obstacle) return live;
    if (obstacle.failed || signal.aborted || Date.now() > deadline) {
      throw new NotReady(live, [obstacle.reason, ...(await podTroubles(cluster, live))]);
    }
    await pause(POLL_MS);
    live = (await cluster.read(live)) ?? live;
  }
}

/** Waits until the object is gone, or another one has its name. */
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
      const held = JSON.stringify(valueAt(live, "metadata", "finalizers") ?? []);
      throw new Error(`it is still being deleted; finalizers: ${held}`);
    }
    await pause(POLL_MS);
  }
}

const OBSTACLES: Readonly<Record<string, (live: Values) => Obstacle | undefined>> = {
  "v1 Namespace": (live) =>
    valueAt(live, "status", "phase") === "Active" ? undefined : { reason: "the namespace is not active" },
  "apiextensions.k8s.io/v1 CustomResourceDefinition": (live) =>
    condition(live, "Established") ? undefined : { reason: "the definition is not established" },
  "apps/v1 Deployment": (live) => {
    const progress = condition(live, "Progressing", "False");
    const late = observed(live) && progress?.reason === "ProgressDeadlineExceeded";
    if (late) return { reason: textOf(progress.message) ?? "the rollout takes too long", failed: true };
    return replicas(live, "availableReplicas", "available");
  },
  "apps/v1 StatefulSet": (live) => replicas(live, "readyReplicas", "ready"),
  "batch/v1 Job": (live) => {
    const failure = condition(live, "Failed");
    if (failure) return { reason: `the job failed: ${textOf(failure.message) ?? "no reason given"}`, failed: true };
    return condition(live, "Complete") ? undefined : { reason: "the job is not complete" };
  },
};

function replicas(live: Values, field: string, word: string): Obstacle | undefined {
  const wanted = count(valueAt(live, "spec", "replicas"));
  const working = count(valueAt(live, "status", field));
  const updated = count(valueAt(live, "status", "updatedReplicas"));
  const all = count(valueAt(live, "status", "replicas"));
  if (observed(live) && working >= wanted && updated >= wanted && all <= wanted) return undefined;
  return { reason: `${Math.min(working, updated)} of ${wanted} replicas are updated and ${word}` };
}

function observed(live: Values): boolean {
  return count(valueAt(live, "status", "observedGeneration")) >= count(valueAt(live, "metadata", "generation"));
}

function count(value: Value | undefined): number {
  return typeof value === "number" ? value : 0;
}

function condition(live: Values, type: string, status = "True"): Values | undefined {
  return itemsOf(live, "status", "conditions").find((one) => one.type === type && one.status === status);
}

/** What the containers of a workload's Pods say about why they do not run. */
async function podTroubles(cluster: Cluster, workload: Values): Promise<string[]> {
  const labels = valueAt(workload, "spec", "selector", "matchLabels");
  const namespace = textOf(workload, "metadata", "namespace");
  if (!isValues(labels) || namespace === undefined) return [];
  const pods = await cluster.list("v1", "Pod", namespace, labels);
  return pods.flatMap((pod) =>
    itemsOf(pod, "status", "containerStatuses").flatMap((container) => {
      const state = valueAt(container, "state", "waiting") ?? valueAt(container, "state", "terminated");
      const said = [textOf(state, "reason"), textOf(state, "message")].filter((text) => text !== undefined);
      if (said.length === 0 || said[0] === "Completed") return [];
      return [`container "${textOf(container, "name")}" of ${textOf(pod, "metadata", "name")}: ${said.join(": ")}`];
    }),
  );
}
