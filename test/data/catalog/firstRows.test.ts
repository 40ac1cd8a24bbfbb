/** The page of a table shows rows without scrolling, below one line about source, licence, freshness and limits. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { settled, useBrowser } from "./browser.ts";
import { ROWS } from "./table.ts";

const visit = useBrowser();

/** Those of phones are what the bars of the browser leave (Playwright: iPhone 13 has 390 × 664). */
const SCREENS = { desktop: [1440, 900], laptop: [1280, 720], phone: [390, 664], "small phone": [360, 640] } as const;
/** With two sources, a description for each column, a deprecated schema, many columns, two filters, and a filter in a deprecated schema. */
const PATHS = [
  "/data/marts/dim_kommune",
  "/data/api_v1/distrikt_summary",
  "/data/raw/ssb_kommuner",
  "/data/marts/fact_observation",
  "/data/marts/dim_kommune?where.fylke_nr=eq.11&where.kommune_navn=starts.S",
  "/data/raw/ssb_kommuner?where.region_code=starts.11",
];

/** Returns whether the page, which has not been scrolled, shows the whole first row, and whether the summary is one line. */
function seen(page: Page): Promise<unknown> {
  return page.evaluate((rows) => {
    const inside = (element: Element): boolean => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    };
    const first = document.querySelector(`${rows} tbody tr`);
    const facts = document.querySelector(".facts");
    if (first === null || facts === null) return "no rows";
    const { scrollWidth, clientWidth } = document.documentElement;
    const oneLine = facts.getBoundingClientRect().height < 2 * parseFloat(getComputedStyle(facts).lineHeight);
    const fits = scrollWidth <= clientWidth && facts.scrollWidth <= facts.clientWidth;
    return { scrolled: scrollY, firstRow: inside(first), summary: inside(facts), oneLine, fits };
  }, ROWS);
}

test.each(Object.entries(SCREENS))("shows the first row without scrolling on a %s", async (_, [width, height]) => {
  const context = { viewport: { width, height }, isMobile: width < 600, hasTouch: width < 600 };
  await visit(
    "/about",
    async (page) => {
      for (const path of PATHS) {
        await page.goto(new URL(path, page.url()).href);
        await settled(page);
        const expected = { scrolled: 0, firstRow: true, summary: true, oneLine: true, fits: true };
        expect([path, await seen(page)]).toEqual([path, expected]);
      }
    },
    { context },
  );
});
