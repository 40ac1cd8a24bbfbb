import {
  type CoreV1Api,
  PatchStrategy,
  setHeaderOptions,
  type V1ContainerState,
  type V1Pod,
  type V1PodCondition,
  type V1PodStatus,
} from "@kubernetes/client-node";

/** The observed state of a Pod's container. */
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
  const unready = ready ? undefined : unreadyReason(phase, container?.name ?? "");
  return {
    phase,
    hostIP: "127.0.0.1",
    podIP: ip,
    podIPs: [{ ip }],
    startTime: pod.status?.startTime ?? new Date(),
    conditions: [
      condition(pod, "PodScheduled", true),
      condition(pod, "Initialized", true),
      condition(pod, "ContainersReady", ready, unready),
      condition(pod, "Ready", ready, unready),
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

/** Returns the reason as a kubelet words it: why the container is not ready is in the state of the container. */
function unreadyReason(phase: Observed["phase"], container: string): Reason {
  if (phase === "Succeeded") return { reason: "PodCompleted" };
  if (phase === "Failed") return { reason: "PodFailed" };
  return { reason: "ContainersNotReady", message: `containers with unready status: [${container}]` };
}

type Reason = Pick<V1PodCondition, "reason" | "message">;

function condition(pod: V1Pod, type: string, isTrue: boolean, reason: Reason = {}): V1PodCondition {
  const status = isTrue ? "True" : "False";
  const last = pod.status?.conditions?.find((known) => known.type === type);
  const lastTransitionTime = (last?.status === status && last.lastTransitionTime) || new Date();
  return { type, status, lastTransitionTime, ...reason };
}

/** Writes into the status of a Pod why no node takes it, as kube-scheduler does. */
export async function markUnschedulable(api: CoreV1Api, pod: V1Pod, message: string): Promise<void> {
  const { name = "", namespace = "" } = pod.metadata ?? {};
  const conditions = [condition(pod, "PodScheduled", false, { reason: "Unschedulable", message })];
  const options = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch);
  try {
    await api.patchNamespacedPodStatus({ name, namespace, body: { status: { conditions } } }, options);
  } catch (error) {
    console.error(`status of Pod ${namespace}/${name}:`, error);
  }
}
