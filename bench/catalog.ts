import type { Client } from "pg";
import type { Platform } from "../local/platform/platform.ts";
import { withClient } from "../ops/clients/http.ts";
import type { Progress } from "../ops/terminal/progress.ts";
import { administrator } from "./administrator.ts";
import { load, podAddresses, type Target } from "./load.ts";
import { type Measurement, timesOf } from "./measurement.ts";

const TABLES = 500;
const ROUNDS = 20;
/** Requests whose responses grow with the number of relations. */
const PATHS = ["/meta_endpoints", "/meta_endpoints?relation=eq.table_7", "/", "/openapi.json"];

/** Measures the description of the data API with the relations of the sample, then with a thousand more, half of them views. */
export async function benchCatalog(platform: Platform, progress: Progress): Promise<Measurement[]> {
  const client = await administrator(platform);
  try {
    const few = await measure(client, platform, progress);
    const since = performance.now();
    await progress.step(`${2 * TABLES} relations more`, () => addThousand(client));
    const mean = (performance.now() - since) / (3 * TABLES);
    const ddl = { relations: "", what: "one statement of their DDL, mean", "p50 ms": mean.toFixed(1), "p99 ms": "" };
    await untilServed(platform, `/view_${TABLES}`);
    return [...few, ddl, ...(await measure(client, platform, progress))];
  } finally {
    await client.end();
  }
}

/** Tables in a schema of pipelines, with views on them in the default one: each statement passes the event triggers. */
export function addThousand(client: Client): Promise<void> {
  const statement = `do $$ begin for n in 1..${TABLES} loop
    execute format('create table marts.table_%s (id integer primary key, region text not null, name text, value numeric, day date)', n);
    execute format('comment on column marts.table_%s.region is %L', n, 'Region of row ' || n);
    execute format('create view api_v1.view_%s as select id, region, value from marts.table_%s', n, n);
  end loop; end $$`;
  return asOwner(client, statement);
}

async function asOwner(client: Client, statement: string): Promise<void> {
  await client.query("set role gatehouse_owner");
  await client.query(statement);
  await client.query("reset role");
}

async function measure(client: Client, platform: Platform, progress: Progress): Promise<Measurement[]> {
  const { rows } = await client.query<{ count: string }>("select count(*) from api_v1.meta_endpoints");
  const relations = Number(rows[0]?.count);
  const target = targets(platform);
  const measured: Measurement[] = [];
  const add = async (what: string, work: () => Promise<Measurement>): Promise<void> => {
    const { "p50 ms": p50 = "", "p99 ms": p99 = "" } = await progress.step(`${relations} relations: ${what}`, work);
    measured.push({ relations, what, "p50 ms": p50, "p99 ms": p99 });
  };
  for (const path of PATHS) await add(`GET ${path}`, () => load(path, target(path), 1));
  await add("comment on a column", () => statements(client, "comment on column marts.bench_small.name is"));
  await client.query("set event_triggers = off");
  await add("the same without event triggers", () => statements(client, "comment on column marts.bench_small.name is"));
  await client.query("reset event_triggers");
  await add("from a new view's commit to its first answer", () => newViews(client, platform));
  return measured;
}

function targets({ httpPort }: Platform): (path: string) => Target {
  const host = `data.localhost${httpPort === 80 ? "" : `:${httpPort}`}`;
  return (path) => ({ url: `http://127.0.0.1:${httpPort}${path}`, headers: { host } });
}

async function statements(client: Client, statement: string): Promise<Measurement> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const since = performance.now();
    await client.query(`${statement} 'round ${round}'`);
    times.push(performance.now() - since);
  }
  return timesOf(times);
}

/** Measures how long new views take to be served: PostgREST reloads its schema cache for each of them. */
async function newViews(client: Client, platform: Platform): Promise<Measurement> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS / 4; round += 1) {
    await asOwner(client, `create view api_v1.new_${round} as select 1 as one`);
    const since = performance.now();
    await untilServed(platform, `/new_${round}`);
    times.push(performance.now() - since);
    await client.query(`drop view api_v1.new_${round}`);
  }
  return timesOf(times);
}

/** Waits for each instance of PostgREST, which have separate caches. */
async function untilServed(platform: Platform, path: string): Promise<void> {
  const waiting = (await podAddresses(platform)).map((address) => `http://${address}:3000${path}`);
  const deadline = performance.now() + 120_000;
  await withClient(async (client) => {
    for (const url of waiting) {
      while ((await client.send(url)).status !== 200) {
        if (performance.now() > deadline) throw new Error(`${url} is not served after two minutes`);
      }
    }
  });
}
