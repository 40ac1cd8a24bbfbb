/** Rows of the catalog from manifests of dbt. test/local/dbt.live.test.ts runs dbt itself. */
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
  await owner.query(`set role ${api.roles.owner}`);
});
afterAll(async () => {
  await owner.end();
  await api.stop();
});

const clear = (): Promise<unknown> =>
  owner.query("delete from catalog.sources; delete from catalog.endpoints; delete from catalog.tags");

beforeEach(async () => {
  await clear();
  await owner.query("drop table if exists raw.landing");
});

/** Returns the rows that changed, as `<resource> <name>`. */
async function describeProject(manifest: Manifest): Promise<string[]> {
  const { rows } = await owner.query<{ resource: string; name: string }>("select * from catalog.describe_dbt($1)", [
    JSON.stringify(manifest),
  ]);
  return rows.map(({ resource, name }) => `${resource} ${name}`);
}

async function rowsOf(text: string): Promise<Record<string, unknown>[]> {
  return (await owner.query<Record<string, unknown>>(text)).rows;
}

const PROJECT = manifestOf(
  {
    stg: { schema: "staging", materialized: "ephemeral", reads: [idOf(true, "landing")] },
    dim_a: {
      gatehouse: { title: "A", kind: "ref" },
      tags: ["nightly", "topic:a", "geo:b"],
      reads: [idOf(false, "stg")],
    },
    dim_b: { reads: [idOf(false, "dim_a")] },
    elsewhere: { database: "other", gatehouse: {}, tags: ["team:x"] },
  },
  {
    landing: {
      description: "As received",
      group: { publisher: "Statistics Norway", licence: "NLOD" },
      gatehouse: { source_id: "ssb-1", title: "Landing", licence: "CC BY 4.0" },
      tags: ["cadence:daily"],
      loadedAt: "seen",
      warnAfter: { count: 2, period: "day" },
    },
    unpublished: {},
  },
);

describe("describe_dbt", () => {
  test("writes sources, relations with the sources of their lineage, and tags", async () => {
    await owner.query("create table raw.landing (seen timestamp)");
    await owner.query("insert into raw.landing values ('2026-01-01 10:00'), ('2026-01-02 10:00')");
    expect(await describeProject(PROJECT)).toEqual([
      "source ssb-1",
      "relation marts.dim_a",
      "relation marts.dim_b",
      "relation raw.landing",
      "tag marts.dim_a geo:b",
      "tag marts.dim_a topic:a",
      "tag raw.landing cadence:daily",
    ]);
    expect(await rowsOf("select to_jsonb(s) as row from catalog.sources s")).toEqual([
      {
        row: {
          source_id: "ssb-1",
          provider: "ssb",
          title: "Landing",
          licence: "CC BY 4.0",
          publisher: "Statistics Norway",
          licence_url: null,
          attribution: null,
          periodicity: null,
          homepage: null,
          upstream_updated_at: null,
          last_ingested_at: "2026-01-02T10:00:00+00:00",
          next_expected_at: "2026-01-04T10:00:00+00:00",
        },
      },
    ]);
    expect(await rowsOf("select * from catalog.endpoints order by schema, relation")).toEqual([
      { schema: "marts", relation: "dim_a", kind: "ref", title: "A", description: null, source_ids: ["ssb-1"] },
      { schema: "marts", relation: "dim_b", kind: null, title: null, description: null, source_ids: ["ssb-1"] },
      {
        schema: "raw",
        relation: "landing",
        kind: null,
        title: "Landing",
        description: "As received",
        source_ids: ["ssb-1"],
      },
    ]);
  });

  test("writes no rows of tests whose failures dbt stores", async () => {
    const tested = manifestOf({ kept: { stored: true, tags: ["topic:a"], reads: [idOf(true, "unpublished")] } });
    expect(await describeProject(tested)).toEqual([]);
  });

  test("changes nothing when it runs again, and then only what changed", async () => {
    await describeProject(PROJECT);
    expect(await describeProject(PROJECT)).toEqual([]);
    const { nodes, sources } = manifestOf({
      dim_a: { gatehouse: { title: "B", kind: "ref" }, tags: ["topic:a", "topic:c"] },
    });
    expect(
      await describeProject({ nodes: { ...PROJECT.nodes, ...nodes }, sources: { ...PROJECT.sources, ...sources } }),
    ).toEqual(["relation marts.dim_a", "relation marts.dim_b", "tag marts.dim_a geo:b", "tag marts.dim_a topic:c"]);
  });

  test("keeps rows of others, and timestamps that the project does not know", async () => {
    await owner.query(
      `insert into catalog.sources (source_id, provider, title, licence_url, upstream_updated_at, last_ingested_at)
       values ('ssb-1', 'x', 'x', 'https://x', '2026-01-01', '2026-01-03'), ('other', 'y', 'y', null, null, null);
       insert into catalog.endpoints (schema, relation, title) values ('raw', 'unpublished', 'Kept');
       insert into catalog.tags values ('raw', 'unpublished', 'topic:kept')`,
    );
    await describeProject(PROJECT);
    expect(
      await rowsOf(
        "select source_id, provider, licence_url, last_ingested_at, upstream_updated_at is null as unknown from catalog.sources order by 1",
      ),
    ).toEqual([
      { source_id: "other", provider: "y", licence_url: null, last_ingested_at: null, unknown: true },
      {
        source_id: "ssb-1",
        provider: "ssb",
        licence_url: null,
        last_ingested_at: new Date("2026-01-03"),
        unknown: false,
      },
    ]);
    expect(
      await rowsOf(
        "select title, tag from catalog.endpoints join catalog.tags using (schema, relation) where relation = 'unpublished'",
      ),
    ).toEqual([{ title: "Kept", tag: "topic:kept" }]);
  });

  test("writes any text unchanged", async () => {
    const text = fc.string({ unit: "binary", minLength: 1 }).filter((each) => !each.includes("\0"));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (title, description, name) => {
        await clear();
        await describeProject(
          manifestOf({ [name]: { gatehouse: { title } } }, { s: { gatehouse: { title, attribution: description } } }),
        );
        expect(await rowsOf("select title, attribution from catalog.sources")).toEqual([
          { title, attribution: description },
        ]);
        expect(await rowsOf("select relation, title from catalog.endpoints where schema = 'marts'")).toEqual([
          { relation: name, title },
        ]);
      }),
    );
  });

  test("writes nothing of a project that it refuses", async () => {
    const refused = manifestOf({ dim_a: { gatehouse: { title: "A" } }, dim_b: { tags: ["topik:a"] } });
    await expect(describeProject(refused)).rejects.toThrow("1 problem in the dbt project");
    expect(await rowsOf("select * from catalog.endpoints")).toEqual([]);
  });
});

test("allows only the owner to run the functions", async () => {
  expect(
    await api.query(
      `select proname, proacl::text from pg_proc where pronamespace = 'catalog'::regnamespace and not (
        has_function_privilege('${api.roles.owner}', oid, 'execute') and not has_function_privilege('${api.roles.anonymous}', oid, 'execute'))`,
    ),
  ).toEqual([]);
});
