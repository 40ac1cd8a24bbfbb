/** Failures of PostgREST and Postgres, and automatic recovery within the times of docs/limits.md. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FULL } from "../helpers/full.ts";
import { type Outcome, sendAtRate } from "./loadClients.ts";
import { instances, postmaster } from "./processes.ts";
import { sendRequest, asOwner, newClient, withDatabase } from "./apiClient.ts";

const headers = { "accept-profile": "marts" };
const ROW = { path: "/recovery_thing?id=eq.7", headers };
/** Maximum milliseconds until a probe passes again: on an idle machine with FULL=1, otherwise at some time. */
const BOUND = FULL
  ? { instance: 20_000, database: 30_000, connections: 10_000 }
  : { instance: 240_000, database: 240_000, connections: 240_000 };
/** Names that no response may contain: private schemas, roles, and the address of the database. */
const PRIVATE = /private_|secret_|gatehouse|catalog|postgres(?!t)|127\.0\.0\.1|password|port \d/i;

beforeAll(async () => {
  await asOwner(
    "create table marts.recovery_thing as select n as id, 'thing ' || n as name from generate_series(1, 100) n",
    "create view api_v1.recovery_view as select id, name from marts.recovery_thing",
    "analyze marts.recovery_thing",
  );
  await vi.waitFor(() => probe(), { timeout: 240_000, interval: 100 });
});

afterAll(() => asOwner("drop view if exists api_v1.recovery_view", "drop table marts.recovery_thing"));

test("recovers after an instance is killed", async () => {
  const [killedId = 0] = instances();
  const { outcomes, took } = await runUnderLoad(
    () => Promise.resolve(kill([killedId], "SIGKILL")),
    recoveredInstances(killedId),
  );
  expectOnly(outcomes, [200, 500, 502, 503, 504]);
  expect(took).toBeLessThan(BOUND.instance);
});

test("recovers after all instances are killed", async () => {
  const killedIds = instances();
  const { outcomes, took } = await runUnderLoad(
    () => Promise.resolve(kill(killedIds, "SIGKILL")),
    recoveredInstances(...killedIds),
  );
  expectOnly(outcomes, [200, 500, 502, 503, 504]);
  expect(outcomes.some(({ status }) => status !== 200)).toBe(true);
  expect(took).toBeLessThan(BOUND.instance);
});

test.each([
  ["fast", "SIGINT"],
  ["immediate", "SIGQUIT"],
] as const)("recovers after a restart of the database (%s shutdown)", async (_, signal) => {
  const before = postmaster();
  const { outcomes, took } = await runUnderLoad(
    () => Promise.resolve(kill([before], signal)),
    () => Promise.resolve(expect(postmaster()).not.toBe(before)),
  );
  expectOnly(outcomes, [200, 500, 503, 504]);
  expect(outcomes.some(({ status }) => status !== 200)).toBe(true);
  expect(took).toBeLessThan(BOUND.database);
});

test("recovers after PostgREST's sessions are terminated", async () => {
  const end = (): Promise<void> =>
    withDatabase(async (database) => {
      const { rowCount } = await database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gatehouse_authenticator'",
      );
      expect(rowCount).toBeGreaterThan(1);
    });
  const { outcomes, took } = await runUnderLoad(end);
  expectOnly(outcomes, [200, 500, 503, 504]);
  expect(took).toBeLessThan(BOUND.connections);
});

test("returns documented errors while every connection waits for a lock, and recovers", async () => {
  await withDatabase(async (database) => {
    await database.query("begin");
    await database.query("lock table marts.recovery_thing in access exclusive mode");
    const waiting = await Promise.all(
      Array.from({ length: 60 }, () => sendRequest("GET /recovery_thing?limit=1", { headers })),
    );
    // 55P03: lock_timeout. Each response waits at most for a connection and then for the lock.
    const codes = new Set(waiting.map(({ body }) => (JSON.parse(body) as { code: string }).code));
    expect([...codes].filter((code) => !["55P03", "57014", "PGRST003"].includes(code))).toEqual([]);
    expectOnly(
      waiting.map(({ status, body }) => ({ path: "", status, body, took: 0 })),
      [500, 503, 504],
    );
    await database.query("rollback");
  });
  await vi.waitFor(() => probe(), { timeout: BOUND.connections, interval: 20 });
});

test("serves the new schema after changes during requests", async () => {
  const { outcomes, took } = await runUnderLoad(
    async () => {
      await asOwner(
        "alter table marts.recovery_thing add column added text default 'new'",
        "alter table marts.recovery_thing rename column name to called",
        "alter view api_v1.recovery_view rename to recovery_other",
        "alter table marts.recovery_thing rename to recovery_gone",
      );
      await vi.waitFor(
        async () => expect((await sendRequest(`GET ${ROW.path}`, { headers })).status).toBe(404),
        240_000,
      );
      await asOwner(
        "drop view api_v1.recovery_other",
        "alter table marts.recovery_gone rename to recovery_thing",
        "alter table marts.recovery_thing rename column called to name",
        "create view api_v1.recovery_view as select id, name, added from marts.recovery_thing",
      );
    },
    async () =>
      expect((await sendRequest("GET /recovery_view?id=eq.7")).body).toBe('[{"id":7,"name":"thing 7","added":"new"}]'),
  );
  expectOnly(outcomes, [200, 404, 503]);
  expect(took).toBeLessThan(BOUND.connections);
});

/** Requests rows, a count, and a 304. @throws if one of them is not as expected */
async function probe(): Promise<void> {
  const from = newClient();
  const row = await sendRequest("GET /recovery_view?id=eq.7", { from });
  expect([row.status, (JSON.parse(row.body) as unknown[]).length]).toEqual([200, 1]);
  const count = await sendRequest("HEAD /recovery_thing?limit=0", {
    from,
    headers: { ...headers, prefer: "count=exact" },
  });
  expect(count.headers["content-range"]).toBe("*/100");
  const tag = String(row.headers["etag"]);
  expect(tag).toMatch(/^W\/"/);
  // A write that is reported meanwhile changes the tag.
  const again = await sendRequest("GET /recovery_view?id=eq.7", { from, headers: { "if-none-match": tag } });
  expect(again.status).toBe(304);
}

/** Runs `act` while a client sends requests, and waits until probes pass again. @returns outcomes, and the milliseconds until then */
async function runUnderLoad(
  act: () => Promise<void>,
  also: () => Promise<void> = () => Promise.resolve(),
): Promise<{ outcomes: readonly Outcome[]; took: number }> {
  const done = new AbortController();
  const load = sendAtRate(newClient(), ROW, 20, done.signal);
  await pause(500);
  await act();
  const since = performance.now();
  const recovered = async (): Promise<void> => {
    await also();
    for (let round = 0; round < 6; round += 1) await probe();
  };
  await vi.waitFor(recovered, { timeout: 240_000, interval: 50 }).finally(() => done.abort());
  const took = Math.round(performance.now() - since);
  const outcomes = await load;
  return { outcomes, took };
}

/** Expects the same number of instances as now, without the killed ones. */
function recoveredInstances(...killedIds: readonly number[]): () => Promise<void> {
  const count = instances().length;
  return () => {
    const now = instances();
    expect([now.length, now.filter((id) => killedIds.includes(id))]).toEqual([count, []]);
    return Promise.resolve();
  };
}

function kill(ids: readonly number[], signal: NodeJS.Signals): void {
  for (const id of ids) process.kill(id, signal);
}

/** Body of PostgREST's 400 if the connection ends before Postgres reports an error (docs/limits.md). */
const EMPTY_ERROR = '{"code":"","details":null,"hint":null,"message":""}';

/** Expects these statuses only, and nothing private in any body. */
function expectOnly(outcomes: readonly Outcome[], statuses: readonly number[]): void {
  const others = outcomes.filter(
    ({ status, body }) => !statuses.includes(Number(status)) && !(status === 400 && body === EMPTY_ERROR),
  );
  expect(others.map(({ status, body }) => [status, body])).toEqual([]);
  expect([...new Set(outcomes.map(({ body }) => body).filter((body) => PRIVATE.test(body)))]).toEqual([]);
}
