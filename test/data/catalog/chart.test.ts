/** The chart of a table. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { asOwner, sendRequest, until } from "../apiClient.ts";
import { address, texts, useBrowser } from "./browser.ts";
import { ROWS, shownColumns, shownRows } from "./table.ts";

const visit = useBrowser();

beforeAll(async () => {
  await asOwner(
    "create table marts.fact_yearly (year integer, name text, value numeric, primary key (year, name))",
    // As many rows as one response contains.
    `insert into marts.fact_yearly select year, 'n' || number, case when year <> 2011 then year - number end
      from (values (2010), (2011), (2015), (2024)) as years (year) cross join generate_series(1, 250) as number`,
  );
  const headers = { "Accept-Profile": "marts" };
  await until(200, async () => (await sendRequest("GET /fact_yearly?limit=0", { headers })).status);
});
afterAll(() => asOwner("drop table if exists marts.fact_yearly"));

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
  const paths: string[] = [];
  const prepare = (page: Page): Promise<unknown> =>
    Promise.resolve(page.on("request", (request) => paths.push(new URL(request.url()).pathname)));
  const requests = (start: string): number => paths.filter((path) => path.startsWith(start)).length;
  await visit(
    "/data/marts/fact_observation?where.amount=lt.100",
    async (page) => {
      const picture = page.getByRole("img", { name: "amount by taken" });
      await picture.waitFor();
      // The rows of the table are not requested again.
      expect([requests("/assets/Chart-"), requests("/fact_observation")]).toEqual([1, 1]);
      await until(COLOURS.slice(0, 3), () => drawnColours(page));
      expect(await page.getByText("Drawn from all 4 rows that match the filters.").count()).toBe(1);
      expect(address(page)).toBe("/data/marts/fact_observation where.amount=lt.100");
      await page.getByLabel("One line or colour per").selectOption({ label: "nothing" });
      await until(COLOURS.slice(0, 1), () => drawnColours(page));
      expect(address(page)).toContain(" where.amount=lt.100 x=taken y=amount");
      await page.getByLabel("Axis").selectOption("kommune_nr");
      await page.getByRole("img", { name: "amount by kommune_nr" }).waitFor();
      await page.getByText("Several rows share a point").waitFor();
      await page.reload();
      await page.getByRole("img", { name: "amount by kommune_nr" }).waitFor();
      await page.getByRole("button", { name: "Hide the chart" }).click();
      await page.locator("canvas").waitFor({ state: "detached" });
      expect(address(page)).toBe("/data/marts/fact_observation where.amount=lt.100 chart=none");
      await page.reload();
      await page.getByRole("button", { name: "Show the chart" }).click();
      await picture.waitFor();
      expect(address(page)).toBe("/data/marts/fact_observation where.amount=lt.100");
    },
    // The test reads the pixels of the canvas repeatedly.
    { prepare, expected: /willReadFrequently/ },
  );
});

test("states how many rows and series it shows", async () => {
  await visit("/data/api_v1/distrikt_summary?x=fylke_nr&y=kommuner", async (page) => {
    await page.locator("canvas").waitFor();
    expect(await texts(page, "[aria-labelledby=chart] > p")).toEqual([
      "Drawn from all 15 rows that match the filters.",
    ]);
  });
  await visit("/data/marts/fact_observation", async (page) => {
    await page.locator("canvas").waitFor();
    expect(await texts(page, "[aria-labelledby=chart] > p")).toEqual([
      "Drawn from all 6 rows that match the filters. Left out, without a number or a value on the axis: 2.",
    ]);
  });
  await visit("/data/api_v1/distrikt_summary?x=fylke_nr&y=kommuner&series=fylke_navn", async (page) => {
    await page.locator("canvas").waitFor();
    expect(await texts(page, "[aria-labelledby=chart] > p")).toEqual([
      "Drawn from all 15 rows that match the filters. 15 series; the first 8 are drawn. Filter to choose.",
    ]);
  });
});

test("requests the latest rows first, and states that all are drawn if the limit is their number", async () => {
  const queries: URLSearchParams[] = [];
  const prepare = (page: Page): Promise<unknown> =>
    Promise.resolve(page.on("request", (request) => queries.push(new URL(request.url()).searchParams)));
  await visit(
    "/data/marts/fact_yearly?x=year&y=value&series=name",
    async (page) => {
      await page.locator("canvas").waitFor();
      expect(queries.findLast((query) => query.has("order"))?.get("order")).toBe("year.desc.nullslast,name");
      expect(await texts(page, "[aria-labelledby=chart] > p")).toEqual([
        "Drawn from all 1,000 rows that match the filters. Left out, without a number or a value on the axis: 250. " +
          "250 series; the first 8 are drawn. Filter to choose.",
      ]);
    },
    { prepare },
  );
});

test("shows an error in its place if it is not loaded, while the table works, and is loaded by a reload", async () => {
  const script = "**/assets/Chart-*.js";
  await visit(
    "/data/api_v1/distrikt_summary",
    async (page) => {
      expect(await texts(page, "[role=alert] p")).toEqual([
        "This part of the page cannot be shown. There may be a new version of the page, or no connection. Reload it. " +
          "Your filters are kept in the address of this page.",
      ]);
      await page.getByRole("button", { name: "Sort by kommuner" }).click();
      await until("1", async () => (await shownRows(page))[0]?.at(-1));
      expect(address(page)).toContain("sort=kommuner.asc");
      await page.unroute(script);
      await page.getByRole("button", { name: "Reload the page" }).click();
      await page.locator("canvas").waitFor();
      await until("1", async () => (await shownRows(page))[0]?.at(-1));
    },
    {
      prepare: (page) => page.route(script, (route) => route.fulfill({ status: 404, body: "" })),
      expected: /status of 404|dynamically imported module/,
    },
  );
});

test("is the same if the table does not show its columns", async () => {
  await visit("/data/api_v1/distrikt_summary?col=fylke_nr&col=kommuner", async (page) => {
    await page.getByRole("img", { name: "kommuner by fylke_navn" }).waitFor();
    expect(await shownColumns(page)).toEqual(["fylke_nr", "kommuner"]);
  });
});

test("draws a bar for each row of a relation that has neither a time nor a region", async () => {
  await visit("/data/api_v1/observation", async (page) => {
    await page.getByRole("img", { name: "amount by observed" }).waitFor();
    expect(await texts(page, "[aria-labelledby=chart] > p")).toEqual(["Drawn from all 3 rows that match the filters."]);
  });
});

test("is not loaded without a numeric column, and ignores unknown columns in the address", async () => {
  await visit("/data/marts/dim_fylke", async (page) => {
    expect(await page.getByRole("heading", { name: "Chart" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Show the chart" }).count()).toBe(0);
    const scripts = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    expect(scripts.filter((name) => name.includes("Chart-"))).toEqual([]);
  });
  await visit("/data/api_v1/distrikt_summary?x=nothing&y=kommuner", async (page) => {
    await page.getByRole("img", { name: "kommuner by fylke_navn" }).waitFor();
  });
  const gone = "col=gone&sort=gone.asc&x=fylke_nr&y=kommuner&series=gone";
  await visit(`/data/api_v1/distrikt_summary?${gone}`, async (page) => {
    await page.getByRole("img", { name: "kommuner by fylke_nr" }).waitFor();
    expect((await shownRows(page)).length).toBe(15);
    expect(await page.getByLabel("One line or colour per").inputValue()).toBe("");
  });
});

test("is next to the rows on a wide screen, and below them on a phone", async () => {
  await visit("/data/api_v1/indicator_summary", async (page) => {
    const boxes = async (): Promise<{ nextTo: boolean; below: boolean }> => {
      const [rows, chart] = await Promise.all([ROWS, "canvas"].map((box) => page.locator(box).boundingBox()));
      if (!rows || !chart) throw new Error("no rows or no chart");
      return { nextTo: chart.x >= rows.x + rows.width, below: chart.y >= rows.y + rows.height };
    };
    // There is one year only, so that the axis is the county.
    await page.getByRole("img", { name: "value by fylke_nr" }).waitFor();
    for (const width of [1440, 1280, 1024]) {
      await page.setViewportSize({ width, height: 720 });
      await until({ nextTo: true, below: false }, boxes);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await until({ nextTo: false, below: true }, boxes);
  });
});

test("is redrawn when the theme changes", async () => {
  /** Waits until something is drawn that differs from another picture, and returns it. */
  const picture = async (page: Page, other?: string): Promise<string> => {
    const drawn = (): Promise<string> =>
      page.locator("canvas").evaluate((canvas) => {
        const { width, height } = canvas as HTMLCanvasElement;
        const blank = Object.assign(document.createElement("canvas"), { width, height }).toDataURL();
        const shown = (canvas as HTMLCanvasElement).toDataURL();
        return shown === blank ? "" : shown;
      });
    await until(true, async () => !["", other].includes(await drawn()));
    return drawn();
  };
  await visit("/data/api_v1/distrikt_summary?x=fylke_nr&y=kommuner", async (page) => {
    const light = await picture(page);
    await page.getByLabel("Colours").selectOption("dark");
    const dark = await picture(page, light);
    await page.reload();
    expect((await picture(page)) === dark).toBe(true);
  });
});
