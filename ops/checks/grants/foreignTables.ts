import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";

/** A foreign table whose wrapper has no handler. Both names are quoted as in SQL. */
export interface UnhandledTable {
  readonly name: string;
  readonly wrapper: string;
}

const SQL = new URL("sql/foreign_tables.sql", import.meta.url);

/** Reads the foreign tables of all schemas whose wrapper has no handler. */
export async function unhandledTables(client: ClientBase): Promise<UnhandledTable[]> {
  return (await client.query<UnhandledTable>(readFileSync(SQL, "utf8"))).rows;
}

/** Returns what such a table does to the data API, and what to do. PostgREST asks for each relation of the database whether it can be updated. */
export function outageOf({ name, wrapper }: UnhandledTable): { readonly problem: string; readonly hint: string } {
  return {
    problem: `has the foreign-data wrapper ${wrapper}, which has no handler: PostgREST cannot load its schema cache, and every request is answered with 503`,
    hint: `drop foreign table ${name}, or give its wrapper a handler (ALTER FOREIGN DATA WRAPPER ${wrapper} HANDLER …)`,
  };
}
