/** Keyboard navigation, language, colour scheme and small screens of the catalog. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { until } from "../apiClient.ts";
import { address, settled, shownNames, texts, useBrowser } from "./browser.ts";
import { expectedRows, shownRows, shownTotals } from "./table.ts";

const visit = useBrowser();

/** Presses Tab until the element with this name or text has the focus. Expects a visible focus on each element. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement;
      const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText ?? element.innerText;
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return { label: label.replace(/\s+/g, " ").trim(), marked: outlineStyle !== "none" || boxShadow !== "none" };
    });
    passed.push(focused.label);
    expect([focused.label, focused.marked]).toEqual([focused.label, true]);
    if (focused.label === name) return;
  }
  throw new Error(`Tab does not reach ${name}, only ${passed.join(" | ")}`);
}

test("finds, sorts and filters a table, opens a row and copies the request with the keyboard only", async () => {
  await visit("/data", async (page) => {
    const { keyboard } = page;
    await tabTo(page, "Skip to the content");
    await keyboard.press("Enter");
    await tabTo(page, "Search names and tags");
    await keyboard.type("kommune");
    await until(["marts.dim_kommune", "raw.ssb_kommuner"], () => texts(page, ".endpoint small code"));
    await tabTo(page, "marts 1");
    await keyboard.press("Space");
    await until(["marts.dim_kommune"], () => texts(page, ".endpoint small code"));
    await tabTo(page, "Municipalities");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "Municipalities open" }).waitFor();
    await settled(page);
    // A new page moves the focus to its content.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    await tabTo(page, "Sort by kommune_navn");
    await keyboard.press("Enter");
    const [first] = await expectedRows("dim_kommune?order=kommune_navn&limit=1");
    await until(first?.[1], async () => (await shownRows(page))[0]?.[1]);
    await tabTo(page, "Filter by kommune_navn");
    await keyboard.press("Enter");
    await until("Value", () =>
      page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.innerText),
    );
    await keyboard.type("stav");
    await keyboard.press("Enter");
    await until([["1103", "Stavanger", "11", "964965226"]], () => shownRows(page));
    expect(await shownTotals(page)).toBe("Rows 1–1 of 1 (counted exactly) You see all rows that match.");
    await tabTo(page, "Row 1");
    await keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Row 1" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Row 1");
    await tabTo(page, "Python");
    await keyboard.press("Enter");
    await page.getByRole("region", { name: "The exact request, Python" }).waitFor();
    await tabTo(page, "Copy");
    expect(address(page)).toContain("where.kommune_navn=contains.stav");
  });
});

describe("the language", () => {
  const headings = { nb: "Alle data", en: "All data" };

  test.each([
    ["nb-NO", "nb"],
    ["nn-NO", "nb"],
    ["en-GB", "en"],
    ["de-DE", "en"],
  ] as const)("follows a browser in %s: %s", async (locale, language) => {
    const read = async (page: Page): Promise<void> => {
      expect(await page.locator("html").getAttribute("lang")).toBe(language);
      expect(await texts(page, "h1")).toEqual([headings[language]]);
      expect(await page.title()).toBe(language === "nb" ? "Alle data – Datakatalog" : "All data – Data catalog");
    };
    await visit("/data", read, { context: { locale } });
  });

  test("changes without a reload, is stored for the next page, and keeps the state", async () => {
    await visit("/data/marts/ref_number?where.number=gt.100&page=2", async (page) => {
      expect(await shownTotals(page)).toContain("Rows 101–200 of 1,400 (counted exactly)");
      await page.getByLabel("Language").selectOption("nb");
      const norwegian = "Rad 101–200 av 1 400 (talt nøyaktig)";
      await until(true, async () => (await shownTotals(page)).startsWith(norwegian));
      expect(await texts(page, "h2")).toEqual([
        "Kilde og vilkår",
        "Rader",
        "Den nøyaktige forespørselen",
        "Kolonnene og hva de betyr",
        "Slik siterer du",
      ]);
      await page.goto(new URL("/about", page.url()).href);
      await settled(page);
      expect(await texts(page, "h1")).toEqual(["Grenser og sitering"]);
      expect(await page.locator("blockquote").innerText()).toContain("Lest 1. januar 2026 på");
      await page.getByLabel("Språk").selectOption("en");
      await until(["Limits and how to cite"], () => texts(page, "h1"));
      expect(await page.locator("blockquote").innerText()).toContain("Read January 1, 2026 at");
    });
  });
});

test("uses the colour scheme of the device unless the user chooses another", async () => {
  const background = (page: Page): Promise<number> =>
    page.evaluate(() => {
      const [red = 0, green = 0, blue = 0] = getComputedStyle(document.documentElement)
        .backgroundColor.match(/\d+/g)!
        .map(Number);
      return Math.round((red + green + blue) / 3 / 255);
    });
  const [light, dark] = [1, 0];
  await visit("/data", async (page) => {
    expect(await background(page)).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    await until(dark, () => background(page));
    await page.getByLabel("Colours").selectOption("light");
    await until(light, () => background(page));
    await page.reload();
    await settled(page);
    expect(await background(page)).toBe(light);
    await page.getByLabel("Colours").selectOption("auto");
    await until(dark, () => background(page));
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByLabel("Colours").selectOption("dark");
    await until(dark, () => background(page));
  });
});

test("shows the list with collapsed tags and a table that scrolls within its frame on a phone", async () => {
  const context = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const wide = (page: Page): Promise<number> =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await visit(
    "/data",
    async (page) => {
      expect(await page.locator(".filter label").first().isVisible()).toBe(false);
      await page.getByText("Filter by tag").tap();
      await page.locator('input[value="layer:marts"]').tap();
      // A tap ends before the resulting click. Until the list is filtered its links move, and a tap on one would miss.
      await until([], async () => (await shownNames(page)).filter((name) => !name.startsWith("marts.")));
      const link = page.getByRole("link", { name: "fact_observation" });
      // Entries get their height when they are scrolled into view (content-visibility), which moves the entries below.
      await link.scrollIntoViewIfNeeded();
      await link.tap();
      await page.getByRole("heading", { name: "fact_observation" }).waitFor();
      await settled(page);
      expect(await wide(page)).toBe(0);
      const frame = page.locator('[aria-label="Table of rows"]');
      expect(await frame.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
      await frame.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
      await until(true, async () =>
        (await texts(page, "[aria-label='Table of rows'] thead bdi")).includes("odd name, æ"),
      );
    },
    { context },
  );
});
