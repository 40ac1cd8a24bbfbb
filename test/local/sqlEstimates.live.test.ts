/** Estimates of the planner, which reads statistics of rows that a relation does not serve. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

/** Postgres cuts longer names, also in a query of PostgREST 12. */
const LONGEST = "n".repeat(63);
let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
  await api.query(`create schema staging authorization ${api.roles.owner}`);
  await api.query(
    `create table staging.patient (id integer, name text, consent boolean);
     insert into staging.patient select n, case when n % 20 = 0 then 'Kari' else 'N' || n end, n % 20 > 0 from generate_series(1, 20000) n;
     create view api_v1.patient as select id, name from staging.patient where consent;
     create table marts.secured as table staging.patient;
     alter table marts.secured enable row level security;
     create policy consented on marts.secured for select using (consent);
     create table marts.shown as table staging.patient;
     create view api_v1.shown as select * from marts.shown where consent;
     create materialized view marts.filled as select id, name from staging.patient where consent;
     create table raw.revoked as table staging.patient;
     create view api_v1.revoked with (security_barrier) as select id, name from raw.revoked where consent;
     create materialized view raw.filled as select id, name from staging.patient;
     create view api_v1.filled as select id, name from raw.filled where id % 20 > 0;
     create view api_v1.${LONGEST} as select id, name from staging.patient where consent;
     create table raw.columns as table staging.patient;
     create view api_v1.columns as select * from raw.columns where consent;
     revoke select on raw.revoked, raw.filled, raw.columns from ${api.roles.anonymous};
     grant select (name) on raw.columns to ${api.roles.anonymous};
     analyze`,
    api.roles.owner,
  );
});
afterAll(() => api.stop());

const count = async (relation: string, profile: string, prefer: string): Promise<unknown> => {
  const path = `/${relation}?select=name&limit=0&name=eq.Kari`;
  const { status, headers } = await api.get(path, { "accept-profile": profile, prefer }, "HEAD");
  return status === 400 ? "refused" : headers["content-range"];
};

describe.each(["count=planned", "count=estimated"])("%s", (prefer) => {
  test.each([
    ["a view that hides rows of a table in a hidden schema", "patient", "api_v1", "refused"],
    ["the same with the longest name, and a longer one", `${LONGEST}x`, "api_v1", "refused"],
    ["a table with row security", "secured", "marts", "refused"],
    ["a view of a table without SELECT", "revoked", "api_v1", "refused"],
    ["a view of a materialized view without SELECT", "filled", "api_v1", "refused"],
    ["a view of a table with SELECT on some columns", "columns", "api_v1", "refused"],
    ["such a table itself", "columns", "raw", "*/1000"],
    ["a table whose rows are all served", "shown", "marts", "*/1000"],
    ["a view of such a table", "shown", "api_v1", expect.stringMatching(/^\*\/\d+$/)],
    ["a materialized view, which has statistics of its own", "filled", "marts", expect.stringMatching(/^\*\/[01]$/)],
  ])("is refused only for statistics of rows that are not served: %s", async (_, relation, profile, expected) => {
    expect(await count(relation, profile, prefer)).toEqual(expected);
  });
});

test.each([
  ["a view that hides rows of a table in a hidden schema", "patient", "api_v1", null],
  ["a table with row security", "secured", "marts", null],
  ["a view of a table without SELECT", "revoked", "api_v1", null],
  ["a view of a materialized view without SELECT", "filled", "api_v1", null],
  ["a view of a table with SELECT on some columns", "columns", "api_v1", null],
  ["such a table itself", "columns", "raw", 20_000],
  ["a table whose rows are all served", "shown", "marts", 20_000],
  ["a view of such a table", "shown", "api_v1", 20_000],
  ["a materialized view", "filled", "marts", 19_000],
])("meta_endpoints has row_estimate only for rows that are served: %s", async (_, relation, schema, expected) => {
  const { body } = await api.get(`/meta_endpoints?select=row_estimate&schema=eq.${schema}&relation=eq.${relation}`);
  expect(JSON.parse(body)).toEqual([{ row_estimate: expected }]);
});

test("names no relation in the refusal", async () => {
  const headers = { "accept-profile": "api_v1", prefer: "handling=lenient, count=planned" };
  const { status, body } = await api.get("/patient?limit=0", headers);
  expect([status, JSON.parse(body)]).toEqual([
    400,
    expect.objectContaining({ code: "estimate_refused", message: expect.not.stringContaining("staging") as unknown }),
  ]);
});

test("returns an exact count of the rows that are served", async () => {
  expect(await count("patient", "api_v1", "count=exact")).toBe("*/0");
});

test("control: returns another estimate for a hidden value than for an absent one without the refusal", async () => {
  await api.query(
    "create or replace function gatehouse.reads_hidden_rows(relation oid) returns boolean language sql as 'select false'",
  );
  const headers = { "accept-profile": "marts", prefer: "count=planned" };
  const estimate = async (name: string): Promise<number> => {
    const response = await api.get(`/secured?limit=0&name=eq.${name}`, headers, "HEAD");
    return Number(/\d+$/.exec(String(response.headers["content-range"]))?.[0]);
  };
  expect(await estimate("Kari")).toBeGreaterThan(100 * (await estimate("absent")));
  api.migrate();
});

test("recommends select=count if a relation can neither be counted nor estimated", async () => {
  api.migrate({ exact_count_rows: "1000" });
  const messageOf = async (prefer: string): Promise<unknown> => {
    const { body } = await api.get("/patient?limit=0", { "accept-profile": "api_v1", prefer });
    return (JSON.parse(body) as { message: unknown }).message;
  };
  const rest = "use select=count, which ends at the time limit of a query";
  expect(await messageOf("count=exact")).toBe(`only tables of up to 1000 rows are counted exactly; ${rest}`);
  expect(await messageOf("count=planned")).toBe(
    `rows of this relation are not counted approximately, because it does not show all rows of its tables; ${rest}`,
  );
  const { body } = await api.get("/patient?select=count", { "accept-profile": "api_v1" });
  expect(JSON.parse(body)).toEqual([{ count: 19_000 }]);
  api.migrate();
});
