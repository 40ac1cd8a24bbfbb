/** A real browser at the catalog, which tells everything that goes wrong in its pages. */
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContextOptions, chromium as playwright, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { note } from "../../helpers/exchanges.ts";

export interface Circumstances {
  /** Of the browser. Default: English, light, without motion, a desktop in Oslo. */
  readonly context?: BrowserContextOptions;
  /** Before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** What the browser says about what the test itself brings about. Anything else that it says fails the test. */
  readonly expected?: RegExp;
}

/** Opens a path of the catalog as a person of one's own, and works with the page once nothing is on its way. */
export type Visit = <T>(path: string, work: (page: Page) => Promise<T>, circumstances?: Circumstances) => Promise<T>;

const DEFAULTS: BrowserContextOptions = {
  locale: "en-GB",
  timezoneId: "Europe/Oslo",
  colorScheme: "light",
  // From the start: a transition that is running continues when motion is reduced later.
  reducedMotion: "reduce",
};

/** Errors, violations of the policy, dialogs, and requests to anywhere but the catalog and the data API. */
const PROBLEM = "catalog-problem";

/** One browser for a file of tests. */
export function useBrowser(): Visit {
  let browser: Browser;
  beforeAll(async () => {
    browser = await playwright.launch({
      executablePath: await chromium.executablePath(),
      // Chromium itself sends *.localhost to loopback. Its own sandbox refuses root; the last three keep it from calling home.
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
      headless: true,
    });
  });
  afterAll(() => browser.close());
  return async (path, work, { context: options, prepare, expected } = {}) => {
    const context = await browser.newContext({ ...DEFAULTS, ...options });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      const problems = await listen(page);
      try {
        await prepare?.(page);
        await page.goto(inject("data").catalogUrl + path);
        await settled(page);
        const result = await work(page);
        expect(problems.filter((problem) => expected?.test(problem) !== true)).toEqual([]);
        return result;
      } catch (error) {
        const body = await page.locator("body").innerText({ timeout: 5_000 }).catch(String);
        note(`page ${page.url()}`, { body: `${JSON.stringify(problems)} ${body}` });
        throw error;
      }
    } finally {
      await context.close();
    }
  };
}

async function listen(page: Page): Promise<string[]> {
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
  page.on("response", (response) =>
    note(`browser ${response.request().method()} ${response.url()}`, {
      ...{ status: response.status(), headers: response.headers(), body: "" },
    }),
  );
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

/** Waits until the page has its heading and nothing is on its way. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1, [role=alert]").first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: "detached", timeout: 240_000 });
}

/** The texts of all elements in order, blanks made one. */
export async function texts(page: Page, selector: string): Promise<string[]> {
  const all = await page.locator(selector).allInnerTexts();
  return all.map((text) => text.replace(/\s+/g, " ").trim());
}

/**
 * The names of the relations in a list. Not their inner text, which can be empty while the browser has not laid out the element
 * (`content-visibility: auto`).
 */
export function shownNames(page: Page): Promise<string[]> {
  return page.locator(".endpoint small code").allTextContents();
}

/** Path and query of the page, decoded. */
export function address(page: Page): string {
  const { pathname, searchParams } = new URL(page.url());
  return [pathname, ...[...searchParams].map(([name, value]) => `${name}=${value}`)].join(" ");
}
