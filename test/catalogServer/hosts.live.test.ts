import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DATA, LIMITS, PAGE, type RunningCatalog, SCRIPT, startCatalog } from "./runningServer.ts";

const SCRIPT_PATH = "/assets/main-1.js";

describe("on several domains", () => {
  let server: RunningCatalog;
  const MESH = "https://data.mesh.example.org";
  beforeAll(async () => {
    const urls = {
      "catalog.mesh.example.org": MESH,
      "catalog.localhost:8080": "http://data.localhost:8080/",
      "catalog.example.org": "https://data.example.org:8443",
    };
    server = await startCatalog({ BASE_URLS: JSON.stringify(urls), DEFAULT_BASE_URL: "https://data.example.org" });
  });
  afterAll(() => server.stop());

  test.each([
    ["catalog.mesh.example.org", MESH],
    ["catalog.mesh.example.org:443", MESH],
    ["CATALOG.Mesh.example.org", MESH],
    ["catalog.localhost:8080", "http://data.localhost:8080"],
    ["catalog.example.org", "https://data.example.org:8443"],
    ["catalog.localhost", "https://data.example.org"],
    ["10.0.0.7:8080", "https://data.example.org"],
    ["evil.example", "https://data.example.org"],
    ["__proto__", "https://data.example.org"],
  ])("allows the page of %s to connect to %s only", async (host, baseUrl) => {
    const config = await server.ask("/config.json", { Host: host });
    expect([config.status, config.headers["cache-control"]]).toEqual([200, "no-cache"]);
    expect(config.body.toString()).toBe(JSON.stringify({ baseUrl, limits: LIMITS }));
    const page = await server.ask("/data", { Host: host });
    const policy = String(page.headers["content-security-policy"]).split("; ");
    expect(policy.filter((directive) => directive.startsWith("connect-src"))).toEqual([
      `connect-src 'self' ${baseUrl}`,
    ]);
  });

  test.each([["a b"], ["x/../y"], ["evil.example; script-src *"], ["[::1"]])(
    "rejects an invalid host, which no header contains: %s",
    async (host) => {
      const { status, headers } = await server.ask("/data", { Host: host });
      expect(status).toBe(400);
      expect(JSON.stringify(headers)).not.toContain(host);
    },
  );
});

describe("below a path", () => {
  let server: RunningCatalog;
  beforeAll(async () => {
    server = await startCatalog({ BASE_PATH: "/explore/it/" });
  });
  afterAll(() => server.stop());

  test.each([["/"], ["/explore/it"], ["/explore/it/"]])("redirects %s to the list", async (path) => {
    const { status, headers } = await server.ask(path);
    expect([status, headers.location]).toEqual([302, "/explore/it/data"]);
  });

  test("serves the page, its scripts and config.json below the base path", async () => {
    const { status, body } = await server.ask("/explore/it/data/api_v1/x");
    expect([status, body.toString()]).toEqual([200, PAGE.replaceAll('="./assets/main', '="/explore/it/assets/main')]);
    const compressed = await server.ask("/explore/it/data", { "Accept-Encoding": "br" });
    expect(brotliDecompressSync(compressed.body).toString()).toBe(body.toString());
    const script = await server.ask(`/explore/it${SCRIPT_PATH}`);
    expect([script.status, script.body.toString()]).toEqual([200, SCRIPT]);
    expect((await server.ask("/explore/it/config.json")).body.toString()).toBe(
      JSON.stringify({ baseUrl: DATA, limits: LIMITS }),
    );
  });

  test.each([["/data"], [SCRIPT_PATH], ["/config.json"], ["/explore"], ["/explore/data"], ["/explore/itdata"]])(
    "returns 404 for %s",
    async (path) => expect((await server.ask(path)).status).toBe(404),
  );

  test("serves /healthz at the root", async () => {
    expect((await server.ask("/healthz")).status).toBe(200);
  });
});
