/** Tables with 200 columns and with a million rows: pages load in time and render a part only. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { asAdministrator, asOwner, sendRequest, until } from "../apiClient.ts";
import { settled, texts, useBrowser } from "./browser.ts";
import { expectedRows, ROWS, shownColumns, shownRows, shownTotals } from "./table.ts";

const visit = useBrowser();
const MARTS = { headers: { "Accept-Profile": "marts" } };

const NAMES = Array.from({ length: 200 }, (_, index) => `value_${index + 1}`);
/** Maximum duration of an action in milliseconds on a busy machine. */
const MAX_WAIT = 240_000;

beforeAll(async () => {
  const columns = NAMES.map((name) => `${name} integer`).join(", ");
  const values = NAMES.map((_, index) => `number * 1000 + ${index + 1}`).join(", ");
  await asOwner(
    `create table marts.fact_wide (id integer primary key, ${columns})`,
    `insert into marts.fact_wide select number, ${values} from generate_series(1, 300) as number`,
  );
  await until(200, async () => (await sendRequest("GET /fact_wide?limit=0", MARTS)).status);
});
afterAll(() => asOwner("drop table if exists marts.fact_wide"));

test("renders the visible ones of 200 columns, and others after scrolling or choosing them", async () => {
  await visit("/data/marts/fact_wide", async (page) => {
    expect((await shownColumns(page)).slice(0, 4)).toEqual(["id", ...NAMES.slice(0, 3)]);
    expect(await page.locator(`${ROWS} table`).getAttribute("aria-colcount")).toBe("202");
    const cells = async (): Promise<number> => page.locator(`${ROWS} td`).count();
    expect((await shownRows(page)).length).toBe(100);
    expect(await cells()).toBeLessThan(100 * 25);
    await page.locator(ROWS).evaluate((frame) => frame.scrollTo(frame.scrollWidth, 0));
    await until("value_200", async () => (await shownColumns(page)).at(-1));
    expect((await shownRows(page))[99]?.at(-1)).toBe("100200");
    expect(await cells()).toBeLessThan(100 * 25);
    await page.getByText("Columns (201 of 201)").click();
    await page.getByLabel("Find a column").fill("value_17");
    expect(await texts(page, "fieldset.many label")).toEqual(NAMES.filter((name) => name.startsWith("value_17")));
  });
  const chosen = ["id", "value_17", "value_200"];
  await visit(`/data/marts/fact_wide?${chosen.map((name) => `col=${name}`).join("&")}`, async (page) => {
    expect(await shownRows(page)).toEqual(
      await expectedRows(`fact_wide?select=${chosen.join(",")}&order=id&limit=100`),
    );
  });
});

test("shows more columns than the API permits in a list", async () => {
  const chosen = NAMES.slice(50, 180);
  await visit(`/data/marts/fact_wide?${chosen.map((name) => `col=${name}`).join("&")}`, async (page) => {
    expect((await shownColumns(page)).slice(0, 2)).toEqual(["value_51", "value_52"]);
    expect((await shownRows(page))[0]?.slice(0, 2)).toEqual(["1051", "1052"]);
  });
});

test("shows rows without a count if the API refuses an estimate", async () => {
  await asOwner(
    "create table marts.fact_secured (id integer primary key) with (autovacuum_enabled = false)",
    "insert into marts.fact_secured select generate_series(1, 300)",
    "alter table marts.fact_secured enable row level security",
    "create policy everyone on marts.fact_secured for select using (true)",
  );
  await asAdministrator("update pg_class set reltuples = 2000000 where oid = 'marts.fact_secured'::regclass");
  try {
    await until(200, async () => (await sendRequest("GET /fact_secured?limit=0", MARTS)).status);
    await visit(
      "/data/marts/fact_secured",
      async (page) => {
        expect(await shownTotals(page)).toMatch(/^Rows 1–100 \(of a number that is neither counted nor estimated\) /);
        expect((await shownRows(page)).length).toBe(100);
      },
      { expected: /status of 400/ },
    );
  } finally {
    await asOwner("drop table marts.fact_secured");
  }
});

test("shows first, last and middle pages of a million rows in time, with an estimated count", async () => {
  await visit("/data/raw/readings", async (page) => {
    const inTime = async (act: () => Promise<unknown>, first: string): Promise<void> => {
      const began = performance.now();
      await act();
      await until(first, async () => (await shownRows(page))[0]?.[0], MAX_WAIT);
      await settled(page);
      expect(performance.now() - began).toBeLessThan(MAX_WAIT);
      expect((await shownRows(page)).length).toBeLessThanOrEqual(100);
    };
    expect(await shownTotals(page)).toContain("(an estimate, not counted)");
    const sort = page.getByRole("button", { name: /^Sort by reading/ });
    await inTime(() => sort.click(), "1");
    await inTime(() => sort.click(), "1000001");
    const path = new URL("/data/raw/readings?sort=reading.asc&page=10001", page.url()).href;
    await inTime(() => page.goto(path), "1000001");
    await page.getByRole("button", { name: "Previous" }).click();
    await until("999901", async () => (await shownRows(page))[0]?.[0], MAX_WAIT);
    await page.getByRole("button", { name: "Filter by reading" }).click();
    await page.getByLabel("Value", { exact: true }).fill("654321");
    await inTime(() => page.getByRole("button", { name: "Apply" }).click(), "654321");
    expect(await shownTotals(page)).toBe("Rows 1–1 of 1 (counted exactly) You see all rows that match.");
  });
});
