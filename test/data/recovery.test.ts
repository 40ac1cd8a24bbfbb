/** What breaks below the gateway, and that everything comes back without a hand, in the times of docs/limits.md. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { FULL } from "../helpers/full.ts";
import { type Ended, politely } from "./clients.ts";
import { instances, postmaster } from "./processes.ts";
import { ask, asOwner, newClient, withDatabase } from "./api-client.ts";

const headers = { "accept-profile": "marts" };
const ROW = { path: "/recovery_thing?id=eq.7", headers };
/** Milliseconds until a whole probe passes again, on a machine that does nothing else: with FULL=1. Else it passes again at all. */
const BOUND = FULL
  ? { instance: 20_000, database: 30_000, connections: 10_000 }
  : { instance: 240_000, database: 240_000, connections: 240_000 };
/** Names that no answer may tell: schemas, roles, where the database is, and how it was reached. */
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

test("an instance is killed", async () => {
  const [victim = 0] = instances();
  const { ended, took } = await whileAsked(
    () => Promise.resolve(kill([victim], "SIGKILL")),
    recoveredInstances(victim),
  );
  expectOnly(ended, [200, 500, 502, 503, 504]);
  expect(took).toBeLessThan(BOUND.instance);
});

test("all instances are killed at once", async () => {
  const victims = instances();
  const { ended, took } = await whileAsked(
    () => Promise.resolve(kill(victims, "SIGKILL")),
    recoveredInstances(...victims),
  );
  expectOnly(ended, [200, 500, 502, 503, 504]);
  expect(ended.some(({ status }) => status !== 200)).toBe(true);
  expect(took).toBeLessThan(BOUND.instance);
});

test.each([
  ["fast", "SIGINT"],
  ["immediate", "SIGQUIT"],
] as const)("the database restarts (%s)", async (_, signal) => {
  const before = postmaster();
  const { ended, took } = await whileAsked(
    () => Promise.resolve(kill([before], signal)),
    () => Promise.resolve(expect(postmaster()).not.toBe(before)),
  );
  expectOnly(ended, [200, 500, 503, 504]);
  expect(ended.some(({ status }) => status !== 200)).toBe(true);
  expect(took).toBeLessThan(BOUND.database);
});

test("the sessions of PostgREST are ended", async () => {
  const end = (): Promise<void> =>
    withDatabase(async (database) => {
      const { rowCount } = await database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gatehouse_authenticator'",
      );
      expect(rowCount).toBeGreaterThan(1);
    });
  const { ended, took } = await whileAsked(end);
  expectOnly(ended, [200, 500, 503, 504]);
  expect(took).toBeLessThan(BOUND.connections);
});

test("every connection waits for a lock", async () => {
  await withDatabase(async (database) => {
    await database.query("begin");
    await database.query("lock table marts.recovery_thing in access exclusive mode");
    const waiting = await Promise.all(
      Array.from({ length: 60 }, () => ask("GET /recovery_thing?limit=1", { headers })),
    );
    // 55P03: the lock was not had in lock_timeout; no answer waits for longer than for a connection and then for the lock.
    const codes = new Set(waiting.map(({ body }) => (JSON.parse(body) as { code: string }).code));
    expect([...codes].filter((code) => !["55P03", "57014", "PGRST003"].includes(code))).toEqual([]);
    expectOnly(
      waiting.map(({ status, body }) => ({ status, body, took: 0 })),
      [500, 503, 504],
    );
    await database.query("rollback");
  });
  await vi.waitFor(() => probe(), { timeout: BOUND.connections, interval: 20 });
});

test("the schema changes under running requests", async () => {
  const { ended, took } = await whileAsked(
    async () => {
      await asOwner(
        "alter table marts.recovery_thing add column added text default 'new'",
        "alter table marts.recovery_thing rename column name to called",
        "alter view api_v1.recovery_view rename to recovery_other",
        "alter table marts.recovery_thing rename to recovery_gone",
      );
      await vi.waitFor(async () => expect((await ask(`GET ${ROW.path}`, { headers })).status).toBe(404), 240_000);
      await asOwner(
        "drop view api_v1.recovery_other",
        "alter table marts.recovery_gone rename to recovery_thing",
        "alter table marts.recovery_thing rename column called to name",
        "create view api_v1.recovery_view as select id, name, added from marts.recovery_thing",
      );
    },
    async () =>
      expect((await ask("GET /recovery_view?id=eq.7")).body).toBe('[{"id":7,"name":"thing 7","added":"new"}]'),
  );
  expectOnly(ended, [200, 404, 503]);
  expect(took).toBeLessThan(BOUND.connections);
});

/** Rows, count, and an answer that is confirmed. @throws when one of them is not as before */
async function probe(): Promise<void> {
  const from = newClient();
  const row = await ask("GET /recovery_view?id=eq.7", { from });
  expect([row.status, (JSON.parse(row.body) as unknown[]).length]).toEqual([200, 1]);
  const count = await ask("HEAD /recovery_thing?limit=0", { from, headers: { ...headers, prefer: "count=exact" } });
  expect(count.headers["content-range"]).toBe("*/100");
  const tag = String(row.headers["etag"]);
  expect(tag).toMatch(/^W\/"/);
  // A write that was reported meanwhile makes the first tag old.
  const again = await ask("GET /recovery_view?id=eq.7", { from, headers: { "if-none-match": tag } });
  expect(again.status).toBe(304);
}

/** Breaks something while a client asks, and waits until everything is well: the time of that in milliseconds. */
async function whileAsked(
  act: () => Promise<void>,
  also: () => Promise<void> = () => Promise.resolve(),
): Promise<{ ended: readonly Ended[]; took: number }> {
  const done = new AbortController();
  const asking = politely(newClient(), ROW, 20, done.signal);
  await pause(500);
  await act();
  const since = performance.now();
  const well = async (): Promise<void> => {
    await also();
    for (let round = 0; round < 6; round += 1) await probe();
  };
  await vi.waitFor(well, { timeout: 240_000, interval: 50 }).finally(() => done.abort());
  const took = Math.round(performance.now() - since);
  const ended = await asking;
  return { ended, took };
}

/** As many as before, none of them one of these. */
function recoveredInstances(...victims: readonly number[]): () => Promise<void> {
  const many = instances().length;
  return () => {
    const now = instances();
    expect([now.length, now.filter((id) => victims.includes(id))]).toEqual([many, []]);
    return Promise.resolve();
  };
}

function kill(ids: readonly number[], signal: NodeJS.Signals): void {
  for (const id of ids) process.kill(id, signal);
}

/** What PostgREST makes of a query whose connection was cut before Postgres could say why: a 400 (docs/limits.md). */
const CUT = '{"code":"","details":null,"hint":null,"message":""}';

/** Only these statuses, and nothing private in any body. */
function expectOnly(ended: readonly Ended[], statuses: readonly number[]): void {
  const others = ended.filter(
    ({ status, body }) => !statuses.includes(Number(status)) && !(status === 400 && body === CUT),
  );
  expect(others.map(({ status, body }) => [status, body])).toEqual([]);
  expect([...new Set(ended.map(({ body }) => body).filter((body) => PRIVATE.test(body)))]).toEqual([]);
}
