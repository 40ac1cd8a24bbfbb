/** When PostgREST reloads its schema cache (infra/data/sql/020_schema_cache.sql), and what prevents it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
});
afterAll(() => api.stop());

test.each([
  ["on", "remote_apply"],
  ["off", "off"],
])("waits for replicas where synchronous_commit is on: with %s, it becomes %s", async (before, after) => {
  const session = await api.session();
  try {
    await session.query(`set synchronous_commit = ${before}; begin; create table marts.scratch (id integer)`);
    expect((await session.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: after }]);
  } finally {
    await session.end();
  }
});

// The control of a finding of verify and doctor (ops/checks/grants/foreignTables.ts).
test("is not served at all while a foreign table has a wrapper without a handler", async () => {
  const status = async (): Promise<number> => (await api.get("/meta_sources")).status;
  await api.query(
    `create foreign data wrapper files; create server archive foreign data wrapper files;
     create foreign table private_marts.archived (id integer) server archive`,
  );
  await expect.poll(status, { timeout: 240_000 }).toBe(503);
  await api.query("drop foreign data wrapper files cascade");
  await expect.poll(status, { timeout: 240_000 }).toBe(200);
});

test("reloads the schema cache for a table, and not for a temporary one", async () => {
  const session = await api.session();
  try {
    const received: string[] = [];
    session.on("notification", ({ payload = "" }) => received.push(payload));
    await session.query("listen pgrst");
    await session.query(
      "create temporary table scratch (id serial); comment on table scratch is 'x'; drop table scratch",
    );
    await session.query("select 1");
    expect(received).toEqual([]);
    await session.query("create table marts.scratch (id integer)");
    await session.query("drop table marts.scratch");
    await session.query("select 1");
    expect(received).toEqual(["reload schema", "reload schema"]);
  } finally {
    await session.end();
  }
});
