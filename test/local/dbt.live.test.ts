/** The project of docs/dbt.md with dbt itself, against Postgres and PostgREST. */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import Papa from "papaparse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyDbtProject, type Dbt, dbtBuild, type DbtRun, installDbt } from "../helpers/dbt.ts";
import { fullTest } from "../helpers/fullTest.ts";
import { CATALOG } from "./dbtCatalog.ts";
import { type DataApi, startDataApi } from "./postgrest.ts";

const project = mkdtempSync(join(tmpdir(), "gatehouse-dbt-"));
const password = randomUUID();
let api: DataApi;
let dbt: Dbt;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  copyDbtProject(project);
  dbt = await installDbt();
  api = await startDataApi();
  const session = await api.session();
  env = { PGHOST: "127.0.0.1", PGPORT: String(session.port), PGPASSWORD: password };
  await session.query(`alter role ${api.roles.owner} password '${password}'; set role ${api.roles.owner}`);
  await session.query(
    `create table raw.ssb_kommuner (region_code text primary key, region_name text not null, orgnr text, ingested_at timestamptz not null)`,
  );
  const csv = readFileSync(join(import.meta.dirname, "../../local/sample/kommuner-2024.csv"), "utf8");
  await session.query(
    `insert into raw.ssb_kommuner select kommune_nr, navn, nullif(orgnr, ''), '2026-01-01T00:00:00Z'
     from json_to_recordset($1::json) as row (kommune_nr text, navn text, orgnr text)`,
    [JSON.stringify(Papa.parse(csv, { header: true, skipEmptyLines: true }).data)],
  );
  await session.end();
});
afterAll(async () => {
  // Undefined if dbt could not be installed.
  await (api as DataApi | undefined)?.stop();
  rmSync(project, { recursive: true });
});

const build = (): Promise<void> => dbtBuild(dbt, project, env);

function edit(file: string, before: string, after: string): void {
  const path = join(project, file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(before);
  writeFileSync(
    path,
    text.replaceAll(before, () => after),
  );
}

async function rows(path: string, schema = "api_v1"): Promise<Record<string, unknown>[]> {
  const { status, body } = await api.get(path, { "Accept-Profile": schema });
  expect([status, body]).toEqual([200, body]);
  return JSON.parse(body) as Record<string, unknown>[];
}

const MARTS = ["marts.dim_county", "marts.dim_municipality", "marts.indicator_municipalities"];
const MODELS = ["county_summary", "dim_county", "dim_municipality", "indicator_municipalities"];

/** What the catalog shows of the models: descriptions of their columns by name, and the rest. */
async function described(): Promise<Record<string, unknown>[]> {
  const select = "schema,relation,type,kind,title,description,tags,source_ids,columns";
  const found = await rows(`/meta_endpoints?relation=in.(${MODELS.join(",")})&select=${select}&order=relation`);
  return found.map((row) => ({
    ...row,
    columns: Object.fromEntries(
      (row["columns"] as { name: string; description: string }[]).map(({ name, description }) => [name, description]),
    ),
  }));
}

test("fills the tables and the catalog with dbt build", async () => {
  await build();
  expect(await described()).toEqual(CATALOG);
  expect(await rows("/meta_sources")).toEqual([
    {
      source_id: "ssb-klass-131",
      provider: "ssb",
      title: "Classification of municipalities",
      licence: "CC BY 4.0",
      licence_url: "https://creativecommons.org/licenses/by/4.0/",
      publisher: "Statistics Norway",
      attribution: "Source: Statistics Norway",
      periodicity: "yearly",
      homepage: "https://www.ssb.no/en/klass/klassifikasjoner/131",
      last_ingested_at: "2026-01-01T00:00:00+00:00",
      upstream_updated_at: null,
      next_expected_at: "2027-01-02T00:00:00+00:00",
      // A year after the ingestion it is late.
      freshness: expect.stringMatching(/^(fresh|late)$/) as string,
      row_estimate: expect.any(Number) as number,
      endpoints: [
        "api_v1.county_summary",
        "marts.dim_municipality",
        "marts.indicator_municipalities",
        "raw.ssb_kommuner",
      ],
    },
  ]);
  expect(await rows("/county_summary?fylke_nr=eq.03")).toEqual([
    { fylke_nr: "03", fylke_navn: "Oslo", municipalities: 1 },
  ]);
  await expect
    .poll(async () => {
      const { definitions } = JSON.parse((await api.get("/")).body) as {
        definitions: Record<string, { properties: Record<string, { description: string }> } | undefined>;
      };
      return definitions["county_summary"]?.properties["municipalities"]?.description;
    })
    .toBe("Number of municipalities in the county");
});

test("writes the same catalog entries from target/manifest.json as from the hook", async () => {
  const manifest = readFileSync(join(project, "target/manifest.json"), "utf8");
  const session = await api.session();
  try {
    await session.query(`set role ${api.roles.owner}`);
    expect((await session.query("select * from catalog.describe_dbt($1)", [manifest])).rows).toEqual([]);
    await session.query("begin; delete from catalog.endpoints; delete from catalog.tags; delete from catalog.sources");
    await session.query("select * from catalog.describe_dbt($1)", [manifest]);
    await session.query("commit");
  } finally {
    await session.end();
  }
  expect(await described()).toEqual(CATALOG);
});

test("answers every read during a rebuild, which keeps grants and views, and changes rows and descriptions", async () => {
  const text = `It's 100 % "quoted": \\ $$ {a} 'b'; -- Ærlig 🏔`;
  const { owner } = api.roles;
  await api.query("create view api_v1.outside as select kommune_nr, kommune_navn from marts.dim_municipality", owner);
  await api.query("insert into raw.ssb_kommuner values ('0399', 'New', null, '2026-02-01T00:00:00Z')", owner);
  edit("models/marts/marts.yml", "{ title: Municipalities }", `{ title: ${JSON.stringify(text)} }`);
  edit("models/marts/marts.yml", "description: Name of the municipality", `description: ${JSON.stringify(text)}`);
  const tables = `select oid::regclass::text as relation, oid, relacl::text from pg_class where relname in ('${MODELS.join("','")}') order by 1`;
  const before = await api.query(tables);
  await expect.poll(async () => (await api.get("/outside")).status).toBe(200);

  const relations = ["api_v1.county_summary", "api_v1.outside", ...MARTS];
  let running = true;
  const reads = new Set<string>();
  const reader = async (): Promise<void> => {
    while (running) {
      for (const relation of relations) {
        const [schema = "", name = ""] = relation.split(".");
        const { status, body } = await api.get(`/${name}?limit=1`, { "Accept-Profile": schema });
        reads.add(`${relation} ${status} ${body === "[]" ? "empty" : "rows"}`);
        await setTimeout(5); // dbt and the server have a share of the processor
      }
    }
  };
  const reading = reader();
  await build().finally(() => (running = false));
  await reading;
  expect([...reads].sort()).toEqual(relations.map((relation) => `${relation} 200 rows`));
  expect(await api.query(tables)).toEqual(before);
  expect(await rows("/county_summary?fylke_nr=eq.03")).toEqual([
    { fylke_nr: "03", fylke_navn: "Oslo", municipalities: 2 },
  ]);
  expect(await described()).toEqual(
    CATALOG.map((row) =>
      row.relation === "dim_municipality"
        ? { ...row, title: text, columns: { ...row.columns, kommune_navn: text } }
        : row,
    ),
  );
  const [outside] = await rows("/meta_endpoints?relation=eq.outside&select=columns");
  expect(outside?.["columns"]).toMatchObject([{}, { name: "kommune_navn", description: text }]);
  expect(await rows("/meta_sources?select=last_ingested_at")).toEqual([
    { last_ingested_at: "2026-02-01T00:00:00+00:00" },
  ]);
});

// The check itself is tested in sqlDbtCheck.live.test.ts; each run of dbt takes seconds of CPU time.
fullTest("rejects +grants without the anonymous role; without the check, the tables are not readable", async () => {
  const { anonymous, owner } = api.roles;
  const file = join(project, "dbt_project.yml");
  const before = readFileSync(file, "utf8");
  const granting = before.replace("+schema: marts", '+schema: marts\n      +grants: { select: ["pg_monitor"] }');
  const read = async (): Promise<number> => (await api.get("/dim_county", { "Accept-Profile": "marts" })).status;
  writeFileSync(file, granting);
  const run = await dbt(project, ["build"], env);
  expect(run.code).not.toBe(0);
  expect(run.output).toContain(
    `model dim_county: has grants without ${anonymous}: dbt revokes its SELECT, which the data API needs. Add ${anonymous} to +grants.select.`,
  );
  expect(await read()).toBe(200);
  writeFileSync(file, granting.replaceAll(/^on-run-.*$/gm, ""));
  await build();
  expect(await read()).toBe(401);
  writeFileSync(file, before);
  await api.query(`grant select on all tables in schema marts to ${anonymous}`, owner);
  await api.query(`grant select on all tables in schema api_v1 to ${anonymous}`, owner);
});

test("builds nothing of a refused project", async () => {
  await api.query("delete from raw.ssb_kommuner where region_code = '0399'", api.roles.owner);
  edit("models/marts/marts.yml", "eu_theme:regi", "theme:regi");
  edit(
    "models/marts/marts.yml",
    "      - name: orgnr\n",
    "      - name: orgnr\n        config: { meta: { contains_pii: true } }\n",
  );
  edit("dbt_project.yml", "+materialized: incremental", "+materialized: table");
  // The flag --store-failures applies to tests without a setting. The owner role may not create dbt's schema for them.
  edit("dbt_project.yml", "models:\n  +persist", "data_tests: { +schema: private_marts }\nmodels:\n  +persist");
  edit(
    "models/sources.yml",
    "sources:\n",
    "sources:\n  - name: people\n    schema: private_raw\n    tables: [{ name: person }]\n",
  );
  mkdirSync(join(project, "tests"));
  writeFileSync(
    join(project, "tests/named.sql"),
    "{{ config(schema='marts') }} select * from {{ source('people', 'person') }} where name is null",
  );
  const problems = (run: DbtRun): string[] =>
    run.output.split("\n").flatMap((line) => /((models|tests)\/.*)/.exec(line)?.[1] ?? []);

  const run = await dbt(project, ["build", "--store-failures"], env);
  expect(run.code).not.toBe(0);
  const unknown = `unknown namespace of tag "theme:regi". Namespaces: topic, geo, cadence, eu_theme. A tag that is only for dbt has no colon.`;
  const marts = (model: string): string => `models/marts/marts.yml: model ${model}`;
  expect(problems(run)).toEqual([
    `${marts("dim_county")}: ${unknown}`,
    `${marts("dim_municipality")}: a run drops the view api_v1.outside, which is not a model. Materialize dim_municipality as incremental, or make the view a model.`,
    `${marts("dim_municipality")}: ${unknown}`,
    `${marts("dim_municipality")}, column orgnr: is private, and its schema is exposed. Remove the column, or use a private schema.`,
    `${marts("indicator_municipalities")}: ${unknown}`,
    "tests/named.sql: test named: reads personal data of models/sources.yml: source people.person. Use a private schema. If none of it is in the result, set meta.gatehouse.no_personal_data: true.",
  ]);
  expect(await rows("/county_summary?fylke_nr=eq.03")).toEqual([
    { fylke_nr: "03", fylke_navn: "Oslo", municipalities: 2 },
  ]);
});
