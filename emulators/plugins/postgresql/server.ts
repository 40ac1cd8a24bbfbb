import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import pg from "pg";

import { SSL_MODES, tlsOptions } from "../../libpq.ts";
import { asText } from "../bridge.ts";
import type { Fields } from "../bridge.ts";
import type { Values } from "../protocol/plugin.ts";

/** One connection to one database. */
export interface Sql {
  rows(text: string, parameters?: readonly unknown[]): Promise<Values[]>;
  /** The first row, if there is one. */
  row(text: string, parameters?: readonly unknown[]): Promise<Values | undefined>;
  readonly server: Server;
}

/** The statements of one type of resource. Values are complete, with every default. */
export interface Kind {
  readonly fields: Fields;
  readonly deleteBeforeReplace?: true;
  /** Its statements refuse to run in a transaction. */
  readonly bare?: true;
  id(values: Values): string;
  /** Returns the values in an id to import; undefined if the real plugin cannot import the type either. */
  parse?(id: string): Values;
  create(sql: Sql, values: Values): Promise<void>;
  /** Returns the object in the server; undefined if it does not exist. `known` is the last state, or what `parse` gave. */
  read(sql: Sql, known: Values): Promise<Values | undefined>;
  update(sql: Sql, old: Values, values: Values): Promise<void>;
  delete(sql: Sql, state: Values): Promise<void>;
}

// An arbitrary number. All changes of one database wait for this lock, since parallel grants fail with "tuple concurrently updated".
const CHANGES = 0x6761_7465;
const CONNECTIONS = 4;

/** The database server of the provider's configuration, with a pool for each database that is used. */
export class Server {
  readonly database: string;
  readonly username: string;
  /** As the configuration states. */
  readonly superuser: boolean;
  readonly #options: pg.PoolConfig & { readonly host: string };
  readonly #sslmode: string;
  readonly #sslrootcert: string | undefined;
  readonly #pools = new Map<string, pg.Pool>();

  /** Takes the provider's configuration; what it leaves out comes from the environment of libpq, as with the real plugin. */
  constructor(config: Values) {
    const { env } = process;
    const text = (name: string, variable: string): string | undefined => asText(config[name] ?? "") || env[variable];
    this.database = text("database", "PGDATABASE") ?? "postgres";
    this.superuser = asText(config["superuser"] ?? true) !== "false";
    this.username = text("username", "PGUSER") ?? "postgres";
    this.#sslmode = text("sslmode", "PGSSLMODE") ?? "require";
    this.#sslrootcert = text("sslrootcert", "PGSSLROOTCERT");
    this.#options = {
      host: text("host", "PGHOST") ?? "localhost",
      port: Number(text("port", "PGPORT") ?? 5432),
      user: this.username,
      password: text("password", "PGPASSWORD"),
      connectionTimeoutMillis: 1000 * Number(text("connectTimeout", "PGCONNECT_TIMEOUT") ?? 180),
      max: CONNECTIONS,
      idleTimeoutMillis: 5000,
    };
  }

  /** Runs the work outside a transaction. */
  async session<T>(database: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    const client = await this.#pool(database).connect();
    const rows = async (text: string, parameters?: readonly unknown[]): Promise<Values[]> =>
      (await client.query<Values>(text, parameters ? [...parameters] : undefined)).rows;
    try {
      return await work({ server: this, rows, row: async (...query) => (await rows(...query))[0] });
    } finally {
      client.release();
    }
  }

  /** Runs the work in a transaction, one at a time for each database. */
  async transaction<T>(database: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.session(database, async (sql) => {
      await sql.rows("BEGIN");
      try {
        await sql.rows("SELECT pg_advisory_xact_lock($1)", [CHANGES]);
        const result = await work(sql);
        await sql.rows("COMMIT");
        return result;
      } catch (error) {
        await sql.rows("ROLLBACK");
        throw error;
      }
    });
  }

  /** Closes the connections to a database, so that it can be dropped or renamed. */
  async leave(database: string): Promise<void> {
    const pool = this.#pools.get(database);
    this.#pools.delete(database);
    await pool?.end();
  }

  /** As lib/pq, which reads the file when it connects, and without one trusts the authorities of the system. */
  #encryption(): ConnectionOptions | false {
    const sslmode = SSL_MODES.find((mode) => mode === this.#sslmode);
    if (sslmode === undefined) throw new Error(`unsupported sslmode "${this.#sslmode}"`);
    const sslrootcert = this.#sslrootcert === undefined ? undefined : readFileSync(this.#sslrootcert, "utf8");
    return tlsOptions(sslmode, sslrootcert, this.#options.host);
  }

  #pool(database: string): pg.Pool {
    const known = this.#pools.get(database);
    if (known) return known;
    const pool = new pg.Pool({ ...this.#options, ssl: this.#encryption(), database });
    // A server that stops closes idle connections; the next query fails.
    pool.on("error", () => undefined);
    this.#pools.set(database, pool);
    return pool;
  }
}

/**
 * Runs the work as a member of the roles. The real plugin, too, makes an administrator without superuser rights one for as long (its
 * `withRolesGranted`).
 */
export async function withRolesGranted(sql: Sql, roles: readonly unknown[], work: () => Promise<void>): Promise<void> {
  const missing = sql.server.superuser
    ? []
    : await sql.rows(
        `SELECT rolname AS name FROM pg_roles r WHERE rolname = ANY ($1) AND rolname <> current_user AND NOT rolsuper
         AND NOT EXISTS (
           SELECT FROM pg_auth_members m WHERE m.roleid = r.oid AND m.member = current_user::regrole
           AND coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)
         ) ORDER BY 1`,
        [roles],
      );
  for (const role of missing) await sql.rows(`GRANT ${name(role.name)} TO ${name(sql.server.username)}`);
  await work();
  for (const role of missing) await sql.rows(`REVOKE ${name(role.name)} FROM ${name(sql.server.username)}`);
}

export const name = (value: unknown): string => pg.escapeIdentifier(asText(value));
export const text = (value: unknown): string => pg.escapeLiteral(asText(value));

/** The strings of a list; an absent list has none. */
export const list = (value: Values[string]): string[] => (Array.isArray(value) ? value.map(asText) : []);
