/** Every page in both themes and on a phone: violations that axe finds, overflow, and a screenshot. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../apiClient.ts";
import { useBrowser } from "./browser.ts";

const SCREENSHOTS = join(import.meta.dirname, "../../../.gatehouse/screenshots/catalog");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const DESKTOP = { width: 1280, height: 1800 };
const PHONE = { width: 360, height: 3000 };

const visit = useBrowser();
beforeAll(() => mkdirSync(SCREENSHOTS, { recursive: true }));

/** Returns serious violations that axe finds: rule and first element. In the dark theme only the colours differ. */
async function violations(page: Page, theme: "light" | "dark"): Promise<string[]> {
  const options = { resultTypes: ["violations"], ...(theme === "light" ? {} : { runOnly: ["color-contrast"] }) };
  const results = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

async function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
}

/** Checks the page in both themes, and then on a phone. */
async function checkPage(page: Page, name: string): Promise<void> {
  await page.evaluate(AXE);
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(DESKTOP);
    expect([name, theme, await violations(page, theme)]).toEqual([name, theme, []]);
    expect([name, theme, await fits(page)]).toEqual([name, theme, true]);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}.png`) });
  }
  await page.setViewportSize(PHONE);
  // A chart is redrawn.
  await until([name, "phone", true], async () => [name, "phone", await fits(page)]);
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-phone.png`), fullPage: true });
}

describe("a page in both themes and on a phone", () => {
  test.each([
    ["list", "/data"],
    ["list-filtered", "/data?tag=layer:marts&tag=topic:nothing&q=e"],
    ["table", "/data/marts/dim_kommune?where.fylke_nr=eq.03&sort=kommune_navn.asc"],
    ["table-deprecated", "/data/raw/ssb_kommuner?where.region_code=starts.11"],
    ["table-stable", "/data/api_v1/distrikt_summary?x=fylke_nr&y=kommuner"],
    ["map", "/data/api_v1/distrikt_summary?map=fylke_nr&y=kommuner"],
    ["source", "/sources/ssb-klass-131"],
    ["contract", "/contract"],
    ["about", "/about"],
    ["not-found", "/data/marts/nothing"],
  ])("passes axe and does not overflow: %s", async (name, path) => {
    await visit(path, (page) => checkPage(page, name));
  });

  test("passes axe and does not overflow with dialogs and menus of a table", async () => {
    await visit("/data/marts/fact_observation", async (page) => {
      await page.getByRole("button", { name: "Filter by amount" }).click();
      await page.getByText("Columns (10 of 10)").click();
      await page.getByText("Download", { exact: true }).click();
      await page.getByRole("button", { name: "Python" }).click();
      await checkPage(page, "table-opened");
      await page.getByRole("button", { name: "Row 4" }).click();
      await page.getByRole("dialog").waitFor();
      await checkPage(page, "row");
    });
  });

  test("passes axe and does not overflow with an error", async () => {
    const refused = { expected: /status of 400/ };
    await visit("/data/marts/fact_observation?where.amount=eq.nonsense", (page) => checkPage(page, "error"), refused);
  });

  test("passes axe and does not overflow in Norwegian", async () => {
    const context = { locale: "nb-NO" };
    await visit("/data/marts/dim_fylke", (page) => checkPage(page, "table-nb"), { context });
  });
});
