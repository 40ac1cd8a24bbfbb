/** An open or new page while another version of the catalog is deployed, whose files have other names. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { texts, useBrowser } from "./browser.ts";

const visit = useBrowser();
const MISSING = { expected: /status of 404/ };
const BROKEN =
  "This part of the page cannot be shown. There may be a new version of the page, or no connection. Reload it. " +
  "Your filters are kept in the address of this page.";

const remove = (page: Page, file: string): Promise<unknown> =>
  page.route(file, (route) => route.fulfill({ status: 404, body: "not found\n" }));

test("asks for a reload if the script of the page is missing, but not while the page loads", async () => {
  const script = "**/assets/index-*.js";
  const work = async (page: Page): Promise<void> => {
    const notice = page.locator("#app > p");
    expect(await notice.count()).toBe(0);
    await remove(page, script);
    await page.reload();
    expect(await notice.evaluate((element) => getComputedStyle(element).animationDelay)).toBe("5s");
    await notice.waitFor();
    expect(await notice.innerText()).toContain(
      "Last den på nytt hvis denne teksten blir stående. The page has not loaded.",
    );
    await page.unroute(script);
    await page.reload();
    await page.getByRole("heading", { name: "Limits and how to cite" }).waitFor();
    expect(await notice.count()).toBe(0);
  };
  await visit("/about", work, MISSING);
});

test("shows an error in place of a map whose boundaries are missing, and the map after a reload", async () => {
  const counties = "**/assets/counties-*.json";
  const work = async (page: Page): Promise<void> => {
    await page.getByRole("alert").waitFor();
    expect(await texts(page, "[role=alert] p")).toEqual([BROKEN, "Response: 404, HTTP 404"]);
    await page.unroute(counties);
    await page.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("img", { name: "kommuner by fylke_nr on a map" }).waitFor();
  };
  const prepare = (page: Page): Promise<unknown> => remove(page, counties);
  await visit("/data/api_v1/distrikt_summary?map=fylke_nr&y=kommuner", work, { ...MISSING, prepare });
});
