/** An API that is slow, down, or answers an error: what the page says, what it keeps, and how one goes on. */
import type { Page, Route } from "playwright-core";
import { describe, expect, inject, test, vi } from "vitest";
import { ask, asOwner, newClient, until } from "../api-client.ts";
import { address, settled, shownNames, texts, useBrowser } from "./browser.ts";
import { asked, shownRows } from "./table.ts";

const visit = useBrowser();

const FILTERED = "/data/marts/fact_observation?where.kommune_nr=eq.1103&sort=amount.desc";
const STATE = "/data/marts/fact_observation where.kommune_nr=eq.1103 sort=amount.desc";
const CORS = { "Access-Control-Allow-Origin": "*" };
const NETWORK = { expected: /Failed to load resource|blocked by CORS/ };

type Fault = (route: Route) => Promise<void>;
const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Fault =>
  (route) =>
    route.fulfill({
      status,
      headers: { ...CORS, ...headers },
      contentType: "application/json",
      body: JSON.stringify(body),
    });

const KEPT = "Your filters are kept";
const DOWN = `The data service cannot be reached. Check your network connection, or try again in a few minutes. ${KEPT} in the address of this page.`;
const FAILED = `The data service reports an internal error. This is not your fault. Try again in a few minutes. ${KEPT}.`;

const CASES: readonly [string, Fault, string][] = [
  ["no connection", (route) => route.abort(), DOWN],
  ["503", answer(503, { code: "PGRST001", message: "no database" }), `${DOWN} Response: 503, no database`],
  [
    "429",
    answer(429, "Too Many Requests", { "Retry-After": "0" }),
    `Too many requests from your network in a short time. Wait half a minute, then try again. ${KEPT}. Response: 429, HTTP 429`,
  ],
  [
    "a query that took too long",
    answer(500, { code: "57014", message: "canceling statement due to statement timeout" }),
    "The query took too long, and the database stopped it. Narrow it: filter by a key column, use “equals” instead of “contains”, " +
      `or remove the sorting. ${KEPT}. Response: 500, canceling statement due to statement timeout`,
  ],
  ["an internal error", answer(500, { message: "<b>oh</b>" }), `${FAILED} Response: 500, <b>oh</b>`],
  ["what is no JSON", (route) => route.fulfill({ status: 200, headers: CORS, body: "<html>" }), FAILED],
  [
    "404",
    answer(404, { code: "42P01", message: "relation does not exist" }),
    "Not found (404). It may have been renamed or removed. Look for it in the list of all data. " +
      "Response: 404, relation does not exist",
  ],
];

async function problem(page: Page): Promise<string> {
  await page.getByRole("alert").waitFor({ timeout: 240_000 });
  return (await texts(page, "[role=alert] p")).join(" ");
}

const retry = (page: Page): Promise<void> => page.getByRole("button", { name: "Try again" }).click();

describe("rows that are answered with", () => {
  test.each(CASES)("%s", async (_, fault, message) => {
    const rows = `${inject("data").url}/fact_observation?**`;
    const work = async (page: Page): Promise<void> => {
      expect(await problem(page)).toBe(message);
      expect(await texts(page, ".chip")).toEqual(["kommune_nr equals “1103” ×"]);
      expect(address(page)).toBe(STATE);
      // The rest of the page is there.
      expect(await texts(page, ".reference tbody tr")).toHaveLength(10);
      await page.unroute(rows);
      await retry(page);
      await until(["4", "3"], async () => (await shownRows(page)).map(([id]) => id));
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(address(page)).toBe(STATE);
    };
    await visit(FILTERED, work, { ...NETWORK, prepare: (page) => page.route(rows, fault) });
  });

  test("what the API itself refuses: a value that does not fit its column", async () => {
    await visit(
      "/data/marts/fact_observation?where.amount=eq.many",
      async (page) => {
        expect(await problem(page)).toBe(
          "The data service does not accept this request. A filter probably has a value that does not fit its column, such as text " +
            'where a number belongs. Change the filter, or remove it. Response: 400, invalid input syntax for type numeric: "many"',
        );
        await page.getByRole("button", { name: "Remove all filters" }).click();
        await until(6, async () => (await shownRows(page)).length);
      },
      NETWORK,
    );
  });
});

test("a list that cannot be had keeps its tags and words, and comes on request", async () => {
  const path = "/data?tag=layer:marts&q=kommune";
  for (const place of [`${inject("data").url}/meta_endpoints**`, "**/config.json"]) {
    const work = async (page: Page): Promise<void> => {
      expect(await problem(page)).toContain("The data service cannot be reached.");
      expect(await texts(page, ".chip")).toEqual(["kommune ×", "layer:marts ×"]);
      expect(await page.getByRole("searchbox").inputValue()).toBe("kommune");
      await page.unroute(place);
      await retry(page);
      await until(["marts.dim_kommune"], () => shownNames(page));
      expect(address(page)).toBe("/data tag=layer:marts q=kommune");
    };
    await visit(path, work, { ...NETWORK, prepare: (page) => page.route(place, (route) => route.abort()) });
  }
});

test("a page whose relation, source or contract cannot be had says so, and comes on request", async () => {
  for (const [path, place, heading] of [
    ["/data/marts/dim_fylke", `${inject("data").url}/meta_endpoints**`, "Counties open"],
    ["/sources/ssb-klass-131", `${inject("data").url}/meta_sources**`, "Classification of municipalities"],
    ["/contract", "**/contract.json", "Contract and changelog of api_v1"],
  ] as const) {
    const work = async (page: Page): Promise<void> => {
      expect(await problem(page)).toContain(FAILED);
      await page.unroute(place);
      await retry(page);
      await page.getByRole("alert").waitFor({ state: "detached" });
      await settled(page);
      expect(await texts(page, "h1")).toEqual([heading]);
    };
    await visit(path, work, { ...NETWORK, prepare: (page) => page.route(place, answer(500, { message: "oh" })) });
  }
});

test("a slow answer is waited for, which the page says; without any it gives up after half a minute, and says that", async () => {
  const rows = `${inject("data").url}/fact_observation?**`;
  await visit(FILTERED, async (page) => {
    await page.clock.install();
    // Never answered.
    await page.route(rows, () => undefined);
    await page.getByRole("button", { name: /^Sort by id/ }).click();
    await page.getByText("Loading …").waitFor();
    // What was there stays until the new is there.
    expect((await shownRows(page)).map(([id]) => id)).toEqual(["4", "3"]);
    await page.clock.runFor(4_500);
    await page.getByText("The data service takes longer than usual. Still waiting …").waitFor();
    await page.clock.runFor(31_000);
    expect(await problem(page)).toBe(
      "The data service did not respond in time. Try again, or ask for less: fewer rows, fewer columns, or a narrower filter. " +
        `${KEPT}.`,
    );
    await page.unroute(rows);
    await retry(page);
    await until(["3", "4"], async () => (await shownRows(page)).map(([id]) => id));
  });
});

test("a client that the gateway refuses for a moment waits, and gets its rows without a word", async () => {
  const headers = { "Accept-Profile": "marts" };
  await asOwner("create or replace view marts.slow_page as select pg_sleep(1)::text as slept");
  try {
    // Each client may have 6 requests under way.
    const client = { headers, from: newClient() };
    const refusal = await vi.waitFor(
      async () => {
        const answers = await Promise.all(Array.from({ length: 12 }, () => ask("GET /slow_page", client)));
        const found = answers.find(({ status }) => status === 429);
        expect(found?.body).toBe("max connections reached: 6");
        return found;
      },
      { timeout: 240_000, interval: 100 },
    );
    const { "access-control-allow-origin": origin = "", "retry-after": after } = refusal?.headers ?? {};
    expect(origin).toBe("*");
    let refused = 0;
    const refuse: Fault = (route) => {
      refused += 1;
      const told = {
        "access-control-allow-origin": "*",
        ...(after === undefined ? {} : { "retry-after": String(after) }),
      };
      return refused > 2 ? route.continue() : route.fulfill({ status: 429, headers: told, body: refusal?.body ?? "" });
    };
    const work = async (page: Page): Promise<void> => {
      await until(["4", "3"], async () => (await shownRows(page)).map(([id]) => id));
      expect([refused, await page.getByRole("alert").count()]).toEqual([3, 0]);
    };
    const prepare = (page: Page): Promise<unknown> => page.route(`${inject("data").url}/fact_observation?**`, refuse);
    await visit(FILTERED, work, { ...NETWORK, prepare });
  } finally {
    await asOwner("drop view if exists marts.slow_page");
  }
});

test("what is dropped while it is looked at is not there any more, and the page says so", async () => {
  await asOwner(
    "create table marts.fact_passing (id integer primary key)",
    "insert into marts.fact_passing values (1)",
  );
  try {
    await until([["1"]], () => asked("fact_passing").catch(() => []));
    await visit(
      "/data/marts/fact_passing",
      async (page) => {
        expect(await shownRows(page)).toEqual([["1"]]);
        await asOwner("drop table marts.fact_passing");
        await page.getByRole("button", { name: /^Sort by id/ }).click();
        expect(await problem(page)).toContain("Not found (404).");
        await page.getByRole("alert").getByRole("link", { name: "All data" }).click();
        await page.getByText("16 of 16 tables").waitFor();
      },
      NETWORK,
    );
  } finally {
    await asOwner("drop table if exists marts.fact_passing");
  }
});
