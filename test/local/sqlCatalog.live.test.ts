import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
const owner = (sql: string): Promise<unknown> => api.query(sql, api.roles.owner);
beforeAll(async () => {
  api = await startDataApi();
  await owner(await readFile(new URL("sql-catalog.sql", import.meta.url), "utf8"));
});
afterAll(() => api.stop());

async function rows(path: string): Promise<Record<string, unknown>[]> {
  const response = await api.get(path);
  expect([response.status, path]).toEqual([200, path]);
  return JSON.parse(response.body) as Record<string, unknown>[];
}
const column = async (path: string, name: string): Promise<unknown[]> => (await rows(path)).map((row) => row[name]);

describe("meta_endpoints", () => {
  test("has one row per relation that everyone may read, and no other", async () => {
    const all = (await rows("/meta_endpoints?order=schema,relation")).map((row) =>
      [row["schema"], row["relation"], row["type"]].join(" "),
    );
    expect(all).toEqual([
      "api_v1 fact_both view",
      "api_v1 meta_dimensions view",
      "api_v1 meta_endpoints view",
      "api_v1 meta_sources view",
      "api_v1 population view",
      "marts dim_region table",
      "marts parts partitioned table",
      "marts supply_total materialized view",
      "raw ssb_population table",
    ]);
  });

  test("has the facts of database and pipeline about a table", async () => {
    expect(await rows("/meta_endpoints?schema=eq.raw&relation=eq.ssb_population")).toEqual([
      {
        schema: "raw",
        relation: "ssb_population",
        type: "table",
        kind: "ref",
        title: "Population",
        description: "Population as received",
        tags: ["layer:raw", "provider:ssb", "topic:population"],
        row_estimate: 300,
        columns: [
          { name: "region_code", type: "text", nullable: false, description: null, key: true },
          { name: "year", type: "integer", nullable: false, description: null, key: true },
          { name: "value", type: "bigint", nullable: true, description: "Persons", key: false },
        ],
        primary_key: ["year", "region_code"],
        source_ids: ["ssb-1"],
        stability: "open",
      },
    ]);
  });

  test("has the number of rows that a view reads, and the providers of its sources", async () => {
    expect(await rows("/meta_endpoints?relation=eq.population")).toEqual([
      {
        schema: "api_v1",
        relation: "population",
        type: "view",
        kind: "fact",
        title: "Population now",
        description: "Described by hand",
        tags: [
          "cadence:yearly",
          "eu_theme:soci",
          "geo:kommune",
          "layer:api_v1",
          "layer:curated",
          "provider:brreg",
          "provider:norge.no",
          "provider:ssb",
          "topic:population",
        ],
        row_estimate: 300,
        columns: [
          { name: "region_code", type: "text", nullable: true, description: null, key: false },
          { name: "persons", type: "bigint", nullable: true, description: "Persons", key: false },
        ],
        primary_key: [],
        source_ids: ["ssb-1", "silent"],
        stability: "stable",
      },
    ]);
  });

  test("has the kind by the name, and estimates of rows", async () => {
    const endpoints = await rows("/meta_endpoints?select=relation,kind,row_estimate&order=relation");
    expect(endpoints.map((row) => Object.values(row))).toEqual([
      ["dim_region", "dim", null],
      ["fact_both", "fact", null],
      ["meta_dimensions", null, null],
      ["meta_endpoints", null, null],
      ["meta_sources", null, null],
      ["parts", null, 40],
      ["population", "fact", 300],
      ["ssb_population", "ref", 300],
      ["supply_total", "supply", 1],
    ]);
  });

  test("shows no column that cannot be read", async () => {
    expect(await column("/meta_endpoints?relation=eq.dim_region", "columns")).toEqual([
      [
        { name: "region_code", type: "character varying(4)", nullable: false, description: null, key: true },
        { name: "area", type: "numeric(8,2)", nullable: false, description: null, key: false },
      ],
    ]);
    expect(await column("/meta_endpoints?relation=eq.dim_region", "primary_key")).toEqual([[]]);
  });

  test.each([
    ["tags=cs.{topic:population}", ["population", "ssb_population"]],
    ["tags=cs.{topic:population,layer:raw}", ["ssb_population"]],
    ["tags=ov.{geo:kommune,layer:raw}", ["population", "ssb_population"]],
    ["tags=cs.{topic:people}", []],
    ["kind=eq.dim", ["dim_region"]],
    ["stability=eq.open&type=eq.table", ["dim_region", "ssb_population"]],
  ])("is filtered by %s", async (filter, expected) => {
    expect(await column(`/meta_endpoints?${filter}&order=relation`, "relation")).toEqual(expected);
  });

  test("has a row for a relation exactly while it exists", async () => {
    await owner("create table marts.ref_new (id integer)");
    expect(await column("/meta_endpoints?relation=eq.ref_new", "kind")).toEqual(["ref"]);
    await owner("drop table marts.ref_new");
    expect(await rows("/meta_endpoints?relation=eq.ref_new")).toEqual([]);
  });

  test("has no column of INCLUDE in a primary key", async () => {
    await owner("create table marts.ref_covering (id integer, total integer, primary key (id) include (total))");
    expect(
      await rows(
        `/meta_endpoints?relation=eq.ref_covering&select=primary_key,first:columns->0->key,second:columns->1->key`,
      ),
    ).toEqual([{ primary_key: ["id"], first: true, second: false }]);
    await owner("drop table marts.ref_covering");
  });

  test("has no estimate for a table that others inherit from, whose statistics lack their rows", async () => {
    await owner(
      "create table marts.ref_parent (id integer); create table marts.ref_child () inherits (marts.ref_parent); " +
        "insert into marts.ref_child select generate_series(1, 1000); analyze marts.ref_parent, marts.ref_child",
    );
    expect(await column("/meta_endpoints?relation=in.(ref_parent,ref_child)&order=relation", "row_estimate")).toEqual([
      1000,
      null,
    ]);
    await owner("drop table marts.ref_child, marts.ref_parent");
  });

  test("has the rows of its partitions as the estimate of a partitioned table, also if its own statistics are older", async () => {
    const estimate = (): Promise<unknown> => column("/meta_endpoints?relation=eq.ref_parted", "row_estimate");
    await owner(
      "create table marts.ref_parted (id integer) partition by list (id); create table marts.ref_one partition of marts.ref_parted for values in (1); " +
        "insert into marts.ref_parted values (1); analyze marts.ref_parted; " +
        "insert into marts.ref_parted select 1 from generate_series(1, 499); analyze marts.ref_one",
    );
    expect(await estimate()).toEqual([500]);
    await owner("create table marts.ref_two partition of marts.ref_parted for values in (2)");
    expect(await estimate()).toEqual([500]);
    const pipeline = await api.session();
    await pipeline.query("begin; lock table marts.ref_one in access exclusive mode");
    expect(await estimate()).toEqual([500]);
    await pipeline.end();
    await owner("drop table marts.ref_parted");
  });

  test("has an estimate for a table that was analysed while it was empty", async () => {
    const estimate = (): Promise<unknown> => column("/meta_endpoints?relation=eq.ref_filled", "row_estimate");
    await owner("create table marts.ref_filled (id integer); analyze marts.ref_filled");
    expect(await estimate()).toEqual([0]);
    await owner("insert into marts.ref_filled values (1), (2)");
    await vi.waitFor(async () => expect(await estimate()).toEqual([2]), 240_000);
    await owner("drop table marts.ref_filled");
  });

  test("has a column that can be null although it is NOT NULL: not validated, without inheritance, or of a foreign table", async () => {
    await owner(
      `create table marts.ref_checked (id integer not null); alter table marts.ref_checked add checked integer;
       insert into marts.ref_checked values (1); alter table marts.ref_checked add constraint checked not null checked not valid;
       create table marts.ref_parent (id integer, constraint own not null id no inherit)`,
    );
    await api.query(
      `create extension postgres_fdw; create server here foreign data wrapper postgres_fdw;
       create foreign table marts.ref_foreign (id integer not null) server here; alter foreign table marts.ref_foreign owner to ${api.roles.owner};
       grant select on marts.ref_foreign to ${api.roles.anonymous}`,
    );
    const nullable = "first:columns->0->nullable,second:columns->1->nullable";
    expect(
      await rows(`/meta_endpoints?relation=in.(ref_checked,ref_foreign,ref_parent)&select=${nullable}&order=relation`),
    ).toEqual([
      { first: false, second: true },
      { first: true, second: null },
      { first: true, second: null },
    ]);
    const { body } = await api.get("/rpc/document?schema=marts", { "accept-profile": "gatehouse_openapi" });
    const { schemas } = (JSON.parse(body) as { components: { schemas: Record<string, { properties: unknown }> } })
      .components;
    const integer = (type: unknown) => ({ type, format: "int32" });
    const orNull = integer(["integer", "null"]);
    expect(schemas["ref_checked"]?.properties).toEqual({ id: integer("integer"), checked: orNull });
    expect([schemas["ref_foreign"]?.properties, schemas["ref_parent"]?.properties]).toEqual([
      { id: orNull },
      { id: orNull },
    ]);
    await api.query("drop extension postgres_fdw cascade; drop table marts.ref_checked, marts.ref_parent");
  });

  test("has an estimate for a small table after its rows are counted", async () => {
    await owner("create table marts.ref_small (id integer); insert into marts.ref_small values (1), (2)");
    await vi.waitFor(
      async () => expect(await column("/meta_endpoints?relation=eq.ref_small", "row_estimate")).toEqual([2]),
      240_000,
    );
    await owner("drop table marts.ref_small");
  });
});

describe("meta_sources", () => {
  test("returns all fields of a source for GET /meta_sources?provider=eq.ssb", async () => {
    expect(await rows("/meta_sources?provider=eq.ssb")).toEqual([
      {
        source_id: "ssb-1",
        provider: "ssb",
        title: "Population",
        licence: "CC BY 4.0",
        licence_url: "https://creativecommons.org/licenses/by/4.0/",
        publisher: "Statistics Norway",
        attribution: "Source: SSB",
        periodicity: "yearly",
        homepage: "https://www.ssb.no/",
        last_ingested_at: "2026-01-02T00:00:00+00:00",
        upstream_updated_at: "2026-01-01T00:00:00+00:00",
        next_expected_at: "2999-01-01T00:00:00+00:00",
        freshness: "fresh",
        row_estimate: 600,
        endpoints: ["api_v1.population", "raw.ssb_population"],
      },
    ]);
  });

  test("has the freshness of each source", async () => {
    const all = await rows("/meta_sources?select=source_id,freshness");
    expect(Object.fromEntries(all.map(({ source_id, freshness }) => [source_id, freshness]))).toEqual({
      "ssb-1": "fresh",
      overdue: "late",
      never: "late",
      behind: "late",
      silent: "unknown",
      "caught-up": "fresh",
    });
  });
});

describe("meta_dimensions", () => {
  test("returns all fields of a dimension", async () => {
    expect(await rows("/meta_dimensions?source_id=eq.ssb-1&dimension=eq.Region")).toEqual([
      {
        source_id: "ssb-1",
        dimension: "Region",
        title: "Municipality",
        description: "As of 1 January",
        schema: "raw",
        relation: "ssb_population",
        column_name: "region_code",
        editorial: { code_list: [131, { a: null }] },
      },
    ]);
  });

  test("has no row for a relation or column that cannot be read", async () => {
    const dimensions = await rows("/meta_dimensions?select=dimension,schema,relation,column_name&order=dimension");
    expect(dimensions.map((row) => Object.values(row))).toEqual([
      ["All", "raw", "ssb_population", null],
      ["Any", null, null, null],
      ["Area", "marts", "dim_region", "area"],
      ["Region", "raw", "ssb_population", "region_code"],
    ]);
  });
});

describe("a filter", () => {
  /** Fails when it is computed for a row of this name. No row without a name passes it, so that Postgres may reorder outer joins. */
  const failing = (column: string, value: string): string =>
    `${column} = '${value}' and 1 / (length(${column}) - ${value.length}) > 0`;
  test.each([
    ["meta_endpoints", "relation", "person"],
    ["meta_endpoints", "title", "Persons"],
    ["meta_dimensions", "dimension", "Hidden"],
  ])(
    "is not computed on %s for a row that the view omits, which its duration would reveal",
    async (view, name, value) => {
      const ask = (relation: string): Promise<unknown[]> =>
        api.query(`select from ${relation} where ${failing(name, value)}`, api.roles.anonymous);
      expect(await ask(`api_v1.${view}`)).toEqual([]);
      // Control: the same condition fails where the row is not left out.
      await expect(
        api.query(`select from (values ('${value}')) as v(${name}) where ${failing(name, value)}`),
      ).rejects.toMatchObject({ code: "22012" });
    },
  );
});

describe("the tables that pipelines fill", () => {
  test.each([
    ["insert into catalog.tags values ('marts', 'x', 'colour:red')", "tag_is_namespace_and_value"],
    ["insert into catalog.tags values ('marts', 'x', 'topic:')", "tag_is_namespace_and_value"],
    ["insert into catalog.tags values ('marts', 'x', 'topic:a,b')", "tag_is_namespace_and_value"],
    ["insert into catalog.tags values ('marts', 'x', 'Topic:a')", "tag_is_namespace_and_value"],
    ["insert into catalog.endpoints (schema, relation, kind) values ('marts', 'x', 'cube')", "kind_is_known"],
    [
      "insert into catalog.sources (source_id, provider, title) values ('x', 'two words', 'x')",
      "provider_is_a_tag_value",
    ],
    ["insert into catalog.dimensions (source_id, dimension) values ('unknown', 'x')", "dimensions_source_id_fkey"],
  ])("reject %s with the constraint %s", async (sql, constraint) => {
    await expect(owner(sql)).rejects.toMatchObject({ constraint });
  });

  test("are writable by pipelines only", async () => {
    for (const table of ["sources", "dimensions", "endpoints", "tags"]) {
      await expect(api.query(`select from catalog.${table}`, api.roles.anonymous)).rejects.toMatchObject({
        code: "42501",
      });
    }
  });
});

test("has a comment on every column of the meta views", async () => {
  const bare = await api.query(
    `select attrelid::regclass || '.' || attname as column from pg_attribute join pg_class c on c.oid = attrelid
     where relnamespace = 'api_v1'::regnamespace and relname ~ '^meta_' and attnum > 0 and col_description(attrelid, attnum) is null`,
  );
  expect(bare).toEqual([]);
});

test("keeps views of pipelines when a later version changes the columns of a view", async () => {
  await api.query(
    "drop view api_v1.meta_dimensions; create view api_v1.meta_dimensions as select 1 as other from catalog.dimensions",
  );
  api.migrate();
  expect((await rows("/meta_dimensions?limit=1"))[0]).toMatchObject({ source_id: "ssb-1" });
  await owner("create view marts.my_sources as select source_id from api_v1.meta_sources");
  api.migrate();
  expect(await rows("/meta_sources?source_id=eq.ssb-1&select=title")).toEqual([{ title: "Population" }]);
  await owner("drop view marts.my_sources");
});
