/** Pages and downloads have each row once, page numbers belong to the rows that are shown, and pages fit into a response. */
import { readFileSync } from "node:fs";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { asOwner, sendRequest, until } from "../apiClient.ts";
import { settled, texts, useBrowser } from "./browser.ts";
import { ROWS, shownRows, shownTotals } from "./table.ts";

const visit = useBrowser();

const NUMBERS = Array.from({ length: 2500 }, (_, index) => index + 1);

beforeAll(async () => {
  await asOwner(
    "create table marts.fact_numbered (number integer primary key, kind text)",
    "insert into marts.fact_numbered select n, 'kind ' || n % 3 from generate_series(1, 2500) as n order by random()",
    "create view marts.view_without_key as select kind, number from marts.fact_numbered",
    "create table marts.fact_empty (id integer primary key)",
  );
  const headers = { "Accept-Profile": "marts" };
  for (const relation of ["view_without_key", "fact_empty"])
    await until(200, async () => (await sendRequest(`GET /${relation}?limit=0`, { headers })).status);
});
afterAll(() =>
  asOwner(
    "drop view if exists marts.view_without_key",
    "drop table if exists marts.fact_numbered",
    "drop table if exists marts.fact_empty",
  ),
);

const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();

test("returns to the last page from a page beyond it", async () => {
  for (const name of ["Previous", "Last"])
    await visit(
      "/data/marts/fact_numbered?chart=none&size=500&page=99",
      async (page) => {
        await until(["Page 99 of 5"], () => texts(page, "nav.paging > span"));
        await press(page, name);
        await until(["Page 5 of 5"], () => texts(page, "nav.paging > span"));
        await until(500, async () => (await shownRows(page)).length);
      },
      { expected: /status of 416/ },
    );
});

test("shows the first rows of the next page, after the last rows of this one", async () => {
  await visit("/data/marts/fact_numbered?chart=none&size=500", async (page) => {
    const frame = page.locator(".frame-table").first();
    await until(500, async () => (await shownRows(page)).length);
    await frame.evaluate((element) => (element.scrollTop = element.scrollHeight));
    await press(page, "Next");
    await until("501", async () => (await texts(page, `${ROWS} tbody th`))[0]);
    expect(await frame.evaluate((element) => element.scrollTop)).toBe(0);
  });
});

describe("a view without a key", () => {
  const sorted = (values: readonly (string | undefined)[]): number[] => values.map(Number).sort((a, b) => a - b);

  test.each(["", "&sort=kind.asc", "&sort=kind.desc"])("has each row on one page %s", async (sort) => {
    await visit(`/data/marts/view_without_key?chart=none&size=500${sort}`, async (page) => {
      const found: (string | undefined)[] = [];
      for (let number = 1; number <= 5; number += 1) {
        await until([`Page ${number} of 5`], () => texts(page, "nav.paging > span"));
        await until(
          ((number - 1) * 500 + 1).toLocaleString("en"),
          async () => (await texts(page, `${ROWS} tbody th`))[0],
        );
        found.push(...(await shownRows(page)).map((row) => row[1]));
        if (number < 5) await press(page, "Next");
      }
      expect(sorted(found)).toEqual(NUMBERS);
    });
  });

  test("has each row once in a download", async () => {
    await visit("/data/marts/view_without_key?chart=none&sort=kind.asc", async (page) => {
      await page.getByText("Download", { exact: true }).click();
      const [download] = await Promise.all([page.waitForEvent("download"), press(page, "CSV")]);
      const lines = readFileSync(await download.path(), "utf8")
        .trim()
        .split("\r\n")
        .slice(1);
      expect(sorted(lines.map((line) => line.split(",")[1]))).toEqual(NUMBERS);
    });
  });

  test("is not sorted for its first page if it has more than a million rows", async () => {
    await visit("/data/raw/readings", async (page) => {
      const request = page.getByRole("region", { name: "The exact request, curl" });
      expect(await request.innerText()).toContain("/readings?limit=100'");
      await press(page, "Next");
      await until(true, async () =>
        (await request.innerText()).includes("/readings?order=reading&limit=100&offset=100'"),
      );
    });
  });
});

test("has each row on one page of a filtered table that is too large for an exact count", async () => {
  await visit("/data/raw/readings?where.reading=lte.250", async (page) => {
    await page.locator(`${ROWS} tbody tr`).first().waitFor();
    await until(true, async () => (await shownTotals(page)).startsWith("Rows 1–100 of 250 (counted exactly)"));
    expect((await shownRows(page)).flat()).toEqual(Array.from({ length: 100 }, (_, index) => `${index + 1}`));
    expect(await page.getByRole("region", { name: "The exact request, curl" }).innerText()).toContain("order=reading");
  });
});

test("shows the numbers of the rows that are shown while the next page loads", async () => {
  await visit("/data/marts/ref_number", async (page) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const delay = async (route: Route): Promise<void> => {
      await released;
      await route.continue();
    };
    await page.route(/ref_number\?.*offset=100$/, delay);
    await press(page, "Next");
    await page.locator(`${ROWS} table.stale`).waitFor();
    const status = page.locator("p.totals");
    expect(await status.innerText()).toBe("Rows 1–100 of 1,500 (counted exactly)");
    await press(page, "Row 1");
    await page.getByRole("dialog", { name: "Row 1", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    release();
    await until(true, async () =>
      (await status.innerText()).startsWith("Rows 101–200 of 1,500 (counted exactly) You see"),
    );
    expect((await texts(page, `${ROWS} tbody th`))[0]).toBe("101");
  });
});

test("has pages of one response if that contains fewer rows than a page", async () => {
  const { url, plan } = inject("data");
  const { limits } = plan;
  const prepare = (page: Page): Promise<unknown> =>
    page.route("**/config.json", (route) =>
      route.fulfill({ json: { baseUrl: url, limits: { ...limits, maxRows: 60 } } }),
    );
  await visit(
    "/data/marts/ref_number",
    async (page) => {
      const size = page.getByLabel("Rows per page");
      expect((await size.locator("option").allInnerTexts()).map((text) => text.trim())).toEqual(["25", "60"]);
      expect(await texts(page, "nav.paging > span")).toEqual(["Page 1 of 25"]);
      expect((await shownRows(page)).length).toBe(60);
      await press(page, "Next");
      await until(true, async () => (await shownTotals(page)).startsWith("Rows 61–120 of 1,500"));
      expect((await shownRows(page))[0]).toEqual(["61"]);
      await size.selectOption("25");
      await until(["Page 1 of 60"], () => texts(page, "nav.paging > span"));
    },
    { prepare },
  );
});

test("states that an empty table has no rows", async () => {
  await visit("/data/marts/fact_empty", async (page) => {
    await settled(page);
    expect(await shownTotals(page)).toBe("This table has no rows.");
  });
});
