/** The keyboard focus after an action, and the position on a page after Back. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { until } from "../apiClient.ts";
import { settled, useBrowser } from "./browser.ts";
import { shownRows } from "./table.ts";

const visit = useBrowser();

/** Returns the label or the text of the element that has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText ?? element.textContent;
    return element === document.body ? "body" : label.trim();
  });
}

test("moves to the value after a condition is added, and to the next condition after one is removed", async () => {
  const path = "/data/marts/dim_kommune?where.fylke_nr=filled.&where.orgnr=filled.&where.kommune_nr=filled.";
  await visit(path, async (page) => {
    await page.getByRole("button", { name: "Filter by kommune_navn" }).click();
    await page.keyboard.type("stav");
    await page.getByRole("button", { name: "Apply" }).focus();
    await page.keyboard.press("Enter");
    await until([["1103", "Stavanger", "11", "964965226"]], () => shownRows(page));
    expect(await focused(page)).toBe("Value");
    await page.getByRole("button", { name: "Remove orgnr has a value" }).focus();
    for (const next of [
      "Remove kommune_nr has a value",
      "Remove kommune_navn contains “stav”",
      "Remove fylke_nr has a value",
      "Add a filter",
    ]) {
      await page.keyboard.press("Enter");
      await until(next, () => focused(page));
    }
  });
});

test("moves to the next tag of the list, and to the search after the last one", async () => {
  await visit("/data?tag=layer:marts&tag=provider:ssb", async (page) => {
    await page.getByRole("button", { name: "Remove layer:marts" }).focus();
    await page.keyboard.press("Enter");
    await until("Remove provider:ssb", () => focused(page));
    await page.getByRole("button", { name: "Remove all filters" }).focus();
    await page.keyboard.press("Enter");
    await until("Search names and tags", () => focused(page));
  });
});

test("shows the list at its former position after Back, and each other page at its top", async () => {
  await visit("/data", async (page) => {
    const position = (): Promise<number> => page.evaluate(() => Math.round(scrollY));
    const link = page.getByRole("link", { name: "readings" });
    await link.scrollIntoViewIfNeeded();
    const before = await position();
    expect(before).toBeGreaterThan(300);
    await link.click();
    await page.getByRole("heading", { name: "readings" }).waitFor();
    await settled(page);
    expect(await position()).toBe(0);
    await page.goBack();
    await page.getByRole("heading", { name: "All data" }).waitFor();
    await until(before, position);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await link.click();
    await page.getByRole("heading", { name: "readings" }).waitFor();
    await until(0, position);
  });
});
