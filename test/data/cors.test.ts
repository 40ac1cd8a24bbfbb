/** Scripts of every origin may read: as headers, and in a real browser. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { ALWAYS, NO_ROUTE, served } from "./answers.ts";
import { told } from "./api-client.ts";

const origin = { Origin: "https://example.org" };

describe("preflights", () => {
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
  ])("for %s with %s", async (method, names) => {
    const asked = { ...origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": names };
    for (const path of ["/dim_fylke", "/", "/openapi.json", "/nothing"]) {
      expect(await told(`OPTIONS ${path}`, { headers: asked })).toEqual(allowed);
    }
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("for %s name the methods that are there", async (method) => {
    const asked = { ...origin, "Access-Control-Request-Method": method };
    expect(await told("OPTIONS /dim_fylke", { headers: asked })).toEqual(allowed);
  });

  test("of functions find no route", async () => {
    const asked = { ...origin, "Access-Control-Request-Method": "GET" };
    expect(await told("OPTIONS /rpc/document", { headers: asked })).toEqual(NO_ROUTE);
  });
});

test("a request with an origin is answered as one without", async () => {
  const target = "/dim_fylke?fylke_nr=eq.03";
  const body = [{ fylke_nr: "03", fylke_navn: "Oslo" }];
  const answer = await told(`GET ${target}`, { headers: { ...origin, "Accept-Profile": "marts" } });
  expect(answer).toEqual(served({ target, range: "0-0/*", body }));
});

test("cookies and credentials are neither allowed nor passed on", async () => {
  const target = "/dim_fylke?limit=0";
  const headers = { ...origin, "Accept-Profile": "marts", Cookie: "a=b", Authorization: "Bearer x.y.z" };
  const answer = await told(`GET ${target}`, { headers });
  expect(answer).toEqual(served({ target, range: "*/*", body: [] }));
});

test("OPTIONS without a preflight names the methods that are there", async () => {
  const { headers, status } = await told("OPTIONS /dim_fylke", { headers: { "Accept-Profile": "marts" } });
  expect([status, headers]).toEqual([200, ALWAYS]);
});

test("a page of another origin reads rows, Content-Range and ETag in a browser", async () => {
  const page = await startPage();
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    // Chromium itself sends *.localhost to loopback. Its own sandbox refuses root; the last three keep it from calling home.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
    headless: true,
  });
  try {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`);
    const read = (init: { method?: string; headers: Record<string, string>; body?: string }) =>
      tab.evaluate(
        async ([url, options]) => {
          const answer = await fetch(url, options);
          const names = ["content-range", "etag", "x-max-rows"];
          return {
            status: answer.status,
            told: names.map((name) => answer.headers.get(name)),
            text: await answer.text(),
          };
        },
        [`${inject("data").url}/dim_fylke?order=fylke_nr&limit=1`, init] as const,
      );
    const headers = { "Accept-Profile": "marts", Prefer: "count=exact" };
    const tag: unknown = expect.stringMatching(/^W\/"[0-9a-f]{32}"$/);
    const text = '[{"fylke_nr":"03","fylke_navn":"Oslo"}]';
    expect(await read({ headers })).toEqual({ status: 206, told: ["0-0/15", tag, "1000"], text });
    const head = await read({ method: "HEAD", headers });
    expect(head).toEqual({ status: 206, told: ["0-0/15", tag, "1000"], text: "" });
    await expect(read({ method: "POST", headers, body: "{}" })).rejects.toThrow("Failed to fetch");
    await expect(read({ headers: { "Accept-Profile": "private_marts" } })).rejects.toThrow("Failed to fetch");
  } finally {
    await browser.close();
    page.close();
  }
});

/** An empty page on an origin of its own. */
async function startPage(): Promise<Server> {
  const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<title>page</title>"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return server;
}
