/** Tables with 200 columns and with a million rows: pages load in time and render a part only. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendRequest, asOwner, until } from "../api-client.ts";
import { settled, texts, useBrowser } from "./browser.ts";
import { expectedRows, ROWS, shownColumns, shownRows, shownTotals } from "./table.ts";

const visit = useBrowser();

const NAMES = Array.from({ length: 200 }, (_, index) => `value_${index + 1}`);
/** Maximum duration of an action in milliseconds on a busy machine. */
const MAX_WAIT = 60_000;

beforeAll(async () => {
  const columns = NAMES.map((name) => `${name} integer`).join(", ");
  const values = NAMES.map((_, index) => `number * 1000 + ${index + 1}`).join(", ");
  await asOwner(
    `create table marts.fact_wide (id integer primary key, ${columns})`,
    `insert into marts.fact_wide select number, ${values} from generate_series(1, 300) as number`,
  );
  const headers = { "Accept-Profile": "marts" };
  await until(200, async () => (await sendRequest("GET /fact_wide?limit=0", { headers })).status);
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
    await page.getByLabel("Value").fill("654321");
    await inTime(() => page.getByRole("button", { name: "Apply" }).click(), "654321");
    expect(await shownTotals(page)).toBe("Rows 1–1 of 1 (counted exactly) You see all rows that match.");
  });
});
