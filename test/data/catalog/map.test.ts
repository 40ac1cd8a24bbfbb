/** The map of a table with numbers of counties or municipalities. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asOwner, sendRequest, until } from "../apiClient.ts";
import { address, texts, useBrowser } from "./browser.ts";

const visit = useBrowser();

const BOUNDARIES = "Boundaries of 2020, simplified, with the numbers of 2024: © Kartverket, CC BY 4.0";

beforeAll(async () => {
  await asOwner(
    "create table marts.fact_area (kommune_nr text, year integer, value numeric, primary key (kommune_nr, year))",
    // More rows than one response contains.
    `insert into marts.fact_area select kommune_nr, year, right(kommune_nr, 2)::integer - 30
      from marts.dim_kommune cross join (values (2021), (2022), (2024)) as years (year)`,
    // Halden before 2024, and before 2020.
    "insert into marts.fact_area values ('3001', 2023, 5), ('0101', 2023, 6), ('0301', 2023, null), ('1103', 2023, 7)",
    `create view marts.fact_visit as select kommune_nr, value from marts.fact_area where year = 2023
      union all select '1103', 8`,
    `create view marts.fact_share as select fylke_nr, date '2024-01-01' + fylke_nr::integer as updated_date,
      fylke_nr::numeric / 100000 as share from marts.dim_fylke`,
  );
  const headers = { "Accept-Profile": "marts" };
  await until(200, async () => (await sendRequest("GET /fact_share?limit=0", { headers })).status);
});
afterAll(() => asOwner("drop table if exists marts.fact_area cascade", "drop view if exists marts.fact_share"));

/** Returns the number of areas by class of the style sheet. */
async function drawnAreas(page: Page): Promise<Record<string, number>> {
  await page.locator(".areas svg").waitFor();
  const classes = await page
    .locator(".areas [data-area]")
    .evaluateAll((areas) => areas.map((area) => area.getAttribute("class") ?? ""));
  return Object.fromEntries([...Map.groupBy(classes, (name) => name)].map(([name, { length }]) => [name, length]));
}

/** Returns the fill of an area. */
function fill(page: Page, id: string): Promise<string> {
  return page.locator(`[data-area="${id}"]`).evaluate((area) => getComputedStyle(area).fill);
}

test("draws counties in classes, shows the value of an area, and stores the choice in the address", async () => {
  const paths: string[] = [];
  const prepare = (page: Page): Promise<unknown> =>
    Promise.resolve(page.on("request", (request) => paths.push(new URL(request.url()).pathname)));
  const requests = (start: string): number => paths.filter((path) => path.startsWith(start)).length;
  await visit(
    "/data/api_v1/distrikt_summary",
    async (page) => {
      await page.getByRole("img", { name: "kommuner by fylke_navn" }).waitFor();
      expect(requests("/assets/MapOfRows-") + requests("/assets/counties-")).toBe(0);
      await page.getByRole("button", { name: "Map" }).click();
      await page.getByRole("img", { name: "kommuner by fylke_nr on a map" }).waitFor();
      const drawn = { "tone-1": 3, "tone-2": 3, "tone-3": 3, "tone-4": 3, "tone-5": 3 };
      expect(await drawnAreas(page)).toEqual(drawn);
      expect(address(page)).toBe("/data/api_v1/distrikt_summary map=fylke_nr y=kommuner");
      // The rows of the table are not requested again.
      expect(["/assets/counties-", "/assets/municipalities-", "/distrikt_summary"].map(requests)).toEqual([1, 0, 1]);
      expect(await texts(page, ".legend p, .legend li")).toEqual([
        "kommuner (number of areas) Number of municipalities in the county",
        "1 to 12 (3)",
        "17 to 18 (3)",
        "21 to 23 (3)",
        "25 to 38 (3)",
        "41 to 46 (3)",
      ]);
      expect(await texts(page, ".basis")).toEqual(["Drawn from all 15 rows that match the filters.", BOUNDARIES]);
      const shown = page.locator("output");
      expect(await shown.isVisible()).toBe(false);
      await page.locator('[data-area="34"]').hover();
      await until("Innlandet 46", () => shown.innerText());
      await page.mouse.move(0, 0);
      await until(false, () => shown.isVisible());
      // The keyboard reaches the list of names.
      await page.getByLabel("Find an area").focus();
      await page.keyboard.type("Nordl");
      await until("Nordland 41", () => shown.innerText());
      await page.reload();
      expect(await drawnAreas(page)).toEqual(drawn);
      await page.getByRole("button", { name: "Hide the map" }).click();
      await page.locator(".areas svg").waitFor({ state: "detached" });
      expect(address(page)).toBe("/data/api_v1/distrikt_summary chart=none");
    },
    { prepare },
  );
});

test("has other colours in the dark theme", async () => {
  await visit("/data/api_v1/distrikt_summary?map=fylke_nr&y=kommuner", async (page) => {
    await page.locator(".areas svg").waitFor();
    expect([await fill(page, "03"), await fill(page, "34")]).toEqual(["rgb(207, 226, 243)", "rgb(8, 74, 140)"]);
    await page.getByLabel("Colours").selectOption("dark");
    expect([await fill(page, "03"), await fill(page, "34")]).toEqual(["rgb(28, 58, 89)", "rgb(207, 229, 247)"]);
  });
});

test("draws municipalities of the latest year, and lists the rows that it cannot draw", async () => {
  await visit("/data/marts/fact_area?map=kommune_nr&y=value", async (page) => {
    const drawn = await drawnAreas(page);
    expect(Object.values(drawn).reduce((sum, count) => sum + count)).toBe(356);
    // Ålesund and Haram are one area without a value.
    expect(drawn["no-value"]).toBe(1);
    expect(await texts(page, ".basis")).toEqual([
      "Drawn from the 357 rows of the latest year, 2024. Filter to see another. 2 of 357 rows have no area on this map: 1508, 1580.",
      BOUNDARIES,
    ]);
    await page.getByLabel("Find an area").selectOption("Ålesund og Haram (1507)");
    await until("Ålesund og Haram no number", () => page.locator("output").innerText());
    await page.getByLabel("Find an area").selectOption("Halden (3101)");
    await until("Halden -29", () => page.locator("output").innerText());
  });
  await visit("/data/marts/fact_area?map=kommune_nr&y=value&where.year=eq.2023", async (page) => {
    expect(await drawnAreas(page)).toEqual({ "tone-1": 1, "tone-5": 1, "no-value": 354 });
    expect(await texts(page, ".basis")).toEqual([
      "Drawn from all 4 rows that match the filters. 1 of 4 rows has no area on this map: 0101. Rows without a number: 1.",
      BOUNDARIES,
    ]);
    await page.getByLabel("Find an area").selectOption("Halden (3101)");
    await until("Halden 5", () => page.locator("output").innerText());
  });
});

test("draws each area of one row, whatever its date, and writes small values with their digits", async () => {
  await visit("/data/marts/fact_share?map=fylke_nr&y=share", async (page) => {
    await page.locator(".areas svg").waitFor();
    expect((await texts(page, ".legend li"))[0]).toBe("0.00003 to 0.00015 (3)");
    expect((await texts(page, ".basis"))[0]).toBe("Drawn from all 15 rows that match the filters.");
    await page.getByLabel("Find an area").selectOption("Oslo (03)");
    await until("Oslo 0.00003", () => page.locator("output").innerText());
  });
});

test("does not draw an area of several rows, and is a chart if the column in the address has no numbers of areas", async () => {
  await visit("/data/marts/fact_visit?map=kommune_nr&y=value", async (page) => {
    expect(await drawnAreas(page)).toEqual({ "tone-3": 1, "no-value": 355 });
    expect(await texts(page, ".basis")).toEqual([
      "Drawn from all 5 rows that match the filters. 1 of 5 rows has no area on this map: 0101. Rows without a number: 1. Areas with several rows, which are not added up: 1 (Stavanger). Filter to one row per area.",
      BOUNDARIES,
    ]);
  });
  await visit("/data/api_v1/distrikt_summary?map=fylke_navn&y=kommuner", async (page) => {
    await page.getByRole("img", { name: "kommuner by fylke_navn" }).waitFor();
  });
});
