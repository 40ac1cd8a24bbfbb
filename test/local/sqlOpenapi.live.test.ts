import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: unknown;
  readonly paths: Readonly<
    Record<string, { parameters: { $ref?: string; name?: string }[]; get: Operation; head: Operation }>
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const profile = { "accept-profile": "gatehouse_openapi" };
let api: DataApi;
let marts: Document;
beforeAll(async () => {
  api = await startDataApi();
  await api.query(
    `comment on schema marts is 'All marts';
     create type marts.mood as enum ('glad', 'sad');
     create domain marts.nr as varchar(4);
     create table marts.every (
       a smallint not null, b bigint, c numeric, d double precision, e boolean, f date, g timestamptz, h timestamp, i uuid, j jsonb,
       k text[], l marts.mood, m marts.nr not null, n bytea, o int4range, p interval, q varchar(3), "limit" integer, "a b/{c}" text
     );
     comment on table marts.every is 'One column of each "type"';
     comment on column marts.every.b is 'The b';
     insert into marts.every values
       (1, 2, 3.5, 4.5, true, '2024-01-01', now(), now(), gen_random_uuid(), '{"x": 1}', '{a,NULL}', 'glad', '0301', 'x', '[1,2)', '1 day', 'abc', 1, 'x'),
       (1, null, null, null, null, null, null, null, null, null, null, null, '0301', null, null, null, null, null, null);
     create table marts."Odd name/{x}" (id integer);
     create view marts.small as select a, l from marts.every;
     create table marts.dim_hidden (id integer);
     revoke select on marts.dim_hidden from ${api.roles.anonymous}`,
    api.roles.owner,
  );
  await api.restart();
  marts = await documentOf("?schema=marts");
});
afterAll(() => api.stop());

async function documentOf(query: string): Promise<Document> {
  const response = await api.get(`/rpc/document${query}`, profile);
  expect(response.status).toBe(200);
  return JSON.parse(response.body) as Document;
}

test("is OpenAPI 3.1 of one schema, by default of the default schema", async () => {
  expect([marts.openapi, marts.info.title, marts.servers]).toEqual(["3.1.0", "marts", [{ url: "/" }]]);
  expect(marts.info.description).toBe(
    "All marts\n\nA response contains at most 1000 rows, and may be cached for 60 seconds. A query may take 5s. Tables of up to 1000000 rows are counted exactly.",
  );
  expect(Object.keys(marts.paths)).toEqual(["/Odd%20name%2F%7Bx%7D", "/every", "/small"]);
  const own = await documentOf("");
  // PostgREST takes `columns` for one of its parameters.
  const names = own.paths["/meta_endpoints"]?.parameters.flatMap(({ name = "" }) =>
    name.includes("columns") ? [name] : [],
  );
  expect(names).toEqual(['"columns"']);
  expect([own.info.title, Object.keys(own.paths)]).toEqual([
    "api_v1",
    ["/meta_dimensions", "/meta_endpoints", "/meta_sources"],
  ]);
});

test("defines every reference, and each parameter and operation once", () => {
  const names = Object.entries(marts.components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  const references = [...JSON.stringify(marts).matchAll(/"\$ref":\s*"([^"]+)"/g)].map(([, target]) => target);
  expect(references.filter((target) => !names.includes(target ?? ""))).toEqual([]);
  expect(names.filter((name) => !/^#\/components\/\w+\/[\w.-]+$/.test(name))).toEqual([]);
  const operations = Object.values(marts.paths).flatMap(({ get, head }) => [get.operationId, head.operationId]);
  expect(operations).toEqual([
    "get.Odd.20name.2F.7Bx.7D",
    "head.Odd.20name.2F.7Bx.7D",
    "get.every",
    "head.every",
    "get.small",
    "head.small",
  ]);
  const parameters = marts.paths["/every"]?.parameters.map(({ $ref, name }) => name ?? $ref?.split("/").at(-1));
  expect(parameters).toEqual([
    "profile",
    "select",
    "order",
    "limit",
    "offset",
    "range",
    "prefer",
    "known",
    ..."abcdefghijklmnopq",
    '"limit"',
    '"a b/{c}"',
  ]);
});

test("describes filters, statuses and headers", () => {
  const path = marts.paths["/every"];
  expect(path?.parameters.find(({ name }) => name === "b")).toEqual({
    name: "b",
    in: "query",
    schema: { type: "string" },
    description:
      "The b. `<operator>.<value>`, the operator one of eq, neq, gt, gte, lt, lte, in, is, isdistinct, each also after `not.`",
  });
  const statuses = ["200", "206", "304", "400", "404", "406", "415", "416", "429", "500", "503", "504"];
  expect(Object.keys(path?.get.responses ?? {})).toEqual(statuses);
  expect(Object.keys(path?.head.responses ?? {})).toEqual(statuses);
  const full = path?.get.responses["200"] as { headers: object; content: object };
  expect(Object.keys(full.headers)).toEqual([
    "Content-Range",
    "ETag",
    "Cache-Control",
    "X-Max-Rows",
    "Deprecation",
    "Sunset",
    "Link",
  ]);
  expect(Object.keys(full.content)).toEqual(["application/json", "application/vnd.pgrst.object+json", "text/csv"]);
  expect(path?.head.responses["200"]).not.toHaveProperty("content");
});

test("has schemas that match the responses", async () => {
  expect(marts.components["schemas"]?.["every"]).toMatchObject({
    type: "object",
    description: 'One column of each "type"',
    properties: {
      a: { type: "integer", format: "int32" },
      b: { type: ["integer", "null"], format: "int64", description: "The b" },
      i: { type: ["string", "null"], format: "uuid" },
      k: { type: ["array", "null"], items: { type: ["string", "null"] } },
      l: { type: ["string", "null"], enum: ["glad", "sad", null] },
      m: { type: "string", maxLength: 4 },
    },
  });
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const validate = ajv.compile({ ...marts.components["schemas"]?.["every"], additionalProperties: false });
  const rows = JSON.parse((await api.get("/every", { "accept-profile": "marts" })).body) as object[];
  expect(rows.map((row) => validate(row) || validate.errors)).toEqual([true, true]);
  expect(validate({ ...rows[0], l: "angry" })).toBe(false);
  expect(validate({ ...rows[0], a: null })).toBe(false);
  expect(validate({ ...rows[0], f: "01.01.2024" })).toBe(false);
});

describe("a schema that is not exposed", () => {
  test.each(["private_marts", "gatehouse", "gatehouse_openapi", "catalog", "public", "pg_catalog", "nothing", ""])(
    "returns 404 and names none for %s",
    async (schema) => {
      const response = await api.get(`/rpc/document?schema=${schema}`, profile);
      expect([response.status, response.body]).toEqual([
        404,
        '{"code":"not_found","details":null,"hint":null,"message":"there is no such schema"}',
      ]);
    },
  );
});

test("has an ETag, and returns 304 for it", async () => {
  await vi.waitFor(async () => {
    const tag = String((await api.get("/rpc/document", profile)).headers["etag"]);
    const response = await api.get("/rpc/document", { ...profile, "if-none-match": tag });
    expect([response.status, response.body]).toEqual([304, ""]);
  }, 240_000);
});
