import type { Task, TaskName, WorkQueue } from "./tasks.ts";

/** The queue of a server whose worker runs in the same process. */
export class MemoryTasks implements WorkQueue {
  readonly #run: (task: Task) => void;
  #queued: Task[] = [];
  #last = 0;

  constructor(run: (task: Task) => void) {
    this.#run = run;
  }

  send(name: TaskName, argument: string): void {
    this.#queued.push({ id: ++this.#last, name, argument });
  }

  take(): Promise<Task[]> {
    const taken = this.#queued;
    this.#queued = [];
    return Promise.resolve(taken);
  }

  finish(task: Task): Promise<void> {
    this.#run(task);
    return Promise.resolve();
  }
}
