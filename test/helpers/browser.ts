/** Pages of a browser for tests. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { note } from "./exchanges.ts";

/**
 * Runs with a page of a new browser profile. If `work` fails, the test prints the responses that the page received, and its text.
 * @param options of the profile. Default: those of the browser
 */
export async function withPage<T>(
  browser: Browser,
  work: (page: Page) => Promise<T>,
  options?: BrowserContextOptions,
): Promise<T> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    // Its default of 30 s passes on a busy machine.
    page.setDefaultTimeout(120_000);
    page.on("response", (response) =>
      note(`browser ${response.request().method()} ${response.url()}`, {
        status: response.status(),
        headers: response.headers(),
        body: "",
      }),
    );
    return await work(page).catch(async (error: unknown) => {
      const body = await page.locator("body").innerText({ timeout: 5_000 }).catch(String);
      note(`page ${page.url()}`, { body });
      throw error;
    });
  } finally {
    await context.close();
  }
}
