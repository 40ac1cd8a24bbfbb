import pg from "pg";
import { retryForever } from "./log.ts";
import { dependents, references } from "./objects.ts";
import type { Kind, Kinds, Stored } from "./objects.ts";

const TABLE = "authentik_emulator_objects";

/** Waits until Postgres responds; a Pod often starts before its database. */
export async function reachable(pool: pg.Pool): Promise<void> {
  await retryForever("Postgres is not reachable yet", () => pool.query("SELECT 1"));
}

/**
 * All objects, read from memory and written through to Postgres, so that a restart keeps everything. One server process per
 * database: a second one would not see the first one's writes.
 */
export class Store {
  readonly #objects = new Map<Kind, Map<string, Stored>>();
  readonly #removed = new Map<Kind, ((object: Stored) => void)[]>();
  readonly #pool: pg.Pool | undefined;
  #writes: Promise<unknown> = Promise.resolve();

  /** Without a pool everything stays in memory. */
  constructor(pool?: pg.Pool) {
    this.#pool = pool;
  }

  /** Waits for Postgres, creates the table if necessary, and reads it. @throws the errors of Postgres */
  async load(): Promise<void> {
    if (!this.#pool) return;
    await reachable(this.#pool);
    await this.#pool.query(
      `CREATE TABLE IF NOT EXISTS ${TABLE} (kind text, id text, body jsonb NOT NULL, PRIMARY KEY (kind, id))`,
    );
    const { rows } = await this.#pool.query<{ kind: Kind; id: string; body: Stored }>(
      `SELECT kind, id, body FROM ${TABLE} ORDER BY kind, id`,
    );
    for (const row of rows) this.#kind(row.kind).set(row.id, row.body);
    this.sweep();
  }

  get<K extends Kind>(kind: K, id: string | number | null | undefined): Kinds[K] | undefined {
    return this.#kind(kind).get(String(id)) as Kinds[K] | undefined;
  }

  list<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#kind(kind).values()] as Kinds[K][];
  }

  find<K extends Kind>(kind: K, fields: Partial<Kinds[K]>): Kinds[K] | undefined {
    const wanted = Object.entries(fields);
    for (const object of this.#kind(kind).values()) {
      if (wanted.every(([name, value]) => object[name] === value)) return object as Kinds[K];
    }
    return undefined;
  }

  put<K extends Kind>(kind: K, object: Kinds[K]): Kinds[K] {
    this.#kind(kind).set(String(object.pk), object);
    this.#write(`INSERT INTO ${TABLE} VALUES ($1, $2, $3) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body`, [
      kind,
      String(object.pk),
      JSON.stringify(object),
    ]);
    return object;
  }

  /** Removes an object, and the references to it (see `references`). */
  remove(kind: Kind, id: string | number): void {
    const removed = this.get(kind, id);
    if (!removed) return;
    this.#kind(kind).delete(String(id));
    this.#write(`DELETE FROM ${TABLE} WHERE kind = $1 AND id = $2`, [kind, String(id)]);
    for (const listener of this.#removed.get(kind) ?? []) listener(removed);
    for (const [owner, dependent] of this.dependentsOf(kind, removed.pk)) this.remove(owner, dependent.pk);
    for (const [owner, fields] of Object.entries(references) as [Kind, Record<string, Kind>][]) {
      for (const [field, target] of Object.entries(fields)) {
        if (target === kind) this.#release(owner, field, removed.pk);
      }
    }
  }

  /** The objects that go along when an object is deleted, with their kinds. */
  dependentsOf(kind: Kind, id: string | number): [Kind, Stored][] {
    return dependents.flatMap((owner) => {
      const fields = Object.entries(references[owner] ?? {}).filter(([, target]) => target === kind);
      const objects = this.list(owner) as Stored[];
      return objects
        .filter((object) => fields.some(([field]) => object[field] === id))
        .map((object): [Kind, Stored] => [owner, object]);
    });
  }

  /** Calls the listener with every object of the kind that is removed from now on. */
  onRemoved<K extends Kind>(kind: K, listener: (object: Kinds[K]) => void): void {
    this.#removed.set(kind, [...(this.#removed.get(kind) ?? []), listener as (object: Stored) => void]);
  }

  /** Returns a copy in memory, for a dry run. */
  copy(): Store {
    const copy = new Store();
    for (const [kind, objects] of this.#objects) copy.#objects.set(kind, new Map(objects));
    return copy;
  }

  /** The next number of a sequence; never given out twice. */
  next(sequence: string): number {
    const last = (this.get("sequence", sequence)?.last ?? 0) + 1;
    this.put("sequence", { pk: sequence, last });
    return last;
  }

  /** Removes expired sessions, codes and tokens. */
  sweep(now = Date.now() / 1000): void {
    for (const kind of ["session", "outpost_session", "artifact"] as const) {
      for (const { pk, exp } of this.list(kind)) if (exp < now) this.remove(kind, pk);
    }
  }

  /** Resolves when everything put so far is in Postgres, and throws when it could not be written. */
  async saved(): Promise<void> {
    await this.#writes;
  }

  #kind(kind: Kind): Map<string, Stored> {
    const objects = this.#objects.get(kind) ?? new Map<string, Stored>();
    this.#objects.set(kind, objects);
    return objects;
  }

  /** Empties a field of the objects that refer to a removed one with it. */
  #release(kind: Kind, field: string, id: string | number): void {
    for (const object of this.list(kind) as Stored[]) {
      const value = object[field];
      const isListed = Array.isArray(value) && value.includes(id);
      if (!isListed && value !== id) continue;
      const rest = isListed ? value.filter((entry) => entry !== id) : null;
      this.put(kind, { ...object, [field]: rest } as Kinds[Kind]);
    }
  }

  #write(sql: string, values: string[]): void {
    const pool = this.#pool;
    if (!pool) return;
    this.#writes = this.#writes.then(() => pool.query(sql, values));
    // saved() rejects with it; an unhandled rejection would end the process.
    this.#writes.catch(() => undefined);
  }
}
