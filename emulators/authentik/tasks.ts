/** What authentik leaves to its worker. Without a worker nothing of it happens (measured.md, Blueprints and start-up). */
export type TaskName =
  "create_default" | "discover_blueprint" | "apply_blueprint" | "outpost_send_update" | "outpost_session_end";
export type Task = { id: number; name: TaskName; argument: string };

/** How long the worker takes before a task is run: least and most, in milliseconds. */
export const delays: Record<TaskName, readonly [number, number]> = {
  create_default: [0, 3000],
  discover_blueprint: [0, 500],
  apply_blueprint: [500, 1500],
  outpost_send_update: [100, 400],
  outpost_session_end: [200, 2000],
};

/** The server's side: leaves a task to the worker. */
export type TaskSender = { send: (name: TaskName, argument: string) => void };

/** The worker's side. */
export type WorkQueue = TaskSender & {
  /** The tasks that no worker has taken yet. */
  take: () => Promise<Task[]>;
  /** Has the server run a task, which holds its objects in memory. */
  finish: (task: Task) => Promise<void>;
};

/** For a runtime without a worker. */
export const noTasks: TaskSender = { send: () => undefined };
