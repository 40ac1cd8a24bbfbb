import { applyInstance, discoverBlueprint } from "./blueprintInstances.ts";
import type { Applied, Discovered } from "./blueprintInstances.ts";
import { createDefault } from "./defaults.ts";
import type { Bootstrap } from "./defaults.ts";
import { log } from "./log.ts";
import type { EmbeddedOutpost } from "./outpost/embeddedOutpost.ts";
import type { EventHub } from "./outpost/eventHub.ts";
import { INSTRUCTIONS } from "./outpost/messages.ts";
import type { Runtime } from "./resources.ts";
import type { Task, TaskName } from "./tasks.ts";

/** Runs the tasks that a worker hands back, on the server's objects. */
export class TaskRunner {
  readonly #runtime: Runtime;
  readonly #events: EventHub;
  readonly #embedded: EmbeddedOutpost;

  constructor(runtime: Runtime, events: EventHub, embedded: EmbeddedOutpost) {
    this.#runtime = runtime;
    this.#events = events;
    this.#embedded = embedded;
  }

  run({ name, argument }: Task): void {
    try {
      this.#actors[name](argument);
    } catch (error) {
      log("error", "task failed", { task: name, error: (error as Error).message });
    }
    this.#embedded.start();
  }

  readonly #actors: Record<TaskName, (argument: string) => void> = {
    create_default: (argument) => {
      const { path, bootstrap } = JSON.parse(argument) as { path: string; bootstrap: Bootstrap };
      createDefault(this.#runtime, path, bootstrap);
    },
    discover_blueprint: (argument) => discoverBlueprint(this.#runtime, JSON.parse(argument) as Discovered),
    apply_blueprint: (argument) => applyInstance(this.#runtime, JSON.parse(argument) as Applied),
    outpost_send_update: (pk) => this.#events.send(pk, { instruction: INSTRUCTIONS.triggerUpdate, args: {} }),
    outpost_session_end: (session_id) => {
      for (const { pk } of this.#runtime.store.list("outpost")) {
        this.#events.send(pk, { instruction: INSTRUCTIONS.sessionEnd, args: { session_id } });
      }
    },
  };
}
