import type pg from "pg";
import { log, retryForever } from "./log.ts";
import { reachable } from "./store.ts";
import type { Task, TaskName, WorkQueue } from "./tasks.ts";

const TABLE = "authentik_emulator_tasks";
const POLL = 200;

/**
 * The queue between the processes of a server and of its worker, which have only Postgres in common: the server adds a task, the
 * worker takes it and gives it back when it is due, the server runs it.
 */
export class PostgresTasks implements WorkQueue {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Waits for Postgres and creates the table. */
  async load(): Promise<void> {
    await reachable(this.#pool);
    const columns = "id bigserial PRIMARY KEY, name text NOT NULL, argument text NOT NULL, state text NOT NULL";
    // If server and worker create it at the same time, Postgres refuses one of them.
    await retryForever("failed to create the table of tasks", () =>
      this.#pool.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (${columns})`),
    );
  }

  send(name: TaskName, argument: string): void {
    this.#pool
      .query(`INSERT INTO ${TABLE} (name, argument, state) VALUES ($1, $2, 'queued')`, [name, argument])
      .catch((error: unknown) => log("error", "failed to send task", { name, error: String(error) }));
  }

  /** Queues the tasks again that a worker took and did not finish. */
  async requeue(): Promise<void> {
    await this.#pool.query(`UPDATE ${TABLE} SET state = 'queued' WHERE state = 'taken'`);
  }

  async take(): Promise<Task[]> {
    return this.#tasks(`UPDATE ${TABLE} SET state = 'taken' WHERE state = 'queued' RETURNING id, name, argument`);
  }

  async finish({ id, argument }: Task): Promise<void> {
    await this.#pool.query(`UPDATE ${TABLE} SET state = 'due', argument = $2 WHERE id = $1`, [id, argument]);
  }

  /** Runs due tasks in this process, the server's, until the returned function is called. */
  serve(run: (task: Task) => void): () => void {
    const timer = setInterval(() => {
      this.#tasks(`DELETE FROM ${TABLE} WHERE state = 'due' RETURNING id, name, argument`).then(
        (tasks) => tasks.forEach(run),
        (error: unknown) => log("warning", "failed to read tasks", { error: String(error) }),
      );
    }, POLL);
    return () => clearInterval(timer);
  }

  async #tasks(query: string): Promise<Task[]> {
    const { rows } = await this.#pool.query<Task>(query);
    return rows.sort((a, b) => Number(a.id) - Number(b.id));
  }
}
