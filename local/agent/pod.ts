import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type CoreV1Api,
  PatchStrategy,
  setHeaderOptions,
  type V1ContainerState,
  type V1Pod,
} from "@kubernetes/client-node";
import { errorText } from "../../config/errors/errorText.ts";
import { CONTEXT } from "../platform/cluster.ts";
import { end, inherited, isAlive } from "../platform/processes.ts";
import { TAG } from "../platform/processTag.ts";
import { signalProcess } from "../platform/procfs.ts";
import { prepare, type Prepared } from "./container.ts";
import { probe } from "./probe.ts";
import { statusOf, type Observed } from "./status.ts";

/** Milliseconds between two probes of a Pod that is not ready yet; afterwards the period of its probe applies. */
const STARTUP_PERIOD = 200;
/** Delay before a container restarts, doubled each time up to the limit, and reset after a run of `reset`; in milliseconds. */
const BACK_OFF = { first: 500, limit: 30_000, reset: 600_000 };
/** Milliseconds after which a Pod that is being stopped is killed. */
const GRACE = 5_000;

export interface Folders {
  /** For volumes. */
  readonly pods: string;
  /** For the output of Pods. */
  readonly logs: string;
  /** The executable of a real authentik; undefined = the emulator. */
  readonly authentik: string | undefined;
}

type Terminated = NonNullable<V1ContainerState["terminated"]> & { readonly startedAt: Date };

/** One Pod as a process, from its binding to its deletion. */
export class RunningPod {
  readonly ip: string;
  /** Resolves when the status in the cluster reports that this Pod, which may have run before, is not running yet. */
  readonly announced: Promise<void>;
  readonly #api: CoreV1Api;
  readonly #authentik: string | undefined;
  readonly #folder: string;
  readonly #log: string;
  readonly #ended = new AbortController();
  readonly #done: Promise<void>;
  #pod: V1Pod;
  #child: ChildProcess | undefined;
  #restarts = 0;
  #last: V1ContainerState | undefined;
  #reported = "";

  constructor(api: CoreV1Api, pod: V1Pod, ip: string, folders: Folders) {
    this.ip = ip;
    this.#authentik = folders.authentik;
    this.#api = api;
    this.#pod = pod;
    const name = `${pod.metadata?.namespace}_${pod.metadata?.name}`;
    // Not its name: a Pod whose deletion was forced ends after the next one of that name has started, and the path of authentik's socket in it is limited.
    this.#folder = path.join(folders.pods, `${pod.metadata?.uid?.slice(0, 8)}`);
    this.#log = path.join(folders.logs, `${name}.log`);
    mkdirSync(folders.logs, { recursive: true, mode: 0o700 });
    const waiting = { reason: "ContainerCreating" };
    this.announced = this.#report({ phase: "Pending", ready: false, state: { waiting } });
    this.#done = this.#run().catch((error: unknown) => {
      if (!this.#ended.signal.aborted) console.error(`Pod ${name}: ${errorText(error)}`);
    });
  }

  /** Stops the process and removes the volumes. */
  async stop(): Promise<void> {
    this.#ended.abort();
    if (this.#child) await end(this.#child, "SIGTERM", GRACE);
    await this.#done;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    await this.announced;
    await this.#bind();
    for (let wait = BACK_OFF.first; ; wait = Math.min(wait * 2, BACK_OFF.limit)) {
      const terminated = await this.#runOnce(await this.#prepare());
      const policy = this.#pod.spec?.restartPolicy ?? "Always";
      const failed = terminated.exitCode !== 0;
      if (policy === "Never" || (policy === "OnFailure" && !failed)) {
        await this.#report({ phase: failed ? "Failed" : "Succeeded", ready: false, state: { terminated } });
        return;
      }
      this.#restarts++;
      this.#last = { terminated };
      const message = `back-off ${wait / 1000}s restarting failed container`;
      await this.#report({
        phase: "Running",
        ready: false,
        state: { waiting: { reason: "CrashLoopBackOff", message } },
      });
      if (Date.now() - terminated.startedAt.getTime() > BACK_OFF.reset) wait = BACK_OFF.first;
      await pause(wait, undefined, { signal: this.#ended.signal });
    }
  }

  async #bind(): Promise<void> {
    const { name = "", namespace = "" } = this.#pod.metadata ?? {};
    if (this.#pod.spec?.nodeName) return;
    const target = { kind: "Node", apiVersion: "v1", name: CONTEXT };
    await this.#api.createNamespacedPodBinding({ name, namespace, body: { metadata: { name }, target } });
  }

  /** Retries until everything that the Pod refers to exists, such as a Secret that is created after the Pod. */
  async #prepare(): Promise<Prepared> {
    for (;;) {
      try {
        return await prepare(this.#api, this.#pod, { ip: this.ip, folder: this.#folder, authentik: this.#authentik });
      } catch (error) {
        const waiting = { reason: "CreateContainerConfigError", message: errorText(error) };
        await this.#report({ phase: this.#restarts > 0 ? "Running" : "Pending", ready: false, state: { waiting } });
        await pause(STARTUP_PERIOD * 5, undefined, { signal: this.#ended.signal });
      }
    }
  }

  async #runOnce(prepared: Prepared): Promise<Terminated> {
    const { file, args, env, folder } = prepared;
    this.#ended.signal.throwIfAborted();
    const startedAt = new Date();
    const log = openSync(this.#log, "a", 0o600);
    const base = { ...inherited(), [TAG]: process.env[TAG] };
    const stdio: StdioOptions = ["ignore", log, log];
    const child = spawn(file, args, { cwd: folder, env: { ...base, ...env }, stdio, detached: true });
    closeSync(log);
    this.#child = child;
    const exit = new Promise<number>((resolve) => {
      child.once("error", () => resolve(127));
      child.once("exit", (code, signal) => resolve(code ?? (signal === "SIGKILL" ? 137 : 143)));
    });
    await this.#watch(child, { running: { startedAt } }, prepared);
    const exitCode = await exit;
    if (child.pid !== undefined) signalProcess(-child.pid, "SIGKILL");
    const reason = exitCode === 0 ? "Completed" : "Error";
    const policy = this.#pod.spec?.containers[0]?.terminationMessagePolicy;
    const message = exitCode !== 0 && policy === "FallbackToLogsOnError" && { message: this.#lastLines() };
    return { exitCode, reason, startedAt, finishedAt: new Date(), ...message };
  }

  /** Reports whether the container is ready, for as long as it runs. */
  async #watch(child: ChildProcess, state: V1ContainerState, prepared: Prepared): Promise<void> {
    const [container] = this.#pod.spec?.containers ?? [];
    const { periodSeconds = 10, failureThreshold = 3 } = container?.readinessProbe ?? {};
    let ready = false;
    let failures = 0;
    await this.#report({ phase: "Running", ready, state });
    const exited = new AbortController();
    child.once("exit", () => exited.abort());
    const signal = AbortSignal.any([exited.signal, this.#ended.signal]);
    while (container && isAlive(child) && !this.#ended.signal.aborted) {
      const answered = await probe(container, this.ip, prepared);
      failures = answered ? 0 : failures + 1;
      ready = isAlive(child) && (answered || (ready && failures < failureThreshold));
      await this.#report({ phase: "Running", ready, state });
      await pause(ready ? periodSeconds * 1000 : STARTUP_PERIOD, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Writes the status if it differs from the one written last. */
  async #report(observed: Pick<Observed, "phase" | "ready" | "state">): Promise<void> {
    const { name = "", namespace = "" } = this.#pod.metadata ?? {};
    const summary = JSON.stringify([observed, this.#restarts]);
    if (summary === this.#reported || this.#ended.signal.aborted) return;
    const status = statusOf(this.#pod, { ...observed, restarts: this.#restarts, last: this.#last, ip: this.ip });
    const options = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    try {
      this.#pod = await this.#api.patchNamespacedPodStatus({ name, namespace, body: { status } }, options);
      this.#reported = summary;
    } catch (error) {
      // The next probe reports it again. A Pod that no longer exists is stopped by its watch.
      console.error(`status of Pod ${namespace}/${name}: ${errorText(error)}`);
    }
  }

  /** Returns the end of the log, limited as by a kubelet: 80 lines and 2,048 bytes. */
  #lastLines(): string {
    return readFileSync(this.#log).subarray(-2048).toString("utf8").trimEnd().split("\n").slice(-80).join("\n");
  }
}
