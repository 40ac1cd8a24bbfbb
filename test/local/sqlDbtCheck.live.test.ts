/** What the catalog refuses in a manifest of dbt. */
import * as fc from "fast-check";
import type { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { idOf, type Manifest, manifestOf } from "./dbtManifest.ts";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
let owner: Client;
beforeAll(async () => {
  api = await startDataApi();
  owner = await api.session();
  await owner.query(`create schema staging authorization ${api.roles.owner}; set role ${api.roles.owner}`);
});
afterAll(async () => {
  await owner.end();
  await api.stop();
});
beforeEach(() => owner.query("drop table if exists marts.dim_a cascade"));

async function problemsOf(manifest: Manifest): Promise<string[]> {
  const error = await owner.query("select catalog.check_dbt($1)", [JSON.stringify(manifest)]).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  return error?.split("\n").slice(1) ?? [];
}

describe("check_dbt", () => {
  const model = (name: string): string => `models/marts.yml: model ${name}`;

  test.each<[string, Manifest, string[]]>([
    [
      "unknown keys",
      manifestOf(
        { dim_a: { gatehouse: { titel: "A" }, columns: { c: { meta: { gatehouse: { secret: true } } } } } },
        { s: { gatehouse: { title: "S", url: "x" } } },
      ),
      [
        `${model("dim_a")}: unknown key meta.gatehouse.titel. Keys: kind, no_personal_data, title.`,
        `${model("dim_a")}, column c: unknown key meta.gatehouse.secret. Keys: private.`,
        "models/sources.yml: source ssb.s: unknown key meta.gatehouse.url. Keys: attribution, homepage, licence, licence_url, periodicity, provider, publisher, source_id, title.",
      ],
    ],
    [
      "values of another type",
      manifestOf({
        dim_a: {
          gatehouse: { title: 2024, no_personal_data: "yes" },
          columns: { c: { meta: { gatehouse: { private: "true" } } } },
        },
        dim_b: { gatehouse: "title" },
      }),
      [
        `${model("dim_a")}: meta.gatehouse.no_personal_data is not a boolean. Write a boolean.`,
        `${model("dim_a")}: meta.gatehouse.title is not a string. Write a string.`,
        `${model("dim_a")}, column c: meta.gatehouse.private is not a boolean. Write a boolean.`,
        `${model("dim_b")}: meta.gatehouse is not a mapping. Write keys and values.`,
      ],
    ],
    [
      "unknown kinds, namespaces and values",
      manifestOf(
        { dim_a: { gatehouse: { kind: "dimension" }, tags: ["topik:a", "topic:a b", "topic:", "geo:a:b"] } },
        { s: { gatehouse: { provider: "Statistics Norway" } } },
      ),
      [
        `${model("dim_a")}: invalid tag "geo:a:b". Its value has no blank, comma, colon, bracket, quote or backslash.`,
        `${model("dim_a")}: invalid tag "topic:". Its value has no blank, comma, colon, bracket, quote or backslash.`,
        `${model("dim_a")}: invalid tag "topic:a b". Its value has no blank, comma, colon, bracket, quote or backslash.`,
        `${model("dim_a")}: unknown kind "dimension". Kinds: dim, fact, indicator, supply, ref.`,
        `${model("dim_a")}: unknown namespace of tag "topik:a". Namespaces: topic, geo, cadence, eu_theme. A tag that is only for dbt has no colon.`,
        'models/sources.yml: source ssb.s: invalid provider "Statistics Norway". Set meta.gatehouse.provider, without blank, comma, colon, bracket, quote or backslash.',
      ],
    ],
    [
      "a title in a schema that is not exposed",
      manifestOf({ dim_a: { schema: "mart", gatehouse: { title: "A" } } }),
      [`${model("dim_a")}: has a title, but schema "mart" is not exposed. Exposed schemas: api_v1, marts, raw.`],
    ],
    [
      "two sources with one id",
      manifestOf({}, { s: { gatehouse: { source_id: "x" } }, t: { gatehouse: { source_id: "x" } } }),
      [
        'models/sources.yml: source ssb.t: source_id "x" is also that of models/sources.yml: source ssb.s. Set another meta.gatehouse.source_id.',
      ],
    ],
    [
      "descriptions that dbt does not write",
      manifestOf({
        dim_a: { persist: false, description: "A" },
        dim_b: { persist: false, columns: { c: { description: "C" } } },
        dim_c: { persist: false, columns: { c: {} } },
      }),
      ["dim_a", "dim_b"].map(
        (name) =>
          `${model(name)}: has descriptions that dbt does not write. Set +persist_docs: { relation: true, columns: true }.`,
      ),
    ],
    [
      "grants without the anonymous role",
      manifestOf({
        dim_a: { grants: { select: ["reporter"] } },
        dim_b: { grants: { insert: ["loader"] } },
        dim_c: { grants: { select: ["gatehouse_anonymous", "reporter"] } },
        dim_d: { schema: "staging", grants: { select: ["reporter"] } },
      }),
      ["dim_a", "dim_b"].map(
        (name) =>
          `${model(name)}: has grants without gatehouse_anonymous: dbt revokes its SELECT, which the data API needs. Add gatehouse_anonymous to +grants.select.`,
      ),
    ],
    [
      "private columns",
      manifestOf(
        {
          dim_a: {
            columns: { a: { meta: { gatehouse: { private: true } } }, b: { meta: { contains_pii: "True" } }, c: {} },
          },
          dim_b: { columns: { a: { meta: { contains_pii: "no" } }, b: { meta: { contains_pii: false } } } },
          hidden: { schema: "private_marts", columns: { a: { meta: { contains_pii: true } } } },
        },
        { landing: { columns: { d: { meta: { contains_pii: true } } } } },
      ),
      [
        `${model("dim_a")}, column a: is private, and its schema is exposed. Remove the column, or use a private schema.`,
        `${model("dim_a")}, column b: is private, and its schema is exposed. Remove the column, or use a private schema.`,
        "models/sources.yml: source ssb.landing, column d: is private, and its schema is exposed. Remove the column, or use a private schema.",
      ],
    ],
    [
      "copies of personal data",
      manifestOf(
        {
          stg: { schema: "staging", reads: [idOf(true, "person")] },
          dim_a: { reads: [idOf(false, "stg")] },
          dim_b: { reads: [idOf(false, "stg")], gatehouse: { no_personal_data: true } },
          dim_c: { reads: [idOf(false, "stg")], gatehouse: { no_personal_data: true }, columns: { fnr: {} } },
        },
        { person: { schema: "private_raw", columns: { FNR: { meta: { contains_pii: true } } } } },
      ),
      [
        `${model("dim_a")}: reads personal data of models/sources.yml: source ssb.person. Use a private schema. If none of it is in the result, set meta.gatehouse.no_personal_data: true.`,
        `${model("dim_c")}: has the column "FNR", which is private in models/sources.yml: source ssb.person. Remove the column, or use a private schema.`,
      ],
    ],
    [
      "failures of tests with personal data that dbt stores",
      manifestOf(
        {
          dim_a: { reads: [idOf(true, "person")], gatehouse: { no_personal_data: true } },
          kept: { stored: true, tags: ["topik:a"], description: "K", persist: false, reads: [idOf(true, "person")] },
          stated: { stored: true, reads: [idOf(false, "dim_a")], gatehouse: { no_personal_data: true } },
          unstored: { stored: false, reads: [idOf(true, "person")] },
          by_default: { stored: null, reads: [idOf(true, "person")] },
          audit: { stored: true, schema: "dbt_test__audit", reads: [idOf(true, "person")] },
        },
        { person: { schema: "private_raw" } },
      ),
      [
        "models/kept.sql: test kept: reads personal data of models/sources.yml: source ssb.person. Use a private schema. If none of it is in the result, set meta.gatehouse.no_personal_data: true.",
      ],
    ],
    [
      "models and sources that are private as a whole",
      manifestOf(
        {
          dim_a: { pii: true },
          dim_b: { pii: "yes", gatehouse: { no_personal_data: true } },
          dim_c: { pii: false },
          stg: { schema: "staging", pii: true },
          dim_d: { reads: [idOf(false, "stg")] },
          dim_e: { reads: [idOf(true, "customer")] },
          dim_f: { reads: [idOf(true, "product")] },
        },
        {
          landing: { groupPii: true },
          customer: { schema: "staging", groupPii: true },
          product: { schema: "staging", groupPii: true, pii: false },
        },
      ),
      [
        ...[model("dim_a"), model("dim_b")].map(
          (entry) =>
            `${entry}: is private (contains_pii), and its schema is exposed. Use a private schema, or set meta.contains_pii: false.`,
        ),
        `${model("dim_d")}: reads personal data of ${model("stg")}. Use a private schema. If none of it is in the result, set meta.gatehouse.no_personal_data: true.`,
        `${model("dim_e")}: reads personal data of models/sources.yml: source ssb.customer. Use a private schema. If none of it is in the result, set meta.gatehouse.no_personal_data: true.`,
        "models/sources.yml: source ssb.landing: is private (contains_pii), and its schema is exposed. Use a private schema, or set meta.contains_pii: false.",
      ],
    ],
    [
      "views on what dbt replaces",
      manifestOf({
        dim_a: { materialized: "table" },
        dim_b: {},
        stg: { schema: "staging", materialized: "ephemeral", reads: [idOf(false, "dim_a"), idOf(false, "dim_b")] },
        fact_v: { materialized: "view", reads: [idOf(false, "stg")] },
        fact_w: { materialized: "view", reads: [idOf(false, "fact_v")] },
        fact_x: { materialized: "view", reads: [idOf(false, "dim_b"), idOf(true, "s")] },
        fact_t: { materialized: "table", reads: [idOf(false, "dim_a")] },
      }),
      [
        `${model("fact_v")}: is a view on marts.dim_a, which dbt replaces: each run drops the view. Materialize dim_a as incremental, or this model as incremental or table.`,
        `${model("fact_w")}: is a view on marts.fact_v, which dbt replaces: each run drops the view. Materialize fact_v as incremental, or this model as incremental or table.`,
      ],
    ],
  ])("refuses %s", async (_, manifest, problems) => {
    expect(await problemsOf(manifest)).toEqual(problems);
  });

  test("refuses to replace a table below an exposed view that is not a model", async () => {
    await owner.query("create table marts.dim_a (id integer); create view staging.v as select * from marts.dim_a");
    await owner.query("create view api_v1.w as select * from staging.v");
    expect(await problemsOf(manifestOf({ dim_a: { materialized: "table" } }))).toEqual([
      `${model("dim_a")}: a run drops the view api_v1.w, which is not a model. Materialize dim_a as incremental, or make the view a model.`,
    ]);
    expect(await problemsOf(manifestOf({ dim_a: {} }))).toEqual([]);
  });

  test("reads a project with a schema that the role may not use", async () => {
    await api.query("create schema locked; create table locked.s (id integer)");
    const manifest = JSON.stringify(manifestOf({ dim_a: {} }, { s: { schema: "locked" } }));
    const { rows } = await owner.query("select catalog.check_dbt($1)", [manifest]);
    expect(rows).toEqual([{ check_dbt: "" }]);
    await api.query("drop schema locked cascade");
  });

  test("refuses a private column that the relation has, also when it is not documented, and in lower case", async () => {
    await owner.query("create table marts.dim_a (id integer, fnr text)");
    const person = { schema: "private_raw", columns: { FNR: { meta: { contains_pii: true } } } };
    const project = manifestOf(
      { dim_a: { reads: [idOf(true, "person")], gatehouse: { no_personal_data: true } } },
      { person },
    );
    expect(await problemsOf(project)).toEqual([
      `${model("dim_a")}: has the column "FNR", which is private in models/sources.yml: source ssb.person. Remove the column, or use a private schema.`,
    ]);
  });

  test("refuses exactly the exposed models with personal data among what they are built from", async () => {
    const project = fc
      .array(fc.record({ hidden: fc.boolean(), stated: fc.boolean(), parents: fc.array(fc.nat(9)) }), { maxLength: 10 })
      .map((models) =>
        models.map((model, at) => ({ ...model, parents: model.parents.filter((parent) => parent < at) })),
      );
    await fc.assert(
      fc.asyncProperty(project, async (models) => {
        const manifest = manifestOf(
          Object.fromEntries(
            models.map(({ hidden, stated, parents }, at) => [
              `m${at}`,
              {
                schema: hidden ? "private_marts" : "marts",
                reads: parents.map((parent) => idOf(false, `m${parent}`)),
                gatehouse: stated ? { no_personal_data: true } : {},
              },
            ]),
          ),
        );
        const tainted: boolean[] = [];
        for (const { parents } of models)
          tainted.push(parents.some((parent) => models[parent]?.hidden || tainted[parent]));
        const expected = models.flatMap(({ hidden, stated }, at) =>
          !hidden && !stated && tainted[at] ? [model(`m${at}`)] : [],
        );
        const found = (await problemsOf(manifest)).map((problem) => problem.split(": reads personal data")[0]);
        expect(found).toEqual(expected);
      }),
    );
  });
});
