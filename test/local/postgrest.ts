import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { request } from "undici";
import { migrationVariables } from "../../infra/data/migrations.ts";
import { dataPlan, IDLE_MS } from "../../infra/plan/grants.ts";
import type { DataPlan } from "../../infra/plan/types.ts";
import type { Command } from "../../local/agent/command.ts";
import { commandFor } from "../../local/agent/images.ts";
import { choosePorts } from "../../local/platform/ports.ts";
import { startPostgres } from "../../local/platform/postgres.ts";
import { Processes } from "../../local/platform/processes.ts";
import { LIMITS } from "../helpers/limits.ts";

const PASSWORD = "server-canary-91aa";
/** The fields of a container request that are the same for every command here. */
const MACHINE = { ip: "127.0.0.1", mounts: new Map<string, string>(), folder: tmpdir(), authentik: undefined };
const SQL = join(import.meta.dirname, "../../infra/data/sql");

/** A real Postgres with the database of the data API as the stack creates it, and a real PostgREST, without a cluster. */
export interface DataApi {
  /** Runs SQL as the superuser or another role, in the data API's database or another one. */
  query<Row extends pg.QueryResultRow>(text: string, role?: string, database?: string): Promise<Row[]>;
  /** Opens a session of the superuser, which the caller ends. */
  session(): Promise<pg.Client>;
  /** Runs the migrations as the Job does. @param variables added to those of the Job. @throws Error with the output of psql */
  migrate(variables?: Readonly<Record<string, string>>): void;
  /** Creates the roles as the stack does. */
  createRoles(): Promise<unknown>;
  /** Starts the migrations as a separate process. */
  startMigration(): ChildProcess;
  /** Sends a request to PostgREST. */
  get(path: string, headers?: Readonly<Record<string, string>>, method?: "GET" | "HEAD"): Promise<Answer>;
  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer>;
  /** Restarts PostgREST with other settings. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  readonly roles: typeof ROLES;
  readonly plan: DataPlan;
  /** PostgREST's port on 127.0.0.1. */
  readonly port: number;
  /** Returns the log of Postgres. */
  log(): string;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const ROLES = { anonymous: "gatehouse_anonymous", authenticator: "gatehouse_authenticator", owner: "gatehouse_owner" };
const EXPOSED = ["api_v1", "marts", "raw"];
const PRIVATE = ["private_marts", "private_raw"];
const OWN = { superuser: true, exposed: EXPOSED, private: PRIVATE, hidden: [], writers: [] };
/** A role without superuser rights. */
export const ADMINISTRATOR = "administrator";

/** A database that exists before the data API. */
export interface ExistingDatabase extends Pick<DataPlan, "writers" | "superuser"> {
  readonly exposed: readonly string[];
  readonly private: readonly string[];
  readonly hidden: readonly string[];
  /** Creates its objects, as the superuser; `administrator` exists, and owns the database. */
  readonly content: string;
}

/**
 * Starts both and runs the migrations.
 * @param existing default: a database that the stack creates, with a superuser
 */
export async function startDataApi(existing?: ExistingDatabase): Promise<DataApi> {
  // An existing one can have a name that needs quotes in SQL.
  const name = existing === undefined ? "gatehouse" : "my-Shop";
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-data-"));
  await chmod(folder, 0o711); // Postgres runs as another user when this is root
  const processes = new Processes(join(folder, "logs"), randomUUID());
  const ports = await choosePorts(folder, { postgres: [], postgrest: [] });
  const address = await startPostgres(processes, folder, ports.postgres, PASSWORD);
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client({ ...address, database });
    client.on("notice", () => undefined);
    await client.connect();
    return client;
  };
  const query = async <Row extends pg.QueryResultRow>(text: string, role?: string, database = name): Promise<Row[]> => {
    const client = await connect(database);
    try {
      if (role !== undefined) await client.query(`set role ${role}`);
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };

  const { superuser, exposed, private: closed, hidden, writers } = existing ?? OWN;
  const user = superuser ? "postgres" : ADMINISTRATOR;
  const plan = dataPlan(
    {
      database: name,
      existing: existing !== undefined,
      writers,
      exposed,
      private: closed,
      hidden,
      roles: ROLES,
      limits: LIMITS,
    },
    { user, superuser },
  );
  // As the main user of a managed server.
  await query(`create role ${ADMINISTRATOR} login createrole createdb password '${PASSWORD}'`, undefined, "postgres");
  await query(`create database "${name}" owner ${user}`, undefined, "postgres");
  if (existing) await query(existing.content);
  const createRoles = (): Promise<unknown> => query(roleStatements(), user, "postgres");
  await createRoles();
  if (!existing) {
    await query(plan.schemas.map(({ name, owner }) => `create schema ${name} authorization ${owner}`).join(";"));
  }
  const psql = await commandFor("postgres:18", { ...MACHINE, command: ["psql"], args: [] });
  const migration = (variables = {}): Psql =>
    migrationOf(psql, { ...address, user, database: name }, { ...migrationVariables(plan), ...variables });
  const migrate = (variables = {}): void => {
    const { file, args, env } = migration(variables);
    const result = spawnSync(file, args, { encoding: "utf8", env });
    if (result.status !== 0) throw new Error(result.stderr);
  };
  migrate();
  if (!existing) await query(grantStatements(plan));

  const origin = `http://127.0.0.1:${ports.postgrest}`;
  const send = async (path: string, options: Parameters<typeof request>[1]): Promise<Answer> => {
    const response = await request(`${origin}${path}`, options);
    return { status: response.statusCode, headers: response.headers, body: await response.body.text() };
  };
  const get: DataApi["get"] = (path, headers = {}, method = "GET") => send(path, { method, headers });
  let running: Processes | undefined;
  const restart = async (settings: Readonly<Record<string, string>> = {}): Promise<void> => {
    await running?.stop([]);
    running = new Processes(join(folder, "logs-postgrest"), randomUUID());
    const { file } = await commandFor("postgrest/postgrest:v12.0.2", { ...MACHINE, command: [], args: [] });
    const env = { ...postgrestSettings(ports, exposed, name), ...settings };
    running.start({ name: "postgrest", command: file, args: [], env, stopSignal: "SIGKILL" });
    await running.until("postgrest", async () => (await get("/")).status === 200);
  };
  await restart();
  return {
    query,
    session: () => connect(name),
    migrate,
    createRoles,
    startMigration: () => {
      const { file, args, env } = migration();
      return spawn(file, args, { env, stdio: "ignore" });
    },
    get,
    post: (path, headers, body) => send(path, { method: "POST", headers, body }),
    restart,
    roles: ROLES,
    plan,
    port: ports.postgrest,
    log: () => readFileSync(processes.logOf("postgres"), "utf8"),
    stop: async () => {
      await running?.stop([]);
      await processes.stop([]);
      await rm(folder, { recursive: true });
    },
  };
}

function roleStatements(): string {
  return `create role ${ROLES.anonymous} nologin;
    alter role ${ROLES.anonymous} set statement_timeout to 5000;
    create role ${ROLES.authenticator} login noinherit password '${PASSWORD}';
    alter role ${ROLES.authenticator} set idle_in_transaction_session_timeout to ${IDLE_MS};
    grant ${ROLES.anonymous} to ${ROLES.authenticator};
    create role ${ROLES.owner} login`;
}

/** The plan's grants and default privileges as SQL, as the provider runs it. */
function grantStatements(plan: DataPlan): string {
  const plural = { table: "tables", sequence: "sequences", function: "functions" };
  const grants = plan.grants.map(({ role, schema = "", kind, privileges }) => {
    const what =
      kind === "database" || kind === "schema"
        ? `${kind} ${kind === "database" ? plan.database : schema}`
        : `all ${plural[kind]} in schema ${schema}`;
    const grant = privileges.length === 0 ? "" : `grant ${privileges.join(",")} on ${what} to ${role}`;
    return `revoke all on ${what} from ${role}; ${grant}`;
  });
  const defaults = plan.defaultPrivileges.map(({ owner, role, schema, kind, privileges }) => {
    const prefix = `alter default privileges for role ${owner} ${schema === undefined ? "" : `in schema ${schema}`}`;
    const grant =
      privileges.length === 0 ? "" : `${prefix} grant ${privileges.join(",")} on ${plural[kind]} to ${role}`;
    return `${prefix} revoke all on ${plural[kind]} from ${role}; ${grant}`;
  });
  return [...defaults, ...grants].join(";");
}

interface Psql {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

function migrationOf(
  psql: Command,
  { host, port, user, database }: Readonly<Record<"host" | "user" | "database", string>> & { readonly port: number },
  variables: Readonly<Record<string, string>>,
): Psql {
  const files = readdirSync(SQL).sort();
  const args = [
    "--quiet",
    "--single-transaction",
    "-v",
    "ON_ERROR_STOP=1",
    ...Object.entries(variables).flatMap(([name, value]) => ["-v", `${name}=${value}`]),
    ...files.flatMap((file) => ["-f", join(SQL, file)]),
  ];
  const connection = {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: PASSWORD,
    PGDATABASE: database,
  };
  return { file: psql.file, args: [...psql.args, ...args], env: { ...process.env, ...connection } };
}

function postgrestSettings(
  { postgres, postgrest }: { postgres: number; postgrest: number },
  exposed: readonly string[],
  database: string,
): Record<string, string> {
  return {
    PGRST_DB_URI: `postgres://${ROLES.authenticator}:${PASSWORD}@127.0.0.1:${postgres}/${database}`,
    PGRST_DB_SCHEMAS: [...exposed, "gatehouse_openapi"].join(","),
    PGRST_DB_ANON_ROLE: ROLES.anonymous,
    PGRST_DB_PRE_REQUEST: "gatehouse.pre_request",
    PGRST_DB_EXTRA_SEARCH_PATH: "gatehouse_openapi",
    PGRST_DB_MAX_ROWS: "1000",
    PGRST_DB_POOL: "10",
    PGRST_DB_CONFIG: "false",
    PGRST_SERVER_HOST: "127.0.0.1",
    PGRST_SERVER_PORT: String(postgrest),
  };
}
