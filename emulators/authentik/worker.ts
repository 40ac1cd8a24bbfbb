import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import type { Applied, Discovered } from "./blueprintInstances.ts";
import type { Bootstrap } from "./defaults.ts";
import { defaults } from "./defaults.ts";
import { log } from "./log.ts";
import type { Random } from "./random.ts";
import { DELAYS } from "./tasks.ts";
import type { Task, WorkQueue } from "./tasks.ts";

/** Intervals at which a worker polls for tasks and for changed files, in milliseconds. */
const PERIOD = { tasks: 50, files: 500 };

export type WorkerOptions = {
  random: Random;
  bootstrap: Bootstrap;
  /** AUTHENTIK_BLUEPRINTS_DIR: its *.yaml files are discovered and applied. None = only the default blueprints. */
  blueprints?: string | undefined;
};

/** authentik's worker: decides when the tasks of a server are run, and reads the files of blueprints. */
export class Worker {
  readonly #queue: WorkQueue;
  readonly #options: WorkerOptions;
  readonly #hashes = new Map<string, string>();
  readonly #ended = new AbortController();

  constructor(queue: WorkQueue, options: WorkerOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  /** Sends the tasks of a start, in random order, and runs until `stop`. */
  start(): void {
    const { random, bootstrap } = this.#options;
    for (const { path: name } of random.shuffled(defaults)) {
      this.#queue.send("create_default", JSON.stringify({ path: name, bootstrap }));
    }
    const timers = [
      setInterval(() => void this.#work(), PERIOD.tasks),
      setInterval(() => this.#discover(), PERIOD.files),
    ];
    this.#ended.signal.addEventListener("abort", () => timers.forEach((timer) => clearInterval(timer)));
  }

  stop(): void {
    this.#ended.abort();
  }

  async #work(): Promise<void> {
    try {
      for (const task of await this.#queue.take()) void this.#finish(task);
    } catch (error) {
      log("warning", "failed to take tasks", { error: String(error) });
    }
  }

  async #finish(task: Task): Promise<void> {
    try {
      await this.#options.random.wait(...DELAYS[task.name], this.#ended.signal);
      await this.#queue.finish(task.name === "apply_blueprint" ? this.#withContent(task) : task);
    } catch (error) {
      if (!this.#ended.signal.aborted) log("error", "task failed", { task: task.name, error: String(error) });
    }
  }

  /** Only the worker can read a blueprint's file. */
  #withContent(task: Task): Task {
    const applied = JSON.parse(task.argument) as Applied;
    const file = applied.path && this.#options.blueprints ? path.join(this.#options.blueprints, applied.path) : "";
    if (!file || !existsSync(file)) return task;
    return { ...task, argument: JSON.stringify({ ...applied, content: readFileSync(file, "utf8") }) };
  }

  /** Reports every file that is new or changed. Hidden ones, and those that are not blueprints, are left out. */
  #discover(): void {
    const folder = this.#options.blueprints;
    if (!folder || !existsSync(folder)) return;
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    for (const name of names.filter((one) => one.endsWith(".yaml") && !/(^|\/)\./.test(one))) {
      const content = readFileSync(path.join(folder, name), "utf8");
      const hash = createHash("sha512").update(content).digest("hex");
      if (this.#hashes.get(name) === hash) continue;
      this.#hashes.set(name, hash);
      const found = discovered(name, content, hash);
      if (found) this.#queue.send("discover_blueprint", JSON.stringify(found));
    }
  }
}

type Metadata = { name?: string; labels?: Record<string, string> };

function discovered(name: string, content: string, hash: string): Discovered | undefined {
  try {
    const { version = 1, metadata } = parse(content, { logLevel: "silent" }) as {
      version?: number;
      metadata?: Metadata;
    };
    if (version !== 1 || metadata?.labels?.["blueprints.goauthentik.io/instantiate"] === "false") return undefined;
    return { path: name, name: metadata?.name ?? name, hash };
  } catch (error) {
    log("warning", "failed to parse blueprint", { path: name, error: (error as Error).message });
    return undefined;
  }
}
