/** The chart of a table. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { until } from "../api-client.ts";
import { address, texts, useBrowser } from "./browser.ts";

const visit = useBrowser();

/** The first colours of the chart's palette, as red, green and blue. */
const COLOURS = ["0,114,178", "213,94,0", "0,158,115", "204,121,167"];

/** Returns the palette's colours that the picture contains. */
function drawnColours(page: Page): Promise<string[]> {
  return page.locator("canvas").evaluate((canvas, colours) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const pixels = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
    const colourSet = new Set<string>();
    for (let at = 0; at < pixels.length; at += 4) colourSet.add(`${pixels[at]},${pixels[at + 1]},${pixels[at + 2]}`);
    return colours.filter((colour) => colourSet.has(colour));
  }, COLOURS);
}

test("draws the matching rows over time with a line per region, and stores the choices in the address", async () => {
  const scripts: string[] = [];
  const prepare = (page: Page): Promise<unknown> =>
    Promise.resolve(page.on("request", (request) => scripts.push(new URL(request.url()).pathname)));
  const isChart = (path: string): boolean => path.startsWith("/assets/Chart-");
  await visit(
    "/data/marts/fact_observation?where.amount=lt.100",
    async (page) => {
      expect(scripts.filter(isChart)).toEqual([]);
      await page.getByRole("button", { name: "Draw a chart" }).click();
      const picture = page.getByRole("img", { name: "amount by taken; the same values are in the table" });
      await picture.waitFor();
      expect(scripts.filter(isChart).length).toBe(1);
      await until(COLOURS.slice(0, 3), () => drawnColours(page));
      expect(await page.getByText("Drawn from all 4 rows that match the filters.").count()).toBe(1);
      expect(address(page)).toContain(" where.amount=lt.100 x=taken y=amount series=kommune_nr");
      await page.getByLabel("One line or colour per").selectOption({ label: "nothing" });
      await until(COLOURS.slice(0, 1), () => drawnColours(page));
      await page.getByLabel("Along the bottom").selectOption("kommune_nr");
      await page.getByRole("img", { name: "amount by kommune_nr" }).waitFor();
      await page.getByText("Several rows share a point").waitFor();
      await page.reload();
      await page.getByRole("img", { name: "amount by kommune_nr" }).waitFor();
      await page.getByRole("button", { name: "Hide the chart" }).click();
      await picture.waitFor({ state: "detached" });
      expect(address(page)).toBe("/data/marts/fact_observation where.amount=lt.100");
    },
    { prepare },
  );
});

test("states how many rows and series it shows", async () => {
  await visit("/data/api_v1/distrikt_summary?x=fylke_nr&y=kommuner", async (page) => {
    await page.locator("canvas").waitFor();
    expect(await texts(page, "[aria-labelledby=chart] > p")).toEqual([
      "Drawn from all 15 rows that match the filters.",
    ]);
  });
  await visit("/data/api_v1/distrikt_summary?x=fylke_nr&y=kommuner&series=fylke_navn", async (page) => {
    await page.locator("canvas").waitFor();
    expect(await texts(page, "[aria-labelledby=chart] > p")).toEqual([
      "Drawn from all 15 rows that match the filters. 15 series; the first 8 are drawn. Filter to choose.",
    ]);
  });
});

test("is not offered without a numeric column, nor drawn for unknown columns", async () => {
  await visit("/data/marts/dim_fylke", async (page) => {
    expect(await page.getByRole("heading", { name: "Chart" }).count()).toBe(0);
  });
  await visit("/data/api_v1/distrikt_summary?x=nothing&y=kommuner", async (page) => {
    expect(await page.getByRole("button", { name: "Draw a chart" }).count()).toBe(1);
    expect(await page.locator("canvas").count()).toBe(0);
  });
});

test("is redrawn when the theme changes", async () => {
  const picture = (page: Page): Promise<string> =>
    page.locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  await visit("/data/api_v1/distrikt_summary?x=fylke_nr&y=kommuner", async (page) => {
    await page.locator("canvas").waitFor();
    const light = await picture(page);
    await page.getByLabel("Colours").selectOption("dark");
    await until(false, async () => (await picture(page)) === light);
    const dark = await picture(page);
    await page.reload();
    await page.locator("canvas").waitFor();
    expect((await picture(page)) === dark).toBe(true);
  });
});
