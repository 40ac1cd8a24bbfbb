/** A whole stack on a database that exists before it, whose administrator is no superuser, as on a managed server. */
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SUPERUSER_FEATURES } from "../../config/sections/postgres/superuserFeatures.ts";
import type { DataPlan } from "../../infra/plan/types.ts";
import { expectationOf } from "../../ops/checks/grants/expectation.ts";
import { verifyGrants } from "../../ops/checks/grants/verification.ts";
import { type HttpResponse, withClient } from "../../ops/clients/http.ts";
import { common, listed, type OwnPlatform, type OwnStack, startOwnPlatform } from "../helpers/ownPlatform.ts";
import { identityProvider } from "../helpers/sections.ts";

const EMAIL = "canary-8d20@example.org";
const ADMINISTRATOR = "manager";
const SECRETS = {
  MANAGER_PASSWORD: "manager-canary",
  DATA_AUTHENTICATOR_PASSWORD: "authenticator-canary",
  DATA_OWNER_PASSWORD: "owner-canary",
};
/** Roles of the stack in the database. */
const ROLES = "select rolname::text as name from pg_roles where rolname like 'gatehouse%' order by 1";
/** What the migrations created belongs to the administrator, who can remove it. */
const VIEWS = "select distinct relowner::regrole::text as owner from pg_class where relname like 'meta!_%' escape '!'";
const TABLES = `
  select relname::text as name, relnamespace::regnamespace::text as schema, relowner::regrole::text as owner
  from pg_class where relkind = 'r' and relowner = 'dbt'::regrole order by 1`;

let own: OwnPlatform;
let stack: OwnStack;
let plan: DataPlan | undefined;

/** Runs statements as a role in a database. @returns the rows of the last one */
async function query(user: string, database: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const password = user === ADMINISTRATOR ? SECRETS.MANAGER_PASSWORD : own.platform.postgres.password;
  const client = new Client({ ...own.platform.postgres, database, user, password });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}
const asSuperuser = (...statements: string[]) => query(own.platform.postgres.user, "shop", ...statements);

beforeAll(async () => {
  own = await startOwnPlatform();
  Object.assign(process.env, SECRETS);
  await query(
    own.platform.postgres.user,
    "postgres",
    `create role ${ADMINISTRATOR} login createrole createdb password '${SECRETS.MANAGER_PASSWORD}'`,
    `create database shop owner ${ADMINISTRATOR}`,
  );
  await query(ADMINISTRATOR, "shop", "create role dbt");
  await asSuperuser(
    "create schema analytics_api authorization dbt",
    "create schema people authorization dbt",
    `grant usage, create on schema analytics_api to ${ADMINISTRATOR}`,
    "set role dbt",
    `create table people.customer as select 1 as id, '${EMAIL}'::text as email`,
    "create table analytics_api.sales as select 1 as id, 7 as amount",
  );
  stack = await own.open("existing");
});
afterAll(() => own.stop());

const config = () => {
  const { host, port } = own.platform.postgres;
  return {
    ...common(own.platform),
    ...listed([]),
    "gatehouse:identity_provider": identityProvider(),
    "gatehouse:postgres": {
      host,
      port,
      user: ADMINISTRATOR,
      superuser: false,
      password: "${MANAGER_PASSWORD}",
      sslmode: "disable",
    },
    "gatehouse:data_api": {
      domains: "auto",
      replicas: 1,
      catalog: false,
      database: { name: "shop", existing: true },
      schemas: { exposed: ["analytics_api"], private: ["people"], hidden: [] },
      writers: ["dbt"],
      authenticator_password: "${DATA_AUTHENTICATOR_PASSWORD}",
      owner_password: "${DATA_OWNER_PASSWORD}",
    },
  };
};

const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> =>
  withClient((client) => client.send(`${own.origin("data.localhost")}${path}`, { headers }));
const response = (path: string) =>
  expect.poll(() => ask(path).then(({ status, body }) => [status, body]), { timeout: 240_000, interval: 200 });

test("deploys, and serves the tables of another owner", async () => {
  const deployed = await stack.up(config());
  plan = deployed.plan.data;
  expect(Object.keys(deployed.changes)).toEqual(["create"]);
  await response("/sales").toEqual([200, '[{"id":1,"amount":7}]']);
  expect(await asSuperuser(TABLES)).toEqual([
    { name: "customer", schema: "people", owner: "dbt" },
    { name: "sales", schema: "analytics_api", owner: "dbt" },
  ]);
});

test("serves no private table", async () => {
  expect((await ask("/customer")).status).toBe(404);
  const refused = await ask("/customer", { "Accept-Profile": "people" });
  expect([refused.status, refused.body.includes(EMAIL)]).toEqual([404, false]);
});

test("serves a table that its owner creates later, after a notification", async () => {
  await asSuperuser(
    "set role dbt",
    "create table analytics_api.later as select 2 as id",
    "notify pgrst, 'reload schema'",
  );
  await response("/later").toEqual([200, '[{"id":2}]']);
});

test("has the planned grants, and reports what needs a superuser", async () => {
  const { postgres } = own.platform;
  const user = { user: ADMINISTRATOR, password: SECRETS.MANAGER_PASSWORD, database: "shop" };
  const client = new Client({ ...postgres, ...user });
  await client.connect();
  try {
    const findings = await verifyGrants(client, expectationOf(plan as DataPlan));
    expect(findings.map(({ subject, danger }) => `${subject}: ${danger}`).sort()).toEqual(
      SUPERUSER_FEATURES.map(({ kind, name }) => `${kind} ${name}: unenforced`).sort(),
    );
  } finally {
    await client.end();
  }
});

test("changes nothing in a second deployment", async () => {
  expect(Object.keys((await stack.up(config())).changes)).toEqual(["same"]);
});

test("removes its roles with the section data_api, and keeps the database and its rows", async () => {
  const { "gatehouse:data_api": _, ...rest } = config();
  await stack.up(rest);
  await response("/sales").toEqual([404, expect.any(String)]);
  expect(await asSuperuser(ROLES)).toEqual([]);
  expect(await asSuperuser(VIEWS)).toEqual([{ owner: ADMINISTRATOR }]);
  expect(await asSuperuser("select id, amount from analytics_api.sales")).toEqual([{ id: 1, amount: 7 }]);
  expect(await asSuperuser("select email from people.customer")).toEqual([{ email: EMAIL }]);
  expect((await asSuperuser(TABLES)).map(({ name }) => name)).toEqual(["customer", "later", "sales"]);
});
