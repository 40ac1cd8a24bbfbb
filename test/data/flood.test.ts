/** Clients at a fixed rate next to a flood of expensive queries. The bounds are those of docs/limits.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CustomObjectsApi, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { FULL } from "../helpers/full.ts";
import { withoutSlots } from "./defences.ts";
import { type Query, type Outcome, sendFlood, p99, sendAtRate } from "./loadClients.ts";
import { instances, memoryOf, sessions } from "./processes.ts";
import { sendRequest, asOwner, newClient, runningQueries, withDatabase } from "./apiClient.ts";

/**
 * Maximum p99 of a client at a fixed rate on an idle machine, in milliseconds: the maximum duration of a query before its own. Asserted with
 * FULL=1 only, because other tests run at the same time.
 */
const BOUND = 5_000;
/** Number of clients at a fixed rate. More than one, so that 1 % of their responses is more than one response. */
const POLITE = 2;
/** Maximum megabytes: memory limits of the pods (infra/postgres/statefulSet.ts; two instances of PostgREST), and an eighth of all temp_file_limits. */
const MEMORY = { postgres: 1_024, postgrest: 1_024, temporary: 1_280 };
const SECONDS = FULL ? 20 : 10;
/** Number of flooding addresses, and concurrent requests of each: more than the limit. */
const FLOODERS = 2;
const CONCURRENCY = 16;
/** Requests of an address that the gateway passes at a time: `in_flight`. */
const IN_FLIGHT = 6;

const headers = { "accept-profile": "marts" };
const counted = { ...headers, prefer: "count=exact" };
/** By another name than the queries of the flood, so that the database's list of running queries distinguishes them. */
const ROW = { path: "/polite_reading?id=eq.777777&select=id,place_id", headers };

const values = Array.from({ length: 800 }, (_, index) => `value-${index}`).join(",");
const tree = Array.from({ length: 60 }).reduce<string>(
  (inner, _, index) => `or(name.ilike.*${index}*a*,and(name.ilike.*b*${index}*,${inner}))`,
  "id.eq.1",
);
const nested = encodeURIComponent("((a+)+)+(a*)*\\2b");
const references = encodeURIComponent("(.*)(.*)(.*)\\3\\2\\1c$");
/** The gateway rejects both with 302. */
const TOO_LONG = [
  `/flood_reading?order=${"id,".repeat(4_000)}id`,
  `/flood_reading?or=(${"and(".repeat(4_000)}id.eq.1${")".repeat(4_000)})`,
];
/** Cross joins, counts, deep offsets, regular expressions, sorts without an index, long lists, deep trees, long orders. */
const PATHOLOGICAL: readonly Query[] = [
  { path: "/flood_place?select=id,flood_reading(name,flood_place(id,flood_reading(name)))", headers },
  { path: "/flood_place?select=id,a:flood_reading(*),b:flood_reading(*),c:flood_reading(*)", headers },
  { path: "/flood_place?select=id,flood_reading(name,note)", headers },
  { path: "/flood_reading?limit=0", headers: counted },
  { path: "/flood_view?limit=0", headers: counted },
  { path: "/flood_view?limit=0&name=ilike.*a*b*c*d*e*f*", headers: counted },
  { path: "/flood_view?offset=999000", headers },
  { path: "/flood_view?order=note,name&offset=900000", headers },
  { path: `/flood_text?body=match.${nested}`, headers },
  { path: `/flood_text?body=imatch.${references}`, headers },
  { path: "/flood_reading?order=name.desc,note.asc", headers },
  { path: `/flood_reading?note=not.in.(${values})&order=note`, headers },
  { path: `/flood_reading?or=(${tree})&order=note`, headers },
  ...TOO_LONG.map((path) => ({ path, headers })),
];

beforeAll(async () => {
  await asOwner(
    "create table marts.flood_place (id integer primary key, name text)",
    "insert into marts.flood_place select n, 'place ' || n from generate_series(1, 1000) n",
    "create table marts.flood_reading (id integer, place_id integer, name text, note text)",
    `insert into marts.flood_reading
     select n, n % 1000 + 1, md5(n::text), md5((n * 7)::text) || md5((n * 11)::text) from generate_series(1, 1000000) n`,
    "alter table marts.flood_reading add primary key (id), add foreign key (place_id) references marts.flood_place",
    "create index on marts.flood_reading (place_id)",
    "create view marts.flood_view as select * from marts.flood_reading",
    "create view marts.polite_reading as select * from marts.flood_reading",
    "create table marts.flood_text as select n as id, repeat('a', 20000) || n as body from generate_series(1, 100) n",
    "analyze marts.flood_place",
    "analyze marts.flood_reading",
  );
  const isServed = async (): Promise<void> =>
    expect((await sendRequest("GET /polite_reading?limit=1", { headers })).status).toBe(200);
  await vi.waitFor(isServed, { timeout: 240_000, interval: 100 });
});

afterAll(() =>
  asOwner(
    "drop view marts.flood_view, marts.polite_reading",
    "drop table marts.flood_text, marts.flood_reading, marts.flood_place",
  ),
);

test("answers every request of a client with ten requests a second during a flood, and the database keeps running", async () => {
  const started = await startOfDatabase();
  const logged = databaseLog().length;
  const { polite, flood, peak } = await runFlood();

  expect(tally(polite)).toEqual({ 200: polite.length });
  expect(new Set(polite.map(({ body }) => body))).toEqual(new Set(['[{"id":777777,"place_id":778}]']));
  if (FULL) expect(p99(polite)).toBeLessThan(BOUND);
  // 404: the gateway rejects the first query of the list; 500: the statement timeout; 503: temp_file_limit; 504: no free connection within 5 s.
  const documented = /^(200|206|404|429|500|503|504)$/;
  const [short, long] = [false, true].map((is) => flood.filter(({ path }) => TOO_LONG.includes(path) === is));
  expect(Object.keys(tally(short ?? [])).filter((status) => !documented.test(status))).toEqual([]);
  expect(tally(long ?? [])).toHaveProperty("302");
  expect(Object.keys(tally(long ?? [])).filter((status) => !/^(302|429)$/.test(status))).toEqual([]);
  expect(tally(flood)).toHaveProperty("429");
  expect(peak.queries).toBeLessThanOrEqual(FLOODERS * IN_FLIGHT);

  expect(await startOfDatabase()).toEqual(started);
  expect(databaseLog().slice(logged)).not.toMatch(/PANIC|FATAL|terminated by signal|out of memory|recovery/);
  for (const [what, most] of Object.entries(MEMORY)) {
    expect([what, peak[what as keyof typeof MEMORY] < most]).toEqual([what, true]);
  }
});

test.each([
  ["flood_reading(name)", 200],
  ["a:flood_reading(name),b:flood_reading(name),c:flood_reading(name)", 200],
  ["a:flood_reading(name),b:flood_reading(name),c:flood_reading(name),d:flood_reading(name)", 404],
  ["flood_reading(name,flood_place(id))", 404],
  ["flood_reading(name,%0Aflood_place(id))", 404],
  ["flood_reading%28name,flood_place%28id%29%29", 404],
  ['flood_reading("a)":name,flood_place(id))', 404],
  ["id&select=flood_reading(name,flood_place(id))", 404],
  ["id;select=flood_reading(name,flood_place(id))", 404],
])("limits related rows: select=%s returns %i", async (select, status) => {
  expect((await sendRequest(`GET /flood_place?id=eq.1&select=${select}`, { headers })).status).toBe(status);
});

test("control: without limits per client, rejects no request with 429; with FULL=1, a flood delays or fails other clients", () =>
  withoutSlots(async () => {
    const restore = await withoutLimits();
    try {
      // Next to other programs, how long the others wait and how many queries run depends on those.
      if (!FULL) return;
      const { polite, flood, peak } = await runFlood();
      expect(tally(flood)).not.toHaveProperty("429");
      expect(peak.queries).toBeGreaterThan(FLOODERS * IN_FLIGHT);
      expect(polite.some(({ status }) => status !== 200) || p99(polite) > BOUND).toBe(true);
    } finally {
      await restore();
    }
  }));

interface Flood {
  readonly polite: readonly Outcome[];
  readonly flood: readonly Outcome[];
  /** Peak usage in megabytes, and the largest number of queries of the flood that ran at a time. */
  readonly peak: Readonly<Record<keyof typeof MEMORY | "queries", number>>;
}

async function runFlood(): Promise<Flood> {
  const end = AbortSignal.timeout(SECONDS * 1_000);
  const polite = Array.from({ length: POLITE }, () => sendAtRate(newClient(), ROW, 10, end));
  const flood = Array.from({ length: FLOODERS }, () => sendFlood(newClient(), PATHOLOGICAL, CONCURRENCY, end));
  const peak = { postgres: 0, postgrest: 0, temporary: 0, queries: 0 };
  while (!end.aborted) {
    peak.postgres = Math.max(peak.postgres, memoryOf(sessions()));
    peak.postgrest = Math.max(peak.postgrest, memoryOf(instances()));
    peak.temporary = Math.max(peak.temporary, await temporaryFiles());
    peak.queries = Math.max(peak.queries, await runningQueries("flood_"));
    await pause(250);
  }
  return { polite: (await Promise.all(polite)).flat(), flood: (await Promise.all(flood)).flat(), peak };
}

function tally(outcomes: readonly Outcome[]): Record<string, number> {
  const byStatus = Map.groupBy(outcomes, ({ status }) => String(status));
  return Object.fromEntries(Array.from(byStatus, ([status, { length }]) => [status, length]));
}

function temporaryFiles(): Promise<number> {
  return withDatabase(async (database) => {
    const { rows } = await database.query<{ bytes: string }>(
      "select coalesce(sum(size), 0) as bytes from pg_ls_tmpdir()",
    );
    return Math.round(Number(rows[0]?.bytes) / 1_048_576);
  });
}

function startOfDatabase(): Promise<Date | undefined> {
  return withDatabase(async (database) => {
    const { rows } = await database.query<{ started: Date }>("select pg_postmaster_start_time() as started");
    return rows[0]?.started;
  });
}

function databaseLog(): string {
  return readFileSync(join(inject("data").data, "logs", "postgres.log"), "utf8");
}

/** Raises the gateway's limits per client, and waits until it applies them. @returns restores them, and waits likewise, since the next file tests them */
async function withoutLimits(): Promise<() => Promise<void>> {
  const write = async (average: number, burst: number, amount: number): Promise<void> => {
    await patch("gatehouse-rate-limit", { rateLimit: { average, burst } });
    await patch("gatehouse-in-flight", { inFlightReq: { amount } });
  };
  const waited = { timeout: 240_000, interval: 200 };
  await write(100_000, 100_000, 100_000);
  await vi.waitFor(async () => expect(await concurrentRefusals()).toEqual([]), waited);
  return async () => {
    await write(50, 100, IN_FLIGHT);
    const refusal = `max connections reached: ${IN_FLIGHT}`;
    await vi.waitFor(async () => expect(await concurrentRefusals()).toContain(refusal), waited);
  };
}

/** Sends twice as many concurrent requests of one client as the gateway passes. @returns the bodies of the responses with 429 */
async function concurrentRefusals(): Promise<string[]> {
  const from = newClient();
  // Each query sorts a million rows, so more than the allowed number run concurrently.
  const line = "GET /flood_reading?order=name.desc,note.asc&limit=1";
  const responses = await Promise.all(
    Array.from({ length: 2 * IN_FLIGHT }, () => sendRequest(line, { headers, from })),
  );
  return responses.filter(({ status }) => status === 429).map(({ body }) => body);
}

async function patch(name: string, spec: object): Promise<void> {
  const { kubeconfig, namespace } = inject("data");
  const config = RetryingKubeConfig.fromFile(kubeconfig);
  const location = { group: "traefik.io", version: "v1alpha1", namespace, plural: "middlewares", name };
  await config
    .makeApiClient(CustomObjectsApi)
    .patchNamespacedCustomObject(
      { ...location, body: { spec } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
}
