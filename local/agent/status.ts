import type { V1ContainerState, V1Pod, V1PodCondition, V1PodStatus } from "@kubernetes/client-node";

/** What the agent knows of a Pod's container. */
export interface Observed {
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly ready: boolean;
  readonly restarts: number;
  readonly state: V1ContainerState;
  /** How the container ended before. */
  readonly last: V1ContainerState | undefined;
  readonly ip: string;
}

/** The status to write; a condition keeps its time while its value stays. */
export function statusOf(pod: V1Pod, observed: Observed): V1PodStatus {
  const { phase, ready, restarts, state, last, ip } = observed;
  const container = pod.spec?.containers[0];
  const finished = phase === "Succeeded";
  const reason = finished ? "PodCompleted" : state.waiting?.reason;
  const message = state.waiting?.message;
  return {
    phase,
    hostIP: "127.0.0.1",
    podIP: ip,
    podIPs: [{ ip }],
    startTime: pod.status?.startTime ?? new Date(),
    conditions: [
      condition(pod, "PodScheduled", true),
      condition(pod, "Initialized", true),
      condition(pod, "ContainersReady", ready, reason, message),
      condition(pod, "Ready", ready, reason, message),
    ],
    containerStatuses: [
      {
        name: container?.name ?? "",
        image: container?.image ?? "",
        imageID: "",
        ready,
        started: state.running !== undefined,
        restartCount: restarts,
        state,
        ...(last && { lastState: last }),
      },
    ],
  };
}

function condition(pod: V1Pod, type: string, holds: boolean, reason?: string, message?: string): V1PodCondition {
  const status = holds ? "True" : "False";
  const last = pod.status?.conditions?.find((known) => known.type === type);
  const lastTransitionTime = (last?.status === status && last.lastTransitionTime) || new Date();
  return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
}

/** Whether a Pod takes requests. */
export function isReady(pod: V1Pod): boolean {
  if (pod.metadata?.deletionTimestamp) return false;
  return pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
