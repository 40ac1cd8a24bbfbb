/** The migrations as a whole: twice, twice at once, and killed on the way. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
});
afterAll(() => api.stop());

/** Returns every object that the migrations create, with its definition and rights. */
async function createdObjects(): Promise<unknown[]> {
  return api.query(
    `select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition, p.proacl::text as rights
     from pg_proc p where pronamespace::regnamespace::text in ('gatehouse', 'gatehouse_openapi')
     union all
     select c.oid::regclass::text, coalesce(pg_get_viewdef(c.oid), relkind::text), c.relacl::text
     from pg_class c where relnamespace::regnamespace::text in ('api_v1', 'catalog', 'gatehouse') and relkind in ('r', 'v')
     union all
     select evtname::text, evtfoid::regproc::text, evtenabled::text from pg_event_trigger
     order by 1`,
  );
}

/** Sessions of the superuser that wait for a lock; PostgREST's own may wait as well. */
async function waiting(): Promise<number> {
  const found = await api.query(
    `select from pg_stat_activity
     where backend_type = 'client backend' and usename = 'postgres' and wait_event_type = 'Lock'`,
  );
  return found.length;
}

test("change nothing in a second run", async () => {
  const before = await createdObjects();
  expect(before.length).toBeGreaterThan(20);
  api.migrate();
  expect(await createdObjects()).toEqual(before);
});

test("run one after the other when started at once", async () => {
  const before = await createdObjects();
  const exits = [api.startMigration(), api.startMigration()].map((run) => once(run, "exit"));
  expect(await Promise.all(exits)).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(await createdObjects()).toEqual(before);
});

test("do not wait for a pipeline that writes to the catalog, nor stop readers", async () => {
  const pipeline = await api.session();
  try {
    // Ends the session of a test that fails.
    await pipeline.query("set idle_in_transaction_session_timeout = '30s'");
    await pipeline.query("begin; insert into catalog.sources (source_id, provider, title) values ('a', 'b', 'c')");
    expect(await once(api.startMigration(), "exit")).toEqual([0, null]);
    expect((await api.get("/meta_sources")).status).toBe(200);
    await pipeline.query("rollback");
  } finally {
    await pipeline.end();
  }
});

test("wait for a reader of the catalog's views, without stopping others", async () => {
  const reader = await api.session();
  await reader.query("begin; select from api_v1.meta_sources");
  const exit = once(api.startMigration(), "exit");
  await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 240_000 });
  for (let request = 0; request < 20; request += 1) {
    const { status, body } = await api.get("/meta_sources");
    expect([status, body]).toEqual([200, "[]"]);
  }
  // In the second attempt, it waits again.
  await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 240_000 });
  await reader.end();
  expect(await exit).toEqual([0, null]);
});

test("fail when they wait for a lock", async () => {
  const other = await api.session();
  await other.query("begin; lock table catalog.sources");
  expect(() => api.migrate()).toThrow("canceling statement due to lock timeout");
  await other.end();
});

test("change nothing when they are killed, and succeed in the next run", async () => {
  await api.query("drop function gatehouse_openapi.document(text)");
  const before = await createdObjects();
  const other = await api.session();
  await other.query("begin; lock table catalog.sources");
  const run = api.startMigration();
  const exit = once(run, "exit");
  await vi.waitFor(async () => expect(await waiting()).toBe(1), { timeout: 240_000 });
  run.kill("SIGKILL");
  expect(await exit).toEqual([null, "SIGKILL"]);
  await other.end();
  await vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 240_000 });
  expect(await createdObjects()).toEqual(before);
  api.migrate();
  expect(await createdObjects()).toHaveLength(before.length + 1);
});
