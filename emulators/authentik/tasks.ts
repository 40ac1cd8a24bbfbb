/** The tasks of the worker. Without a worker none runs (docs/authentik.md, Blueprints and start-up). */
export type TaskName =
  | "create_default"
  | "discover_blueprint"
  | "apply_blueprint"
  | "outpost_send_update"
  | "outpost_session_end";
export type Task = { id: number; name: TaskName; argument: string };

/** Minimum and maximum delay before a task runs, in milliseconds. */
export const DELAYS: Record<TaskName, readonly [number, number]> = {
  create_default: [0, 3000],
  discover_blueprint: [0, 500],
  apply_blueprint: [500, 1500],
  outpost_send_update: [100, 400],
  outpost_session_end: [200, 2000],
};

/** The queue as the server uses it. */
export type TaskSender = { send: (name: TaskName, argument: string) => void };

/** The queue as the worker uses it. */
export type WorkQueue = TaskSender & {
  /** The tasks that no worker has taken yet. */
  take: () => Promise<Task[]>;
  /** Returns a task to the server, which runs it on its objects in memory. */
  finish: (task: Task) => Promise<void>;
};

/** For a runtime without a worker. */
export const noTasks: TaskSender = { send: () => undefined };
