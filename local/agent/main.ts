/**
 * The agent: an emulator of the kubelet (Pods become processes), of kube-scheduler (a Pod whose requests do not fit on this machine stays
 * Pending) and of kube-proxy (Services become listeners).
 * It has no init containers, liveness probes, `preStop` hooks, resource limits or network policies, and every process runs as the user who started the
 * platform, whatever the security context. Arguments: data folder, kubeconfig, CIDR of Pods (a /22), executable of a real
 * authentik (empty = the emulator). Sends "ready" to its parent when Pods of an earlier run no longer count as running.
 */
import { randomInt } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { CoreV1Api, type Informer, type KubernetesObject, makeInformer, type V1Pod } from "@kubernetes/client-node";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { insufficient, MACHINE } from "./capacity.ts";
import { RunningPod, type Folders } from "./pod.ts";
import { Services } from "./services.ts";
import { markUnschedulable } from "./status.ts";

const [data, kubeconfig, range, authentik] = process.argv.slice(2);
if (!data || !kubeconfig || !range) throw new Error("usage: main.ts DATA KUBECONFIG PODS [AUTHENTIK]");
const [first = 0, second = 0, third = 0] = range.split(".").map(Number);

const config = RetryingKubeConfig.fromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);
const folders: Folders = {
  pods: path.join(data, "pods"),
  logs: path.join(data, "logs", "pods"),
  authentik: authentik || undefined,
};
rmSync(folders.pods, { recursive: true, force: true });

const running = new Map<string, RunningPod>();
const leaving = new Set<string>();
/** Pods that do not fit on the node now. */
const waiting = new Set<string>();
const pods = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
const services = makeInformer(config, "/api/v1/services", () => api.listServiceForAllNamespaces());
const proxy = new Services(() => pods.list());

pods.on("add", take);
pods.on("update", take);
pods.on("delete", (pod) => void end(pod).then(takeWaiting));
services.on("add", (service) => proxy.put(service));
services.on("update", (service) => proxy.put(service));
services.on("delete", (service) => proxy.remove(service));

process.once("SIGTERM", () => void stop());
await removeUnclaimed(path.join(data, "volumes"));
await Promise.all([keepWatching(pods), keepWatching(services)]);
await Promise.all([...running.values()].map(({ announced }) => announced));
process.send?.("ready");

function take(pod: V1Pod): void {
  const uid = pod.metadata?.uid ?? "";
  const finished = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  if (pod.metadata?.deletionTimestamp) {
    if (!leaving.has(uid)) void remove(pod);
  } else if (finished) {
    takeWaiting();
  } else if (!running.has(uid)) {
    const others = pods.list().filter(({ metadata }) => running.has(metadata?.uid ?? ""));
    const reason = insufficient(pod, others, MACHINE);
    if (reason === undefined) {
      waiting.delete(uid);
      running.set(uid, new RunningPod(api, pod, freeAddress(), folders));
    } else if (!waiting.has(uid)) {
      waiting.add(uid);
      void markUnschedulable(api, pod, reason);
    }
  }
}

/** Starts what fits since another Pod has ended. */
function takeWaiting(): void {
  for (const pod of pods.list()) if (waiting.has(pod.metadata?.uid ?? "")) take(pod);
}

/** Stops the process of a Pod that is being deleted, then deletes the Pod from the API server. */
async function remove(pod: V1Pod): Promise<void> {
  const { uid = "", name = "", namespace = "" } = pod.metadata ?? {};
  leaving.add(uid);
  await end(pod);
  try {
    await api.deleteNamespacedPod({ name, namespace, body: { gracePeriodSeconds: 0, preconditions: { uid } } });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) console.error(`deleting Pod ${namespace}/${name}:`, error);
  } finally {
    leaving.delete(uid);
  }
}

/** Volumes live as long as their claims. */
async function removeUnclaimed(volumes: string): Promise<void> {
  const { items } = await api.listPersistentVolumeClaimForAllNamespaces();
  const claimed = items.map(({ metadata }) => metadata?.uid);
  const found = existsSync(volumes) ? readdirSync(volumes) : [];
  for (const uid of found) if (!claimed.includes(uid)) rmSync(path.join(volumes, uid), { recursive: true });
}

async function end(pod: V1Pod): Promise<void> {
  const uid = pod.metadata?.uid ?? "";
  await running.get(uid)?.stop();
  running.delete(uid);
  waiting.delete(uid);
}

async function stop(): Promise<void> {
  await Promise.all([...running.values()].map((pod) => pod.stop()));
  process.exit();
}

/** Returns a random address, so that clients of a Pod that has ended do not connect to the next one. */
function freeAddress(): string {
  const taken = new Set([...running.values()].map(({ ip }) => ip));
  for (;;) {
    const ip = `${first}.${second}.${third + randomInt(4)}.${randomInt(1, 255)}`;
    if (!taken.has(ip)) return ip;
  }
}

function keepWatching<T extends KubernetesObject>(informer: Informer<T>): Promise<void> {
  const again = (error: unknown): void => {
    console.error("watching again after:", error);
    setTimeout(() => void informer.start().catch(again), 1_000);
  };
  informer.on("error", again);
  return informer.start();
}
