import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { receivedHeaders, receivedPath } from "../../ops/checks/verify/echo.ts";
import { withPage } from "../helpers/browser.ts";
import { launchBrowser } from "../helpers/chromium.ts";
import { origin, sampleUser } from "./fixtures.ts";

const SCREENSHOTS = join(import.meta.dirname, "../../.gatehouse/screenshots");

let browser: Browser;
beforeAll(async () => {
  mkdirSync(SCREENSHOTS, { recursive: true });
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const visit = (work: (page: Page) => Promise<void>): Promise<void> => withPage(browser, work);

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
