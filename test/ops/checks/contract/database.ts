import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { choosePorts } from "../../../../local/platform/ports.ts";
import { type PostgresAddress, startPostgres } from "../../../../local/platform/postgres.ts";
import { Processes } from "../../../../local/platform/processes.ts";

/** A Postgres of a test's own. */
export interface TestDatabase {
  readonly address: PostgresAddress;
  /** Its data folder. */
  readonly folder: string;
  /** Connected to the database `postgres`. */
  readonly client: pg.Client;
  close(): Promise<void>;
}

export async function startTestDatabase(password: string): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-contract-"));
  chmodSync(folder, 0o711); // Postgres runs as another user when this is root
  const processes = new Processes(join(folder, "logs"), randomUUID());
  const { postgres: port } = await choosePorts(folder, { postgres: [] });
  const address = await startPostgres(processes, folder, port, password);
  const client = new pg.Client({ ...address, database: "postgres" });
  await client.connect();
  return {
    address,
    folder,
    client,
    close: async () => {
      await client.end();
      await processes.stop([]);
      rmSync(folder, { recursive: true });
    },
  };
}
