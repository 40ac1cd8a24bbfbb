/** Messages of the catalog when the API is slow, unavailable or returns an error, and the state that it keeps. */
import type { Page, Route } from "playwright-core";
import { describe, expect, inject, test, vi } from "vitest";
import { sendRequest, asOwner, newClient, until } from "../apiClient.ts";
import { address, settled, shownNames, texts, useBrowser } from "./browser.ts";
import { expectedRows, shownRows, shownTotals } from "./table.ts";

const visit = useBrowser();

const FILTERED = "/data/marts/fact_observation?where.kommune_nr=eq.1103&sort=amount.desc";
const STATE = "/data/marts/fact_observation where.kommune_nr=eq.1103 sort=amount.desc";
const CORS = { "Access-Control-Allow-Origin": "*" };
const NETWORK = { expected: /Failed to load resource|blocked by CORS/ };

type RouteHandler = (route: Route) => Promise<void>;
const respondWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): RouteHandler =>
  (route) =>
    route.fulfill({
      status,
      headers: { ...CORS, ...headers },
      contentType: "application/json",
      body: JSON.stringify(body),
    });

const KEPT = "Your filters are kept";
const DOWN = `The data service cannot be reached. Check your network connection, or try again in a few minutes. ${KEPT} in the address of this page.`;
const FAILED = `The data service reports an internal error. You have not caused it. Try again in a few minutes. ${KEPT}.`;

const REFUSED =
  "The data service does not accept this request. A filter probably has a value that does not fit its column, such as text where a number " +
  "belongs, or the rows cannot be sorted by this column. Change the filter or the sorting, or remove it.";

const CASES: readonly [string, RouteHandler, string][] = [
  ["no connection", (route) => route.abort(), DOWN],
  ["503", respondWith(503, { code: "PGRST001", message: "no database" }), `${DOWN} Response: 503, no database`],
  [
    "429",
    respondWith(429, "Too Many Requests", { "Retry-After": "0" }),
    `Too many requests from your network in a short time. Wait half a minute, then try again. ${KEPT}. Response: 429, HTTP 429`,
  ],
  [
    "a query that took too long",
    respondWith(500, { code: "57014", message: "canceling statement due to statement timeout" }),
    "The query took too long, and the database stopped it. Narrow it: filter by a key column, use “equals” instead of “contains”, " +
      `or remove the sorting. ${KEPT}. Response: 500, canceling statement due to statement timeout`,
  ],
  ["an internal error", respondWith(500, { message: "<b>oh</b>" }), `${FAILED} Response: 500, <b>oh</b>`],
  ["invalid JSON", (route) => route.fulfill({ status: 200, headers: CORS, body: "<html>" }), FAILED],
  [
    "404",
    respondWith(404, { code: "42P01", message: "relation does not exist" }),
    "Not found (404). It may have been renamed or removed. Look for it in the list of all data. " +
      "Response: 404, relation does not exist",
  ],
  [
    "an operator that a type does not have",
    respondWith(404, { code: "42883", message: "operator does not exist: json = unknown" }),
    `${REFUSED} Response: 404, operator does not exist: json = unknown`,
  ],
];

async function errorText(page: Page): Promise<string> {
  await page.getByRole("alert").waitFor({ timeout: 240_000 });
  return (await texts(page, "[role=alert] p")).join(" ");
}

const pressRetry = (page: Page): Promise<void> => page.getByRole("button", { name: "Try again" }).click();

describe("a failed request for rows", () => {
  test.each(CASES)("shows a message and keeps the filters for %s", async (_, handler, message) => {
    const rows = `${inject("data").url}/fact_observation?**`;
    const work = async (page: Page): Promise<void> => {
      expect(await errorText(page)).toBe(message);
      expect(await texts(page, ".chip")).toEqual(["kommune_nr equals “1103” ×"]);
      expect(address(page)).toBe(STATE);
      // The rest of the page is shown.
      expect(await texts(page, ".reference tbody tr")).toHaveLength(10);
      await page.unroute(rows);
      await pressRetry(page);
      await until(["4", "3"], async () => (await shownRows(page)).map(([id]) => id));
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(address(page)).toBe(STATE);
    };
    await visit(FILTERED, work, { ...NETWORK, prepare: (page) => page.route(rows, handler) });
  });

  test("shows a message and removes the filters on request for a filter value that does not fit its column", async () => {
    await visit(
      "/data/marts/fact_observation?where.amount=eq.many",
      async (page) => {
        expect(await errorText(page)).toBe(`${REFUSED} Response: 400, invalid input syntax for type numeric: "many"`);
        await page.getByRole("button", { name: "Remove all filters" }).click();
        await until(6, async () => (await shownRows(page)).length);
      },
      NETWORK,
    );
  });
});

test("accepts a date with its day first, and asks for another form if the order of day and month is not clear", async () => {
  await visit("/data/marts/fact_observation?chart=none", async (page) => {
    await page.getByRole("button", { name: "Filter by taken", exact: true }).click();
    const value = page.getByLabel("Value", { exact: true });
    await value.fill("1/2/2024");
    await page.getByRole("button", { name: "Apply" }).click();
    expect(await value.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe(
      "Write the date as YYYY-MM-DD: the order of day and month is not clear.",
    );
    expect(address(page)).toBe("/data/marts/fact_observation chart=none");
    await value.fill("1.2.2024");
    await page.getByRole("button", { name: "Apply" }).click();
    await until(["taken equals “2024-02-01” ×"], () => texts(page, ".chip"));
    expect(address(page)).toBe("/data/marts/fact_observation where.taken=eq.2024-02-01 chart=none");
  });
});

test("removes the sorting after an error on request", async () => {
  const rows = `${inject("data").url}/fact_observation?**order=amount**`;
  const tooLong = respondWith(500, { code: "57014", message: "canceling statement due to statement timeout" });
  await visit(
    FILTERED,
    async (page) => {
      expect(await errorText(page)).toContain("remove the sorting");
      await page.getByRole("button", { name: "Remove the sorting" }).click();
      await until(["3", "4"], async () => (await shownRows(page)).map(([id]) => id));
      expect(address(page)).toBe("/data/marts/fact_observation where.kommune_nr=eq.1103");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    },
    { ...NETWORK, prepare: (page) => page.route(rows, tooLong) },
  );
});

test("shows the first rows without a count if counting them takes too long", async () => {
  const rows = `${inject("data").url}/fact_observation?**`;
  const refuseCount: RouteHandler = (route) =>
    route.request().headers()["prefer"] === undefined
      ? route.fallback()
      : respondWith(500, { code: "57014", message: "canceling statement due to statement timeout" })(route);
  await visit(
    "/data/marts/fact_observation",
    async (page) => {
      expect((await shownRows(page)).length).toBe(6);
      expect(await shownTotals(page)).toContain("(of a number that is neither counted nor estimated)");
    },
    { ...NETWORK, prepare: (page) => page.route(rows, refuseCount) },
  );
  const second = (page: Page): Promise<unknown> => page.route(`${inject("data").url}/dim_kommune?**`, refuseCount);
  await visit(
    "/data/marts/dim_kommune?size=25&page=2",
    async (page) => expect((await shownRows(page)).length).toBe(25),
    { ...NETWORK, prepare: second },
  );
});

test("keeps tags and search words when the list fails to load, and loads it on retry", async () => {
  const path = "/data?tag=layer:marts&q=kommune";
  for (const pattern of [`${inject("data").url}/meta_endpoints**`, "**/config.json"]) {
    const work = async (page: Page): Promise<void> => {
      expect(await errorText(page)).toContain("The data service cannot be reached.");
      expect(await texts(page, ".chip")).toEqual(["kommune ×", "layer:marts ×"]);
      expect(await page.getByRole("searchbox").inputValue()).toBe("kommune");
      await page.unroute(pattern);
      await pressRetry(page);
      await until(["marts.dim_kommune"], () => shownNames(page));
      expect(address(page)).toBe("/data tag=layer:marts q=kommune");
    };
    await visit(path, work, { ...NETWORK, prepare: (page) => page.route(pattern, (route) => route.abort()) });
  }
});

test("offers no citation while the sources are unknown, which would state no licence", async () => {
  const sources = `${inject("data").url}/meta_sources**`;
  const work = async (page: Page): Promise<void> => {
    expect(await errorText(page)).toContain("Too many requests");
    const cite = page.getByRole("button", { name: "Copy citation" });
    expect([await cite.count(), await page.locator("[aria-labelledby=cite]").count()]).toEqual([0, 0]);
    await page.unroute(sources);
    await pressRetry(page);
    await cite.waitFor();
    expect((await texts(page, "[aria-labelledby=cite] pre"))[0]).not.toContain("no licence stated");
  };
  const prepare = (page: Page): Promise<unknown> =>
    page.route(sources, respondWith(429, "Too Many Requests", { "Retry-After": "0" }));
  await visit("/data/marts/dim_kommune", work, { ...NETWORK, prepare });
});

test("shows an error when a relation, source or contract fails to load, and loads it on retry", async () => {
  for (const [path, pattern, heading] of [
    ["/data/marts/dim_fylke", `${inject("data").url}/meta_endpoints**`, "Counties open"],
    ["/sources/ssb-klass-131", `${inject("data").url}/meta_sources**`, "Classification of municipalities"],
    ["/contract", "**/contract.json", "Contract and changelog"],
  ] as const) {
    const work = async (page: Page): Promise<void> => {
      expect(await errorText(page)).toContain(FAILED);
      await page.unroute(pattern);
      await pressRetry(page);
      await page.getByRole("alert").waitFor({ state: "detached" });
      await settled(page);
      expect(await texts(page, "h1")).toEqual([heading]);
    };
    await visit(path, work, {
      ...NETWORK,
      prepare: (page) => page.route(pattern, respondWith(500, { message: "oh" })),
    });
  }
});

test("shows that it waits for a slow response, and an error after half a minute", async () => {
  const rows = `${inject("data").url}/fact_observation?**`;
  await visit(FILTERED, async (page) => {
    await page.clock.install();
    // Never answered.
    await page.route(rows, () => undefined);
    await page.getByRole("button", { name: /^Sort by id/ }).click();
    await page.getByText("Loading …").waitFor();
    // The previous rows stay until the new ones arrive.
    expect((await shownRows(page)).map(([id]) => id)).toEqual(["4", "3"]);
    await page.clock.runFor(4_500);
    await page.getByText("The data service takes longer than usual. Still waiting …").waitFor();
    await page.clock.runFor(31_000);
    expect(await errorText(page)).toBe(
      "The data service did not respond in time. Try again, or ask for less: fewer rows, fewer columns, or a narrower filter. " +
        `${KEPT}.`,
    );
    await page.unroute(rows);
    await pressRetry(page);
    await until(["3", "4"], async () => (await shownRows(page)).map(([id]) => id));
  });
});

test("retries after a 429 response", async () => {
  const headers = { "Accept-Profile": "marts" };
  await asOwner("create or replace view marts.slow_page as select pg_sleep(1)::text as slept");
  try {
    // Each client may have 6 concurrent requests.
    const client = { headers, from: newClient() };
    const refusal = await vi.waitFor(
      async () => {
        const answers = await Promise.all(Array.from({ length: 12 }, () => sendRequest("GET /slow_page", client)));
        const found = answers.find(({ status }) => status === 429);
        expect(found?.body).toBe("max connections reached: 6");
        return found;
      },
      { timeout: 240_000, interval: 100 },
    );
    const { "access-control-allow-origin": origin = "", "retry-after": after } = refusal?.headers ?? {};
    expect(origin).toBe("*");
    let refused = 0;
    const refuse: RouteHandler = (route) => {
      refused += 1;
      const headers = {
        "access-control-allow-origin": "*",
        ...(after === undefined ? {} : { "retry-after": String(after) }),
      };
      return refused > 2 ? route.continue() : route.fulfill({ status: 429, headers, body: refusal?.body ?? "" });
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

test("shows 404 when a table is dropped while its page is open", async () => {
  await asOwner(
    "create table marts.fact_dropped (id integer primary key)",
    "insert into marts.fact_dropped values (1)",
  );
  try {
    await until([["1"]], () => expectedRows("fact_dropped").catch(() => []));
    await visit(
      "/data/marts/fact_dropped",
      async (page) => {
        expect(await shownRows(page)).toEqual([["1"]]);
        await asOwner("drop table marts.fact_dropped");
        await page.getByRole("button", { name: /^Sort by id/ }).click();
        expect(await errorText(page)).toContain("Not found (404).");
        await page.getByRole("alert").getByRole("link", { name: "All data" }).click();
        await page.getByText("16 of 16 tables").waitFor();
      },
      NETWORK,
    );
  } finally {
    await asOwner("drop table if exists marts.fact_dropped");
  }
});
