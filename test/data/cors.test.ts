/** CORS: pages of every origin may read, tested by headers and in a real browser. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { withPage } from "../helpers/browser.ts";
import { launchBrowser } from "../helpers/chromium.ts";
import { ALWAYS, NO_ROUTE, rowsResponse } from "./expectedResponses.ts";
import { responseTo } from "./apiClient.ts";

const origin = { Origin: "https://example.org" };

describe("a preflight", () => {
  const allowed = {
    status: 200,
    headers: {
      "access-control-allow-headers": "Accept,Accept-Profile,If-None-Match,Prefer,Range,Range-Unit",
      "access-control-allow-methods": "GET,HEAD,OPTIONS",
      "access-control-allow-origin": "*",
      "access-control-max-age": "86400",
    },
    body: "",
  };
  test.each([
    ["GET", "accept-profile,prefer,range"],
    ["HEAD", "accept-profile"],
    ["GET", "if-none-match"],
  ])("is allowed for %s with %s", async (method, names) => {
    const preflight = { ...origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": names };
    for (const path of ["/dim_fylke", "/", "/openapi.json", "/nothing"]) {
      expect(await responseTo(`OPTIONS ${path}`, { headers: preflight })).toEqual(allowed);
    }
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("lists the allowed methods for %s", async (method) => {
    const preflight = { ...origin, "Access-Control-Request-Method": method };
    expect(await responseTo("OPTIONS /dim_fylke", { headers: preflight })).toEqual(allowed);
  });

  test("gets 404 from the gateway for a function", async () => {
    const preflight = { ...origin, "Access-Control-Request-Method": "GET" };
    expect(await responseTo("OPTIONS /rpc/document", { headers: preflight })).toEqual(NO_ROUTE);
  });
});

test("returns the same response to a request with an origin as to one without", async () => {
  const target = "/dim_fylke?fylke_nr=eq.03";
  const body = [{ fylke_nr: "03", fylke_navn: "Oslo" }];
  const response = await responseTo(`GET ${target}`, { headers: { ...origin, "Accept-Profile": "marts" } });
  expect(response).toEqual(rowsResponse({ target, range: "0-0/*", body }));
});

test("allows no cookies and credentials, and forwards none", async () => {
  const target = "/dim_fylke?limit=0";
  const headers = { ...origin, "Accept-Profile": "marts", Cookie: "a=b", Authorization: "Bearer x.y.z" };
  const response = await responseTo(`GET ${target}`, { headers });
  expect(response).toEqual(rowsResponse({ target, range: "*/*", body: [] }));
});

test("lists the allowed methods for OPTIONS without preflight headers", async () => {
  const { headers, status } = await responseTo("OPTIONS /dim_fylke", { headers: { "Accept-Profile": "marts" } });
  expect([status, headers]).toEqual([200, ALWAYS]);
});

test("allows a page of another origin to read rows, Content-Range and ETag in a browser", async () => {
  const page = await startPage();
  const browser = await launchBrowser();
  const use = async (tab: Page): Promise<void> => {
    await tab.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`);
    const read = (init: { method?: string; headers: Record<string, string>; body?: string }) =>
      tab.evaluate(
        async ([url, options]) => {
          const response = await fetch(url, options);
          const names = ["content-range", "etag", "x-max-rows"];
          return {
            status: response.status,
            headers: names.map((name) => response.headers.get(name)),
            text: await response.text(),
          };
        },
        [`${inject("data").url}/dim_fylke?order=fylke_nr&limit=1`, init] as const,
      );
    const headers = { "Accept-Profile": "marts", Prefer: "count=exact" };
    const tag: unknown = expect.stringMatching(/^W\/"[0-9a-f]{32}"$/);
    const text = '[{"fylke_nr":"03","fylke_navn":"Oslo"}]';
    expect(await read({ headers })).toEqual({ status: 206, headers: ["0-0/15", tag, "1000"], text });
    const head = await read({ method: "HEAD", headers });
    expect(head).toEqual({ status: 206, headers: ["0-0/15", tag, "1000"], text: "" });
    await expect(read({ method: "POST", headers, body: "{}" })).rejects.toThrow("Failed to fetch");
    await expect(read({ headers: { "Accept-Profile": "private_marts" } })).rejects.toThrow("Failed to fetch");
  };
  try {
    await withPage(browser, use);
  } finally {
    await browser.close();
    page.close();
  }
});

/** Serves an empty page on another origin. */
async function startPage(): Promise<Server> {
  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<title>page</title>"),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}
