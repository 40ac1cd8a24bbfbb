/** Requests of the tests to the Kubernetes API. */
import { setTimeout as wait } from "node:timers/promises";
import { AppsV1Api, BatchV1Api, CoreV1Api, type KubeConfig, type V1Job, type V1PodSpec } from "@kubernetes/client-node";
import { inject } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { isRolledOut, restartRollout } from "../../local/rollout.ts";

const POLL_MS = 200;
/** Longer than the start of a real authentik on a busy machine, which may take 20 minutes (`infra/identity/containers.ts`). */
export const MAX_WAIT_MS = 1_500_000;

function kubeConfig(): KubeConfig {
  return RetryingKubeConfig.fromFile(inject("cluster").kubeconfig);
}

export const core = (): CoreV1Api => kubeConfig().makeApiClient(CoreV1Api);
export const apps = (): AppsV1Api => kubeConfig().makeApiClient(AppsV1Api);
export const batch = (): BatchV1Api => kubeConfig().makeApiClient(BatchV1Api);

/** Polls until the check returns something. @throws Error with the last state that it described */
async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  state: () => string = () => "",
): Promise<T> {
  const deadline = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${MAX_WAIT_MS / 1000} s. ${state()}`);
    await wait(POLL_MS);
  }
}

/** Waits until every Deployment and StatefulSet is complete, and no pod is being deleted. */
export async function untilAllReady(): Promise<void> {
  let missing = "";
  const check = async (): Promise<boolean> => {
    const [deployments, sets, pods] = await Promise.all([
      apps().listDeploymentForAllNamespaces(),
      apps().listStatefulSetForAllNamespaces(),
      core().listPodForAllNamespaces(),
    ]);
    const waiting = [
      ...deployments.items.filter((one) => !isRolledOut(one)),
      ...sets.items.filter(({ spec, status }) => status?.readyReplicas !== spec?.replicas),
      ...pods.items.filter(({ metadata }) => metadata?.deletionTimestamp),
    ];
    missing = waiting.map(({ metadata }) => metadata?.name).join(", ");
    return waiting.length === 0;
  };
  await until("all workloads are ready", check, () => `Missing: ${missing}`);
}

/** Returns the names of the pods of which a container was started again. */
export async function restartedPods(): Promise<string[]> {
  const { items } = await core().listPodForAllNamespaces();
  const restarted = items.filter(({ status }) =>
    status?.containerStatuses?.some(({ restartCount }) => restartCount > 0),
  );
  return restarted.flatMap(({ metadata }) => metadata?.name ?? []);
}

/** Restarts a Deployment, and returns when its old pods have ended. */
export async function restart(namespace: string, name: string): Promise<void> {
  await restartRollout(apps(), { namespace, name });
  const labelSelector = `app.kubernetes.io/name=${name}`;
  await until(`rollout of ${name}`, async () => {
    const deployment = await apps().readNamespacedDeployment({ namespace, name });
    const { items } = await core().listNamespacedPod({ namespace, labelSelector });
    return isRolledOut(deployment) && items.every(({ metadata }) => !metadata?.deletionTimestamp);
  });
}

interface FinishedJob {
  readonly succeeded: boolean;
  /** The last log lines of a failed pod. */
  readonly message: string;
}

/** Runs a pod as a Job without retries, and returns how it ended. */
export async function runJob(
  namespace: string,
  name: string,
  spec: V1PodSpec,
  labels: Record<string, string>,
): Promise<FinishedJob> {
  const body: V1Job = {
    metadata: { name, namespace },
    spec: { backoffLimit: 0, template: { metadata: { labels }, spec } },
  };
  await batch().createNamespacedJob({ namespace, body });
  const ended = await until(`job ${name}`, async () => {
    const { status } = await batch().readNamespacedJob({ namespace, name });
    return status?.conditions?.find(({ type, status: is }) => /^(Complete|Failed)$/.test(type) && is === "True");
  });
  const { items } = await core().listNamespacedPod({ namespace, labelSelector: `job-name=${name}` });
  const message = items[0]?.status?.containerStatuses?.[0]?.state?.terminated?.message ?? "";
  await batch().deleteNamespacedJob({ namespace, name, propagationPolicy: "Foreground" });
  await until(`deletion of job ${name}`, async () => {
    const jobs = await batch().listNamespacedJob({ namespace, fieldSelector: `metadata.name=${name}` });
    return jobs.items.length === 0;
  });
  return { succeeded: ended.type === "Complete", message };
}
