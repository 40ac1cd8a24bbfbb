/** The catalog, as resources of the default schema (docs/describing-data.md). */
import { afterEach, describe, expect, test } from "vitest";
import { rowsResponse } from "./expectedResponses.ts";
import { RELATIONS, SCHEMAS } from "./relations.ts";
import { asOwner, rowsOf, responseTo, until } from "./apiClient.ts";

describe("the catalog", () => {
  const clear = "delete from catalog.sources where source_id like 'test-%'";
  afterEach(() =>
    asOwner(
      clear,
      "delete from catalog.endpoints where relation like 'fact_%'",
      "delete from catalog.tags where relation like 'fact_%'",
      "drop table if exists marts.fact_new",
    ),
  );

  test("returns one row for each relation in every exposed schema for GET /meta_endpoints", async () => {
    const rows = await rowsOf("GET /meta_endpoints?order=schema,relation&select=schema,relation");
    const names = rows.map(({ schema, relation }) => `${String(schema)}/${String(relation)}`);
    expect(names).toEqual(SCHEMAS.flatMap((schema) => (RELATIONS[schema] ?? []).map((path) => `${schema}${path}`)));
  });

  test("returns the row of a new relation at once for GET /meta_endpoints, and not after the drop", async () => {
    const found = () => rowsOf("GET /meta_endpoints?relation=eq.fact_new");
    await asOwner("create table marts.fact_new (id integer primary key)");
    const column = { name: "id", type: "integer", nullable: false, description: null, key: true };
    const row = {
      schema: "marts",
      relation: "fact_new",
      type: "table",
      kind: "fact",
      title: null,
      description: null,
      tags: ["layer:marts"],
      row_estimate: null,
      columns: [column],
      primary_key: ["id"],
      source_ids: [],
      stability: "open",
    };
    expect(await found()).toEqual([row]);
    await asOwner("drop table marts.fact_new");
    expect(await found()).toEqual([]);
  });

  test("requires one of six namespaces for a tag, and filters relations by tags", async () => {
    const tag = (text: string) => asOwner(`insert into catalog.tags values ('marts', 'fact_observation', '${text}')`);
    for (const namespace of ["provider", "topic", "geo", "cadence", "eu_theme", "layer"]) await tag(`${namespace}:a`);
    for (const wrong of ["nothing:a", "topic", "topic:", "topic:a b", ":a", "Topic:a", "topic:a,b"]) {
      await expect(tag(wrong)).rejects.toThrow("tag_is_namespace_and_value");
    }
    const both = await rowsOf("GET /meta_endpoints?tags=cs.{topic:a,geo:a}&select=relation");
    expect(both).toEqual([{ relation: "fact_observation" }]);
  });

  test("filters GET /meta_sources by provider and GET /meta_dimensions by source_id, without private relations", async () => {
    await asOwner(
      `insert into catalog.sources (source_id, provider, title, licence) values ('test-y', 'test-x', 'Y', 'CC0')`,
      `insert into catalog.dimensions (source_id, dimension, title, editorial, schema, relation, column_name)
       values ('test-y', 'Region', 'Place', '{"note": ["a"]}', 'marts', 'fact_observation', 'kommune_nr'),
              ('test-y', 'Hidden', null, '{}', 'private_marts', 'secret_person', 'secret_name')`,
      `insert into catalog.endpoints (schema, relation, source_ids) values ('marts', 'fact_observation', '{test-y}')`,
    );
    const target = "/meta_sources?provider=eq.test-x";
    const source = {
      source_id: "test-y",
      provider: "test-x",
      title: "Y",
      licence: "CC0",
      licence_url: null,
      publisher: null,
      attribution: null,
      periodicity: null,
      homepage: null,
      last_ingested_at: null,
      upstream_updated_at: null,
      next_expected_at: null,
      freshness: "unknown",
      row_estimate: 6,
      endpoints: ["marts.fact_observation"],
    };
    await until(rowsResponse({ profile: "api_v1", target, range: "0-0/*", body: [source] }), () =>
      responseTo(`GET ${target}`),
    );
    expect(await rowsOf("GET /meta_dimensions?source_id=eq.test-y")).toEqual([
      {
        source_id: "test-y",
        dimension: "Region",
        title: "Place",
        description: null,
        schema: "marts",
        relation: "fact_observation",
        column_name: "kommune_nr",
        editorial: { note: ["a"] },
      },
    ]);
    expect(await rowsOf("GET /meta_sources?provider=eq.unknown")).toEqual([]);
    expect(await rowsOf("GET /meta_dimensions?source_id=eq.nothing")).toEqual([]);
  });
});
