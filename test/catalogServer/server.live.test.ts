import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DATA, LIMITS, PAGE, type RunningCatalog, SCRIPT, startCatalog } from "./runningServer.ts";

/** On every response; the policy is that of a host of no domain. */
const SECURITY = {
  "content-security-policy": [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'",
    `connect-src 'self' ${DATA}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "require-trusted-types-for 'script'; trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-frame-options": "DENY",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};
const SCRIPT_PATH = "/assets/main-1.js";
const HTML = "text/html; charset=utf-8";
const withoutDate = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "date" && name !== "connection"));

describe("at the root", () => {
  let server: RunningCatalog;
  beforeAll(async () => {
    server = await startCatalog();
  });
  afterAll(() => server.stop());

  test("serves a script as immutable, with exactly these headers", async () => {
    const { status, headers, body } = await server.ask(SCRIPT_PATH);
    expect([status, body.toString()]).toEqual([200, SCRIPT]);
    expect(withoutDate(headers)).toEqual({
      ...SECURITY,
      "cache-control": "public, max-age=31536000, immutable",
      "content-length": String(Buffer.byteLength(SCRIPT)),
      "content-type": "text/javascript; charset=utf-8",
      etag: expect.stringMatching(/^"[\w-]{22}-identity"$/) as string,
      vary: "Accept-Encoding",
    });
  });

  test.each([
    ["br", "br"],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["gzip;q=0.5, br;q=0.9", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["zstd", undefined],
    ["identity", undefined],
  ])("compresses a response to Accept-Encoding: %s with %s", async (accepted, encoding) => {
    const { headers, body } = await server.ask(SCRIPT_PATH, { "Accept-Encoding": accepted });
    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers["content-length"]).toBe(String(body.length));
    const plain = encoding === "br" ? brotliDecompressSync(body) : encoding === "gzip" ? gunzipSync(body) : body;
    expect(plain.toString()).toBe(SCRIPT);
    expect(body.length < Buffer.byteLength(SCRIPT)).toBe(encoding !== undefined);
  });

  test("has an ETag for each encoding, and returns 304 for unchanged content", async () => {
    const br = { "Accept-Encoding": "br" };
    const tags = [(await server.ask(SCRIPT_PATH)).headers.etag, (await server.ask(SCRIPT_PATH, br)).headers.etag];
    expect(new Set(tags).size).toBe(2);
    const tag = String(tags[1]);
    for (const sent of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const { status, headers, body } = await server.ask(SCRIPT_PATH, { ...br, "If-None-Match": sent });
      expect([status, body.length]).toEqual([304, 0]);
      expect(withoutDate(headers)).toEqual({
        ...SECURITY,
        "cache-control": "public, max-age=31536000, immutable",
        etag: tag,
        vary: "Accept-Encoding",
      });
    }
    for (const sent of ['"other"', String(tags[0])]) {
      expect((await server.ask(SCRIPT_PATH, { ...br, "If-None-Match": sent })).status).toBe(200);
    }
  });

  test.each([
    ["/data"],
    ["/data/"],
    ["/data?tag=topic:people&tag=geo:kommune&q=a%20b"],
    ["/data/api_v1/meta_endpoints"],
    ["/data/raw/%C3%A5%2Fb%00"],
    ["/sources/ssb_07459"],
    ["/contract"],
    ["/about"],
    ["/about/limits"],
  ])("serves the page at %s with no-cache", async (path) => {
    const { status, headers, body } = await server.ask(path);
    expect([status, body.toString()]).toEqual([200, PAGE.replaceAll('="./assets/main', '="/assets/main')]);
    expect(withoutDate(headers)).toEqual({
      ...SECURITY,
      "cache-control": "no-cache",
      "content-length": String(body.length),
      "content-type": HTML,
      etag: expect.stringMatching(/^"[\w-]{22}-identity"$/) as string,
      vary: "Accept-Encoding",
    });
  });

  test.each([
    ["/contract.json", "application/json", "{}\n"],
    ["/changelog.md", "text/markdown; charset=utf-8", "# Changes\n"],
    ["/assets/main-1.css", "text/css; charset=utf-8", "body{}\n"],
    ["/config.json", "application/json", JSON.stringify({ baseUrl: DATA, limits: LIMITS })],
    ["/healthz", "text/plain; charset=UTF-8", "ok\n"],
  ])("serves %s as %s", async (path, type, text) => {
    const { status, headers, body } = await server.ask(path);
    expect([status, headers["content-type"], body.toString()]).toEqual([200, type, text]);
  });

  test.each([["/"], ["/?q=1"]])("redirects %s to the list", async (path) => {
    const { status, headers } = await server.ask(path);
    expect([status, headers.location, headers["cache-control"]]).toEqual([302, "/data", "no-cache"]);
    expect(headers).toMatchObject(SECURITY);
  });

  test.each([
    ["/index.html"],
    ["/index.html.br"],
    ["/server.mjs"],
    ["/assets/plain.js"],
    ["/assets/"],
    ["/assets"],
    ["/assets/main-1.js/"],
    ["/assets/main-1.js.br"],
    ["/database"],
    ["/DATA"],
    ["/..2026_11_21/server.mjs"],
    ["/__proto__"],
    ["/assets/%00"],
    ["/%5c..%5cserver.mjs"],
  ])("returns 404 for %s", async (path) => {
    const { status, headers, body } = await server.ask(path);
    expect([status, body.toString()]).toEqual([404, "not found\n"]);
    expect(headers).toMatchObject({ ...SECURITY, "content-type": "text/plain; charset=UTF-8" });
  });

  test.each([
    ["/../server.mjs"],
    ["/assets/../server.mjs"],
    ["/assets/../../../../../../etc/passwd"],
    ["/%2e%2e/server.mjs"],
    ["/assets/..%2fserver.mjs"],
    ["/assets/%2e%2e%2fserver.mjs"],
    ["//server.mjs"],
    ["/./server.mjs"],
    ["/assets\\..\\server.mjs"],
    ["/%"],
    ["/%ff"],
    [`/${"a".repeat(10_000)}`],
  ])("returns no unserved file for %.60s", async (path) => {
    const { status, body } = await server.ask(path);
    expect([400, 404]).toContain(status);
    expect(body.toString()).not.toMatch(/secret|root:/);
  });

  test("resolves dot segments before it looks up a file", async () => {
    expect((await server.ask("/assets/../contract.json")).body.toString()).toBe("{}\n");
  });

  test("returns the headers of GET for HEAD, without a body", async () => {
    for (const path of [SCRIPT_PATH, "/data", "/config.json", "/nowhere", "/"]) {
      const encoding = { "Accept-Encoding": "br" };
      const [get, head] = [await server.ask(path, encoding), await server.ask(path, encoding, "HEAD")];
      expect([head.status, head.body.length]).toEqual([get.status, 0]);
      expect(withoutDate({ ...get.headers, ...head.headers })).toEqual(withoutDate(get.headers));
    }
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"])("rejects %s at every path", async (method) => {
    for (const path of ["/data", SCRIPT_PATH, "/config.json", "/healthz", "/nowhere"]) {
      const { status, headers } = await server.ask(path, {}, method);
      expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
      expect(headers).toMatchObject(SECURITY);
    }
  });
});
