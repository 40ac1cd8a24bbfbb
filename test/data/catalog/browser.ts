/** A real browser for the catalog, which fails a test on errors in its pages. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { withPage } from "../../helpers/browser.ts";
import { launchBrowser } from "../../helpers/chromium.ts";
import { note } from "../../helpers/exchanges.ts";

interface VisitOptions {
  /** Options of the browser. Default: English, light, reduced motion, a desktop in Oslo. */
  readonly context?: BrowserContextOptions;
  /** Runs before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Errors of the browser that the test causes. Any other error fails the test. */
  readonly expected?: RegExp;
}

/** Opens a path of the catalog in a new browser profile, and runs `work` after the page has loaded. */
type Visit = <T>(path: string, work: (page: Page) => Promise<T>, options?: VisitOptions) => Promise<T>;

const DEFAULTS: BrowserContextOptions = {
  locale: "en-GB",
  timezoneId: "Europe/Oslo",
  colorScheme: "light",
  // Set from the start, because a running transition continues when motion is reduced later.
  reducedMotion: "reduce",
};

/** Prefix of console messages about violations of the Content-Security-Policy. */
const PROBLEM = "catalog-problem";

/** Starts a browser for a file of tests. */
export function useBrowser(): Visit {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  return (path, work, { context, prepare, expected } = {}) => {
    const use = async (page: Page) => {
      const problems = await collectProblems(page);
      try {
        await prepare?.(page);
        await page.goto(inject("data").catalogUrl + path);
        await settled(page);
        const result = await work(page);
        expect(problems.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
        return result;
      } catch (error) {
        note(`problems of ${page.url()}`, { body: JSON.stringify(problems) });
        throw error;
      }
    };
    return withPage(browser, use, { ...DEFAULTS, ...context });
  };
}

/** Collects errors, violations of the policy, dialogs, and requests to other servers than the catalog and the data API. */
async function collectProblems(page: Page): Promise<string[]> {
  const problems: string[] = [];
  const { url, catalogUrl } = inject("data");
  page.on("console", (message) => {
    if (message.type() === "debug" && message.text().startsWith(PROBLEM)) problems.push(message.text());
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const ours = [url, catalogUrl, `blob:${catalogUrl}`].some((origin) => request.url().startsWith(`${origin}/`));
    if (!ours) problems.push(`request to ${request.url()}`);
  });
  await page.addInitScript((mark) => {
    addEventListener("securitypolicyviolation", (event) =>
      console.debug(`${mark}: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  }, PROBLEM);
  return problems;
}

/** Waits until the page has its heading and is not loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1, [role=alert]").first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached", timeout: 240_000 });
}

/** Returns the texts of all matching elements in order, with white space collapsed. */
export async function texts(page: Page, selector: string): Promise<string[]> {
  const all = await page.locator(selector).allInnerTexts();
  return all.map((text) => text.replace(/\s+/g, " ").trim());
}

/**
 * Returns the names of the relations in a list. Uses the text content, because the inner text can be empty before the browser lays out the element
 * (`content-visibility: auto`).
 */
export function shownNames(page: Page): Promise<string[]> {
  return page.locator(".endpoint small code").allTextContents();
}

/** Returns the decoded path and query of the page. */
export function address(page: Page): string {
  const { pathname, searchParams } = new URL(page.url());
  return [pathname, ...[...searchParams].map(([name, value]) => `${name}=${value}`)].join(" ");
}
