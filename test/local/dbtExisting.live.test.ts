/** dbt as a writer of a database that exists, without a superuser: it drops and creates its tables at each build. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectationOf } from "../../ops/checks/grants/expectation.ts";
import { verifyGrants } from "../../ops/checks/grants/verification.ts";
import { copyDbtProject, type Dbt, dbtBuild, installDbt } from "../helpers/dbt.ts";
import { ADMINISTRATOR, type DataApi, startDataApi } from "./postgrest.ts";

const EMAIL = "canary-7d20@example.org";
const password = randomUUID();
const project = mkdtempSync(join(tmpdir(), "gatehouse-dbt-"));
let api: DataApi;
let dbt: Dbt;
let env: NodeJS.ProcessEnv;

const CONTENT = `
  set role ${ADMINISTRATOR}; create role dbt login password '${password}'; create role etl login; reset role;
  create schema marts authorization dbt; create schema api_v1 authorization dbt; create schema raw authorization etl;
  create schema people authorization etl;
  set role etl;
  create table people.mayor (region_code text, email text); insert into people.mayor values ('0301', '${EMAIL}');
  create table raw.ssb_kommuner (region_code text primary key, region_name text not null, orgnr text, ingested_at timestamptz not null);
  insert into raw.ssb_kommuner values ('0301', 'Oslo', '958935420', '2026-01-01T00:00:00Z');
  grant usage on schema raw to dbt; grant select on all tables in schema raw to dbt;
  reset role`;

beforeAll(async () => {
  copyDbtProject(project);
  const file = join(project, "dbt_project.yml");
  const keeping = readFileSync(file, "utf8");
  const replacing = keeping
    .replace("+materialized: incremental", "+materialized: table")
    .replaceAll(/^ +\+(pre-hook|on_schema_change|full_refresh):.*\n/gm, "");
  expect(replacing).not.toContain("incremental");
  writeFileSync(file, replacing);
  dbt = await installDbt();
  api = await startDataApi({
    superuser: false,
    writers: ["dbt", "etl"],
    content: CONTENT,
    exposed: ["api_v1", "marts", "raw"],
    private: ["people"],
    hidden: [],
  });
  const session = await api.session();
  await session.end();
  env = {
    PGHOST: "127.0.0.1",
    PGPORT: String(session.port),
    PGUSER: "dbt",
    PGPASSWORD: password,
    PGDATABASE: api.plan.database,
  };
});
afterAll(async () => {
  // Undefined if dbt could not be installed.
  await (api as DataApi | undefined)?.stop();
  rmSync(project, { recursive: true });
});

const build = (): Promise<void> => dbtBuild(dbt, project, env);

const read = (path: string, schema = "marts") => api.get(path, { "Accept-Profile": schema });

/** Returns the names of the municipalities, or the code of the error, separated by commas. */
async function municipalities(): Promise<string> {
  const { body } = await read("/dim_municipality?select=kommune_navn&order=kommune_nr");
  const response = JSON.parse(body) as { kommune_navn: string }[] | { code: string };
  return Array.isArray(response) ? response.map(({ kommune_navn }) => kommune_navn).join() : response.code;
}

test("has no event triggers", async () => {
  expect(await api.query("select evtname from pg_event_trigger")).toEqual([]);
});

test("serves a first build without a deployment, because its hook notifies PostgREST", async () => {
  // PostgREST 14 serves what its schema cache contains; 12.0.2, which the tests run, reads other relations, too.
  const listener = await api.session();
  const notices: (string | undefined)[] = [];
  listener.on("notification", ({ payload }) => notices.push(payload));
  await listener.query("listen pgrst");
  await build();
  await listener.query("select"); // Postgres sends what has been notified before its result
  await listener.end();
  expect(notices).toEqual(["reload schema"]);
  await expect.poll(municipalities).toBe("Oslo");
  expect(
    await api.query(
      "select distinct relkind, pg_get_userbyid(relowner)::text as owner from pg_class where relnamespace in ('marts'::regnamespace) and relkind = 'r'",
    ),
  ).toEqual([{ relkind: "r", owner: "dbt" }]);
});

test("serves the tables, without private columns, during a build that drops and creates them", async () => {
  await api.query("insert into raw.ssb_kommuner values ('0302', 'New', null, '2026-02-01T00:00:00Z')", "etl");
  const tables = "select oid from pg_class where relname = 'dim_municipality'";
  const before = await api.query(tables);
  let running = true;
  const seen = new Set<string>();
  const reader = async (): Promise<void> => {
    while (running) {
      seen.add(await municipalities());
      await setTimeout(5);
    }
  };
  const reading = reader();
  await build().finally(() => (running = false));
  await reading;
  expect(seen).toContain("Oslo");
  // A read waits for the swap of the tables for one second at most (docs/existing-database.md).
  expect([...seen].filter((one) => !["Oslo", "Oslo,New", "55P03"].includes(one))).toEqual([]);
  expect(await municipalities()).toBe("Oslo,New");
  expect(await api.query(tables)).not.toEqual(before);

  const answers = [
    await read("/"),
    await read("/mayor"),
    await read("/mayor", "people"),
    await read("/meta_endpoints", "api_v1"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 406, 200]);
  expect(answers.filter(({ body }) => body.includes(EMAIL))).toEqual([]);
});

test("keeps every grant as planned after the builds", async () => {
  const client = await api.session();
  try {
    await client.query(`set role ${ADMINISTRATOR}`);
    const findings = await verifyGrants(client, expectationOf(api.plan));
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  } finally {
    await client.end();
  }
});
