/** Relations with the names of types, which a path with pg_catalog at its end would hide. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
  await api.query(
    `create table marts.date (day text); insert into marts.date values ('2026-11-28');
     create table marts.text (id integer); insert into marts.text values (1);
     create table marts.json (id integer); insert into marts.json values (1)`,
    api.roles.owner,
  );
});
afterAll(() => api.stop());

const get = async (path: string, accept = "application/json"): Promise<unknown[]> => {
  const { status, body } = await api.get(path, { "accept-profile": "marts", accept });
  return [status, body];
};

test("do not hide the types", async () => {
  expect(await get("/date?select=day::date")).toEqual([200, '[{"day":"2026-11-28"}]']);
  expect(await get("/text?select=id::text")).toEqual([200, '[{"id":"1"}]']);
  expect(await get("/json", "text/csv")).toEqual([200, "id\n1"]);
});

test("control: hide them in a path with pg_catalog at its end", async () => {
  await api.restart({ PGRST_DB_EXTRA_SEARCH_PATH: "pg_catalog" });
  expect((await get("/date?select=day::date"))[0]).not.toBe(200);
});
