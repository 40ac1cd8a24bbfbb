import { mkdirSync } from "node:fs";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receivedHeaders, receivedPath } from "../../ops/checks/verify/echo.ts";
import { origin, sampleUser } from "./fixtures.ts";

const SCREENSHOTS = join(import.meta.dirname, "../../.gatehouse/screenshots");

let browser: Browser;
beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    // Chromium resolves *.localhost to loopback. Its sandbox refuses root; the last three arguments disable its background requests.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
    headless: true,
  });
});
afterAll(() => browser.close());

/** Runs with a page of a new browser profile. */
async function visit<T>(work: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext();
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel(/user ?name/i).fill(username);
  await page.keyboard.press("Enter");
  await page.getByLabel(/password/i).fill(password);
  await page.keyboard.press("Enter");
}

describe("a browser", () => {
  test("returns to the requested page after the login, with the six identity headers", async () => {
    await visit(async (page) => {
      await page.goto(`${origin("whoami")}/x?y=1`);
      expect(new URL(page.url()).pathname).toMatch(/^\/if\/flow\//);
      await page.getByLabel(/user ?name/i).waitFor();
      await page.screenshot({ path: join(SCREENSHOTS, "login.png") });
      const { username, password } = sampleUser("alice");
      await logIn(page, username, password);
      await page.waitForURL(`${origin("whoami")}/x?y=1`);
      const text = await page.locator("body").innerText();
      expect(receivedPath(text)).toBe("/x?y=1");
      const headers = receivedHeaders(text);
      expect(headers.get("x-idp-username")).toEqual(["alice"]);
      expect([...headers.keys()].filter((name) => name.startsWith("x-idp-")).length).toBe(6);
      await page.screenshot({ path: join(SCREENSHOTS, "whoami.png") });
    });
  });

  test("stays on the login page with an error message after a wrong password", async () => {
    await visit(async (page) => {
      await page.goto(`${origin("whoami")}/`);
      await logIn(page, "alice", "wrong");
      await page.getByText("Invalid password").waitFor();
      expect(new URL(page.url()).origin).toBe(origin("authentik"));
    });
  });

  test("requires a new login after a sign-out", async () => {
    await visit(async (page) => {
      await page.goto(`${origin("whoami")}/`);
      const { username, password } = sampleUser("bob");
      await logIn(page, username, password);
      await page.waitForURL(`${origin("whoami")}/`);
      await page.goto(`${origin("whoami")}/outpost.goauthentik.io/sign_out`);
      // The page of authentik runs the flow that ends the session.
      await page.waitForURL(/\/if\/flow\/default-authentication-flow\//);
      await page.goto(`${origin("whoami")}/`);
      await page.getByLabel(/user ?name/i).waitFor();
      expect(new URL(page.url()).origin).toBe(origin("authentik"));
    });
  });
});
