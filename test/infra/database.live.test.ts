/** The databases of the data API and of authentik by the real engine and the emulated provider, on a server that the stack did not deploy. */
import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseStack } from "../../config/load.ts";
import type { Cluster } from "../../infra/cluster.ts";
import { Database } from "../../infra/data/database.ts";
import type { Settings } from "../../config/settings.ts";
import { AuthentikDatabase } from "../../infra/identity/database.ts";
import { Grants } from "../../infra/data/grants.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { Postgres } from "../../infra/postgres/postgres.ts";
import { SERVERS } from "../../infra/servers.ts";
import { isProtected } from "../../infra/postgres/connection.ts";
import { resolveRolePassword } from "../../infra/postgres/rolePassword.ts";
import { openWorkshop, type Workshop } from "../../emulators/test/plugins/stacks.ts";
import { choosePorts } from "../../local/platform/ports.ts";
import { type PostgresAddress, startPostgres } from "../../local/platform/postgres.ts";
import { Processes } from "../../local/platform/processes.ts";
import { checkIdentityDatabase } from "../../ops/checks/verify/database.ts";
import { type Ran, runEngine } from "../../ops/engine/run.ts";
import { nameOf } from "../../ops/engine/step.ts";
import { sections, shell, stack } from "../config/stacks.ts";
import { fullTest } from "../helpers/fullTest.ts";

const PASSWORD = "server-canary-0d7e";
let workshop: Workshop;
let processes: Processes;
let address: PostgresAddress;

beforeAll(async () => {
  // The program runs in this process, and reads its variables from the environment.
  Object.assign(process.env, shell, { POSTGRES: PASSWORD });
  workshop = await openWorkshop("postgresql");
  await chmod(workshop.folder, 0o711); // Postgres runs as another user when this is root
  processes = new Processes(join(workshop.folder, "logs"), randomUUID());
  const { postgres: port } = await choosePorts(workshop.folder, { postgres: [] });
  address = await startPostgres(processes, workshop.folder, port, PASSWORD);
  await query(
    `create role administrator login createrole createdb password '${PASSWORD}'; create role other login password '${PASSWORD}'`,
  );
});

afterAll(async () => {
  await processes.stop([]);
  await workshop.close();
});

async function query(text: string, database = "postgres"): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ ...address, database });
  await client.connect();
  try {
    return (await client.query<pg.QueryResultRow>(text)).rows;
  } finally {
    await client.end();
  }
}

const ignored = (): void => undefined;
const changes = ({ steps }: Ran): string[] =>
  steps.map((step) => `${step.operation} ${nameOf(step)}: ${step.paths.join(", ")}`);
const databases = async () => (await query("select datname from pg_database where not datistemplate")).length;

const CHECK = "privileges of PUBLIC on database authentik";
const REVOKE = "REVOKE ALL ON DATABASE authentik FROM PUBLIC";
const DATABASE = { name: "authentik", user: "authentik" } as Parameters<typeof checkIdentityDatabase>[1];

/** Takes the advisory lock that authentik takes at its start. @returns the error, if there is one */
async function lockOf(user: string): Promise<string> {
  const client = new pg.Client({
    ...address,
    user,
    password: user === "authentik" ? shell.DB : PASSWORD,
    database: "authentik",
  });
  try {
    await client.connect();
    await client.query("select pg_advisory_lock(1000)");
    return "locked";
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end();
  }
}

test("rejects, in the preview, a password that the plugin would store differently, without printing it", async () => {
  const { stack: deployed, use } = await workshop.open("backslash", () => undefined);
  const text = { template: "${ODD}", variables: ["ODD"] };
  process.env["ODD"] = "canary\\";
  use(() => void resolveRolePassword(text, "data_api.owner_password"));
  const refused = await runEngine(ignored, (watch) => deployed.preview(watch)).then(() => "", String);
  expect(refused).toContain(
    "data_api.owner_password: contains a backslash, of which the plugin postgresql stores two. Use a password without backslashes.",
  );
  expect(refused).not.toContain("canary");
});

describe.each([
  ["a superuser", "postgres", true],
  ["a role without superuser rights", "administrator", false],
])("with %s", (_title, user, superuser) => {
  /** The settings of a stack on the server, and the server. */
  function configure(changes: Record<string, unknown>): { settings: Settings; postgres: Postgres } {
    const { host, port } = address;
    const server = { host, port, user, superuser, password: "${POSTGRES}", sslmode: "disable" };
    const settings = parseStack(stack({ postgres: server, protected_services: [], ...changes }), shell);
    if (!settings.postgres) throw new Error("the stack has no server");
    const postgres = new Postgres("postgres", {
      server: settings.postgres,
      settings,
      cluster: {} as Cluster,
      servers: SERVERS,
    });
    return { settings, postgres };
  }

  /** Deploys database and grants, as the data API does around its migrations. */
  function declare(database: unknown): void {
    const { settings, postgres } = configure({ data_api: { ...sections.data_api, database } });
    const { data: plan } = computePlan(settings);
    if (!settings.dataApi || !plan) throw new Error("the stack has no data API");
    const protect = isProtected(settings.dataApi, postgres.server);
    const child = { providers: [postgres.providerOf(plan, "data-postgres", postgres)] };
    const created = new Database("database", { dataApi: settings.dataApi, plan, protect }, child);
    if (!plan.existing) {
      new Grants("grants", { plan, database: created.name }, { ...child, dependsOn: [created] });
    }
  }

  // Protection is an option of the engine, whatever the user of the server may do.
  const ofEngine = superuser ? test : fullTest;
  ofEngine("refuses to drop the database that the stack created, until it is no longer protected", async () => {
    const before = await databases();
    const { stack: deployed, use } = await workshop.open(`created-${user}`, () => undefined);
    const declared = (protect: boolean) => use(() => declare({ name: "warehouse", protect }));
    const previewed = async () => changes(await runEngine(ignored, (watch) => deployed.preview(watch)));
    declared(false);
    await deployed.up();
    expect((await deployed.up({ refresh: true })).summary.resourceChanges).not.toHaveProperty("update");
    expect(await previewed()).toEqual([]);
    if (!superuser) {
      await deployed.destroy();
      expect(await databases()).toBe(before);
      return;
    }

    declared(true);
    expect(await previewed()).toEqual(["update Database database-database: protect = true"]);
    await deployed.up();
    expect(await previewed()).toEqual([]);
    await expect(deployed.destroy()).rejects.toThrow("protect");
    expect(await databases()).toBe(before + 1);

    // Neither does a deployment without the section.
    use(() => undefined);
    await expect(previewed()).rejects.toThrow("protect");
    await expect(deployed.up()).rejects.toThrow("protect");
    expect(await databases()).toBe(before + 1);

    declared(true);
    await deployed.up();
    declared(false);
    expect(await previewed()).toEqual(["update Database database-database: protect = false"]);
    await deployed.up();
    expect(await previewed()).toEqual([]);
    await deployed.destroy();
    expect(await databases()).toBe(before);
  });

  test("closes the database of authentik to other login roles, and refuses to drop it until it is no longer protected", async () => {
    const before = await databases();
    const { stack: deployed, use } = await workshop.open(`authentik-${user}`, () => undefined);
    const declared = (fields: object) =>
      use(() => {
        const database = { password: "${DB}", ...fields };
        const changes = { data_api: undefined, identity_provider: { ...sections.identity_provider, database } };
        const { settings, postgres } = configure(changes);
        if (!settings.identityProvider.database) throw new Error("the stack has no authentik");
        new AuthentikDatabase("authentik", { database: settings.identityProvider.database, postgres });
      });
    declared({});
    await deployed.up();
    const check = async () =>
      checkIdentityDatabase({ connection: { ...address, user, password: PASSWORD } }, DATABASE, superuser);
    if (superuser) {
      await query("grant connect on database authentik to public");
      expect(await lockOf("other")).toBe("locked");
      const hint = `deploy with --refresh, or run: ${REVOKE}`;
      expect(await check()).toEqual({
        name: CHECK,
        ok: false,
        detail: "every login role of the server has CONNECT",
        hint,
      });
      await deployed.up({ refresh: true });
    } else {
      expect(await lockOf("other")).toBe("locked");
      const detail = "every login role of the server has CONNECT, TEMPORARY";
      const hint = `run as authentik: ${REVOKE}`;
      expect(await check()).toEqual({ name: CHECK, ok: true, skipped: true, detail, hint });
      await query(`set role authentik; ${REVOKE}`);
    }
    expect(await lockOf("other")).toBe('permission denied for database "authentik"');
    expect(await lockOf("authentik")).toBe("locked");
    expect(await check()).toEqual({ name: CHECK, ok: true, detail: "none" });

    await expect(deployed.destroy()).rejects.toThrow("protect");
    // As a deployment with `install: false` does.
    use(() => undefined);
    await expect(deployed.up()).rejects.toThrow("protect");
    expect(await databases()).toBe(before + 1);

    declared({ protect: false });
    await deployed.up();
    await deployed.destroy();
    expect(await databases()).toBe(before);
  });

  (superuser ? fullTest : test)("a destroy keeps a database that the stack did not create", async () => {
    await query(`create database shop owner ${user}`);
    const { stack: deployed, use } = await workshop.open(`existing-${user}`, () => undefined);
    use(() => declare({ name: "shop", existing: true }));
    const { summary } = await deployed.up();
    const { create, ...others } = summary.resourceChanges ?? {};
    expect(others).toEqual({});
    expect((await deployed.up({ refresh: true })).summary.resourceChanges).toEqual({ same: create });
    await query(
      `create schema marts authorization gatehouse_owner;
       grant usage on schema marts to gatehouse_anonymous;
       set role gatehouse_owner;
       alter default privileges in schema marts grant select on tables to gatehouse_anonymous;
       create table marts.sales as select 1 as id`,
      "shop",
    );
    await deployed.destroy();
    expect(await query("select rolname from pg_roles where rolname like 'gatehouse%'")).toEqual([]);
    expect(
      await query(
        "select pg_get_userbyid(relowner)::text as owner, (select id from marts.sales) from pg_class where relname = 'sales'",
        "shop",
      ),
    ).toEqual([{ owner: user, id: 1 }]);
    await query("drop database shop");
  });
});
