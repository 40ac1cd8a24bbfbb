import { setTimeout } from "node:timers/promises";
import { deploy, openLocal } from "../local/deploy.ts";
import type { Platform } from "../local/platform/platform.ts";
import { loadSampleOf } from "../local/sample.ts";
import { headerOf, withClient } from "../ops/clients/http.ts";
import type { Progress } from "../ops/terminal/progress.ts";
import { administrator } from "./administrator.ts";
import { benchCatalog } from "./catalog.ts";
import { load, podAddresses, SECONDS, type Target } from "./load.ts";
import { onPlatform } from "./platform.ts";
import { type Measurement, timesOf } from "./measurement.ts";

/** The section of the stack file with limits that one client does not reach. */
export const WITHOUT_LIMITS = {
  "gatehouse:data_api": {
    domains: "auto",
    authenticator_password: "${DATA_AUTHENTICATOR_PASSWORD}",
    owner_password: "${DATA_OWNER_PASSWORD}",
    limits: { requests_per_second: 100_000, burst: 100_000, in_flight: 10_000, exact_count_rows: 10_000_000 },
  },
};

const CONNECTIONS = [1, 32];
/** An ETag depends on statistics, which an idle session of Postgres reports after at most ten seconds. */
const SETTLED_MS = 11_000;
const TABLES = { bench_small: 1_000, bench_large: 1_000_000 };
const MARTS = { "accept-profile": "marts" };

/** A request, and its SQL without PostgREST; undefined if PostgREST needs no database for the response. */
interface RequestCase {
  readonly what: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly sql?: string;
  /** Default: 200. */
  readonly status?: number;
  /** Sent again with the ETag of the first response. */
  readonly again?: true;
}

const CASES: readonly RequestCase[] = [
  { what: "one row of 1,000", ...row("bench_small") },
  { what: "exact count of 1,000", ...count("bench_small") },
  { what: "one row of a million", ...row("bench_large"), again: true },
  { what: "100 rows", ...first("bench_large", 100) },
  { what: "1,000 rows", ...first("bench_large", 1_000), again: true },
  { what: "exact count of a million", ...count("bench_large") },
  { what: "root document", path: "/" },
];

/** Measures the data API with the relations of the sample and two tables, and at the end with a thousand relations. */
export function benchDataApi(progress: Progress): Promise<{ requests: Measurement[]; catalog: Measurement[] }> {
  return onPlatform(progress, async (platform) => {
    const local = await openLocal(platform, WITHOUT_LIMITS);
    await deploy(local, progress);
    await loadSampleOf(platform, local);
    await progress.step("A million rows", () => loadTables(platform));
    const requests = await measure(platform, progress);
    const catalog = await benchCatalog(platform, progress);
    return { requests, catalog };
  });
}

function row(table: string): Omit<RequestCase, "what"> {
  return {
    path: `/${table}?id=eq.777`,
    headers: MARTS,
    sql: json(`select * from marts.${table} where id = 777 limit 1000`),
  };
}

function first(table: string, limit: number): Omit<RequestCase, "what"> {
  const sql = json(`select * from marts.${table} limit ${limit}`);
  return { path: `/${table}?limit=${limit}`, headers: MARTS, sql };
}

function count(table: string): Omit<RequestCase, "what"> {
  const headers = { ...MARTS, prefer: "count=exact" };
  return { path: `/${table}?limit=0`, headers, status: 206, sql: `select count(*) from marts.${table}` };
}

function json(sql: string): string {
  return `select coalesce(json_agg(t), '[]')::text from (${sql}) t`;
}

async function measure(platform: Platform, progress: Progress): Promise<Measurement[]> {
  const [address] = await podAddresses(platform);
  const pod = `http://${address}:3000`;
  const gateway = `http://127.0.0.1:${platform.httpPort}`;
  const suffix = platform.httpPort === 80 ? "" : `:${platform.httpPort}`;
  const rows: Measurement[] = [];
  const run = async (
    what: string,
    by: string,
    connections: number,
    work: () => Promise<Measurement>,
  ): Promise<void> => {
    rows.push({
      what,
      by,
      ...(await progress.step(`${what}, ${by}, ${connections} connections`, work, `${SECONDS} s`)),
    });
  };
  const through = (host: string, path: string, headers: Readonly<Record<string, string>> = {}): Target => ({
    url: gateway + path,
    headers: { host: host + suffix, ...headers },
  });
  for (const connections of CONNECTIONS) {
    const measured = async (what: string, by: string, target: Target): Promise<void> =>
      run(what, by, connections, () => load(what, target, connections));
    await measured("echo", "gateway", through("whoami-public.localhost", "/"));
    for (const { what, path, headers, sql, status = 200, again } of CASES) {
      if (sql) await run(what, "SQL", connections, () => query(platform, sql, connections));
      await measured(what, "PostgREST", { url: pod + path, headers, status });
      const target = through("data.localhost", path, headers);
      await measured(what, "gateway", { ...target, status });
      if (again) await measured(what, "gateway, 304", await known(target));
    }
    const description = through("data.localhost", "/openapi.json");
    await measured("/openapi.json", "gateway", description);
    await measured("/openapi.json", "gateway, 304", await known(description));
  }
  return rows;
}

/** Returns the headers with the current ETag. Postgres reports writes with a delay, and each changes the ETag, so two equal ones are required. */
function known({ url, headers = {} }: Target): Promise<Target> {
  return withClient(async (client) => {
    const currentTag = async (): Promise<string> => headerOf(await client.send(url, { headers }), "etag") ?? "";
    const deadline = performance.now() + 120_000;
    for (let tag = await currentTag(); performance.now() < deadline;) {
      await setTimeout(SETTLED_MS);
      const before = tag;
      tag = await currentTag();
      if (tag === before) return { url, headers: { ...headers, "if-none-match": tag }, status: 304 };
    }
    throw new Error(`${url} has another tag each time`);
  });
}

/** The baseline: the same rows by a Postgres client, each connection with a prepared statement. */
async function query(platform: Platform, sql: string, connections: number): Promise<Measurement> {
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1_000;
  const runQueries = async (): Promise<void> => {
    const client = await administrator(platform);
    while (performance.now() < end) {
      const since = performance.now();
      await client.query({ name: "case", text: sql });
      times.push(performance.now() - since);
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: connections }, runQueries));
  return {
    connections,
    "requests/s": Math.round(times.length / SECONDS),
    ...timesOf(times),
    unexpected: 0,
  };
}

/** The tables of a thousand and of a million rows. */
export async function loadTables(platform: Platform): Promise<void> {
  const client = await administrator(platform);
  await client.query("set role gatehouse_owner");
  for (const [table, size] of Object.entries(TABLES)) {
    await client.query(
      `create table marts.${table} as
       select n as id, 'region ' || n % 357 as region, md5(n::text) as name, n * 1.5 as value, date '2020-01-01' + n % 2000 as day
       from generate_series(1, ${size}) n`,
    );
    await client.query(`alter table marts.${table} add primary key (id)`);
    await client.query(`analyze marts.${table}`);
  }
  await client.end();
}
