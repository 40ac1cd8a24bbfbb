import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { migrationVariables } from "../../../../infra/data/migrations.ts";
import { dataPlan, IDLE_MS } from "../../../../infra/plan/grants.ts";
import type { DataPlan, Grant } from "../../../../infra/plan/types.ts";
import { LIMITS } from "../../../helpers/limits.ts";
import { choosePorts } from "../../../../local/platform/ports.ts";
import { type PostgresAddress, startPostgres } from "../../../../local/platform/postgres.ts";
import { Processes } from "../../../../local/platform/processes.ts";

const PASSWORD = "grants-7d1f";
const DATABASE = "warehouse";

export const plan: DataPlan = dataPlan(
  {
    database: DATABASE,
    existing: false,
    writers: [],
    hidden: [],
    exposed: ["api_v1", "marts"],
    private: ["private_marts"],
    roles: {
      anonymous: "web_anon",
      authenticator: "authenticator",
      owner: "pipeline",
    },
    limits: LIMITS,
  },
  { user: "postgres", superuser: true },
);

export interface Server {
  readonly address: PostgresAddress & { readonly database: string };
  stop(): Promise<void>;
}

/** A real PostgreSQL server with a database as planned. */
export async function startPlanned(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "grants-"));
  chmodSync(folder, 0o711); // Postgres runs as another user when this is root
  const processes = new Processes(join(folder, "logs"), randomUUID());
  const { postgres: port } = await choosePorts(folder, { postgres: [] });
  const address = await startPostgres(processes, folder, port, PASSWORD);
  await run({ ...address, database: "postgres" }, [...roles(), `CREATE DATABASE ${DATABASE}`]);
  const planned = { ...address, database: DATABASE };
  await run(
    planned,
    plan.schemas.map(({ name, owner }) => `CREATE SCHEMA ${name} AUTHORIZATION ${owner}`),
  );
  migrate(planned);
  await run(planned, [...plan.defaultPrivileges.map(defaultSql), ...plan.grants.flatMap(grantSql)]);
  const stop = async () => {
    await processes.stop([]);
    rmSync(folder, { recursive: true, force: true });
  };
  return { address: planned, stop };
}

async function run(address: Server["address"], statements: readonly string[]): Promise<void> {
  const client = new Client(address);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function roles(): string[] {
  const { anonymous, authenticator, owner } = plan.roles;
  return [
    `CREATE ROLE ${anonymous} NOLOGIN`,
    `ALTER ROLE ${anonymous} SET statement_timeout = ${LIMITS.statementTimeout}`,
    `CREATE ROLE ${authenticator} LOGIN NOINHERIT`,
    `ALTER ROLE ${authenticator} SET idle_in_transaction_session_timeout = ${IDLE_MS}`,
    `GRANT ${anonymous} TO ${authenticator}`,
    `CREATE ROLE ${owner} LOGIN`,
  ];
}

/** As the migration Job does (infra/data/migrations.ts), with the variables that the files know. */
function migrate({ host, port, user, password, database }: Server["address"]): void {
  const folder = new URL("../../../../infra/data/sql/", import.meta.url);
  const variables = { ...migrationVariables(plan), ON_ERROR_STOP: "1" };
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  const args = [
    new URL("../../../../emulators/programs/psql.ts", import.meta.url).pathname,
    "--single-transaction",
    ...Object.entries(variables).flatMap(([name, value]) => ["-v", `${name}=${value}`]),
    ...files.sort().flatMap((file) => ["-f", new URL(file, folder).pathname]),
  ];
  const env = { PGHOST: host, PGPORT: String(port), PGUSER: user, PGPASSWORD: password, PGDATABASE: database };
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function roleSql(role: string): string {
  return role === "public" ? "PUBLIC" : role;
}

/** What the provider does for a cell: everything is taken, then what it names is given. */
function grantSql({ role, schema, kind, privileges }: Grant): string[] {
  const all = `ALL ${kind.toUpperCase()}S IN SCHEMA ${schema}`;
  const target = kind === "database" ? `DATABASE ${DATABASE}` : kind === "schema" ? `SCHEMA ${schema}` : all;
  const revoke = `REVOKE ALL ON ${target} FROM ${roleSql(role)}`;
  return privileges.length === 0 ? [revoke] : [revoke, `GRANT ${privileges.join(", ")} ON ${target} TO ${role}`];
}

function defaultSql({ owner, role, schema, kind, privileges }: DataPlan["defaultPrivileges"][number]): string {
  const place = `FOR ROLE ${owner}${schema === undefined ? "" : ` IN SCHEMA ${schema}`}`;
  const change =
    privileges.length === 0
      ? `REVOKE ALL ON ${kind.toUpperCase()}S FROM ${roleSql(role)}`
      : `GRANT ${privileges.join(", ")} ON ${kind.toUpperCase()}S TO ${roleSql(role)}`;
  return `ALTER DEFAULT PRIVILEGES ${place} ${change}`;
}
