import type { Browser, Page, Request } from "playwright-core";
import { deploy, openLocal } from "../local/deploy.ts";
import type { Platform } from "../local/platform/platform.ts";
import { loadSampleOf } from "../local/sample.ts";
import type { Progress } from "../ops/terminal/progress.ts";
import { administrator } from "./administrator.ts";
import { addThousand } from "./catalog.ts";
import { catalogSizes } from "./catalogSizes.ts";
import { loadTables } from "./dataApi.ts";
import { launchBrowser } from "../test/helpers/chromium.ts";
import { type Measurement, median } from "./measurement.ts";
import { onPlatform } from "./platform.ts";

const ROUNDS = 7;
const WIDE = { columns: 200, rows: 1_000 };
const ENDPOINT = "li.endpoint";
const ROW = ".frame-table[aria-busy] tbody tr";

/** The pages, and the selector of their first rows. */
const PAGES = [
  { what: "list of 1,000 endpoints", path: "data", rows: ENDPOINT },
  { what: "a tag of it", path: "data?tag=layer:api_v1", rows: ENDPOINT },
  { what: "a million rows", path: "data/marts/bench_large", rows: ROW },
  { what: "its page 5,000", path: "data/marts/bench_large?page=5000", rows: ROW },
  { what: "sorted without an index", path: "data/marts/bench_large?sort=value.desc", rows: ROW },
  { what: `${WIDE.columns} columns`, path: "data/marts/bench_wide", rows: ROW },
  { what: "no table at all", path: "about", rows: "h1" },
];

declare global {
  interface Window {
    /** Milliseconds from the beginning of the visit until the rows were painted. */
    firstRows?: number;
  }
}

/** A request of a page to the data API before its rows are painted. */
interface DataRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Measures the catalog in a browser without a cache: bytes of its scripts, and time until rows are painted. */
export function benchCatalogPage(progress: Progress): Promise<{ sizes: Measurement[]; times: Measurement[] }> {
  return onPlatform(progress, async (platform) => {
    const local = await openLocal(platform);
    await deploy(local, progress);
    await loadSampleOf(platform, local);
    await progress.step("A million rows and a thousand relations", () => load(platform));
    const start = local.plan.exposures.find(({ role }) => role === "catalog")?.url ?? "";
    return { sizes: catalogSizes(), times: await inBrowser((browser) => measure(browser, `${start}/`, progress)) };
  });
}

async function load(platform: Platform): Promise<void> {
  await loadTables(platform);
  const client = await administrator(platform);
  await addThousand(client);
  await client.query("set role gatehouse_owner");
  const columns = Array.from({ length: WIDE.columns - 1 }, (_, index) => `n * ${index} as value_${index}`);
  await client.query(
    `create table marts.bench_wide as select n as id, ${columns.join(", ")} from generate_series(1, ${WIDE.rows}) n`,
  );
  await client.query("alter table marts.bench_wide add primary key (id)");
  await client.query("analyze marts.bench_wide");
  await client.end();
}

async function inBrowser<T>(work: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await launchBrowser();
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

async function measure(browser: Browser, start: string, progress: Progress): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const { what, path, rows: selector } of PAGES) {
    await progress.step(`${what}: ${ROUNDS} visits`, async () => {
      const visits: number[] = [];
      const baselines: number[] = [];
      let requests: readonly DataRequest[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const visit = await visitPage(browser, start + path, selector);
        requests = visit.requests;
        visits.push(visit.time);
        baselines.push(await fetchBare(browser, start, requests));
      }
      const [page, baseline] = [median(visits), median(baselines)];
      const times = {
        "page ms": page,
        "baseline ms": baseline,
        "above ms": page - baseline,
        "worst ms": Math.max(...visits),
      };
      rows.push({ what, requests: requests.length, ...times });
    });
  }
  return rows;
}

/** A first visit: nothing is cached, no connection is open. */
async function visitPage(
  browser: Browser,
  url: string,
  selector: string,
): Promise<{ time: number; requests: DataRequest[] }> {
  return withPage(browser, async (page) => {
    const sent: Request[] = [];
    page.on("request", (request) => sent.push(request));
    await page.addInitScript(watchFor, selector);
    await page.goto(url, { waitUntil: "commit" });
    const found = await page.waitForFunction(() => window.firstRows, undefined, { polling: 20 });
    const requests = sent.filter((request) => new URL(request.url()).host !== new URL(url).host);
    return {
      time: Math.round((await found.jsonValue()) ?? 0),
      requests: requests.map((request) => ({ url: request.url(), headers: own(request) })),
    };
  });
}

/** Runs in the page, before anything else does. */
function watchFor(selector: string): void {
  const observer = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    observer.disconnect();
    // After the frame that shows them.
    requestAnimationFrame(() => setTimeout(() => (window.firstRows = performance.now())));
  });
  observer.observe(document, { childList: true, subtree: true });
}

/** The baseline: the same requests by the same browser from an empty page, all at once, without the page's scripts, styles and work. */
async function fetchBare(browser: Browser, start: string, requests: readonly DataRequest[]): Promise<number> {
  return withPage(browser, async (page) => {
    await page.goto(`${start}config.json`);
    return page.evaluate(async (requests) => {
      const since = performance.now();
      await Promise.all(requests.map(async ({ url, headers }) => (await fetch(url, { headers })).text()));
      return Math.round(performance.now() - since);
    }, requests);
  });
}

/** Returns the headers that the page sets; the browser adds the others. */
function own(request: Request): Record<string, string> {
  const names = ["accept-profile", "prefer"];
  return Object.fromEntries(Object.entries(request.headers()).filter(([name]) => names.includes(name)));
}

async function withPage<T>(browser: Browser, work: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext();
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}
