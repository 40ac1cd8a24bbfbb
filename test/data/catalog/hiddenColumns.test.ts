/** A chart or map next to a table that does not show all of its columns. */
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { asOwner, sendRequest, until } from "../apiClient.ts";
import { texts, useBrowser } from "./browser.ts";

const visit = useBrowser();
const KEYS = ["0301", "1103", "4601", "5001", "3101", "3201", "3301", "3401", "3403", "3901"];
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October"];

beforeAll(async () => {
  const list = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(",");
  await asOwner(
    "create table marts.fact_monthly (id integer primary key, kommune_nr text, month text, value integer)",
    // More rows than a page has.
    `insert into marts.fact_monthly select row_number() over (), key, month, row_number() over ()
      from unnest(array[${list(KEYS)}]) key cross join unnest(array[${list(MONTHS)}, 'November', 'December']) month`,
  );
  const headers = { "Accept-Profile": "marts" };
  await until(200, async () => (await sendRequest("GET /fact_monthly?limit=0", { headers })).status);
});
afterAll(() => asOwner("drop table marts.fact_monthly"));

test.each(["", "col=kommune_nr&col=value&"])(
  "does not draw a name of a month as the latest time: %s",
  async (columns) => {
    await visit(`/data/marts/fact_monthly?${columns}map=kommune_nr&y=value`, async (page) => {
      await page.locator(".basis").first().waitFor();
      expect((await texts(page, ".basis"))[0]).toMatch(/Areas with several rows, which are not added up: 10/);
    });
  },
);

test.each(["", "?col=kommune_nr&col=value"])("suggests the same chart: %s", async (columns) => {
  await visit(`/data/marts/fact_monthly${columns}`, (page) =>
    page.getByRole("img", { name: "value by kommune_nr" }).waitFor(),
  );
});

test("draws the chart if the request for the hidden columns fails", async () => {
  const refuse = (route: Route): Promise<void> => {
    if (route.request().url().includes("select=")) return route.continue();
    const json = { code: "57014", message: "canceling statement due to statement timeout" };
    return route.fulfill({ status: 500, headers: { "Access-Control-Allow-Origin": "*" }, json });
  };
  const prepare = (page: Page): Promise<unknown> => page.route(`${inject("data").url}/distrikt_summary?**`, refuse);
  await visit(
    "/data/api_v1/distrikt_summary?col=fylke_nr&col=kommuner",
    (page) => page.getByRole("img", { name: "kommuner by fylke_nr" }).waitFor(),
    { prepare, expected: /Failed to load resource/ },
  );
});
