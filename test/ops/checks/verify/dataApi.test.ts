import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { withClient } from "../../../../ops/clients/http.ts";
import { check } from "../../../../ops/checks/check.ts";
import { caching, checkDataApi } from "../../../../ops/checks/verify/dataApi.ts";
import { LockedError, retryDelay, retrying } from "../../../../ops/checks/verify/dataApiRequests.ts";

const server = createServer();
afterEach(() => server.removeAllListeners("request").close());

/** @param tagOf tag of the response to the n-th request, from 0 */
async function checkWith(tagOf: (request: number) => string, confirms = true, maxRows = 1000) {
  let requests = 0;
  const response: RequestListener = (request, response) => {
    const tag = tagOf(requests++);
    const isKnown = confirms && request.headers["if-none-match"] === tag;
    response.writeHead(isKnown ? 304 : 200, { etag: tag, "x-max-rows": "1000" }).end();
  };
  server.on("request", response);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { ok, detail } = await withClient((client) =>
    check("caching", () => caching((path, options) => client.send(url + path, options), maxRows)),
  );
  return { ok, detail, requests };
}

test("passes when the response is unchanged", async () => {
  expect(await checkWith(() => '"a"')).toEqual({ ok: true, detail: 'ETag "a", X-Max-Rows 1000', requests: 2 });
});

test("passes when writes change the first three responses", async () => {
  const found = await checkWith((request) => `"${Math.min(request, 3)}"`);
  expect(found).toEqual({ ok: true, detail: 'ETag "3", X-Max-Rows 1000', requests: 5 });
});

test("fails when an unchanged response is sent again", async () => {
  const detail = "expected status 304 for an unchanged response, got 200 with 1 different tags";
  expect(await checkWith(() => '"a"', false)).toEqual({ ok: false, detail, requests: 2 });
});

test("fails when each response has another tag", async () => {
  const detail = "expected status 304 for an unchanged response, got 200 with 10 different tags";
  expect(await checkWith((request) => `"${request}"`)).toEqual({ ok: false, detail, requests: 11 });
});

test("fails for another maximum number of rows than the plan's", async () => {
  const detail = 'expected X-Max-Rows "500", got "1000"';
  expect(await checkWith(() => '"a"', true, 500)).toEqual({ ok: false, detail, requests: 1 });
});

test.each([
  [undefined, 1_000],
  ["3", 3_000],
  ["86400", 10_000],
  ["Wed, 25 Nov 2026 19:00:00 GMT", 1_000],
])("waits after a 429 response with Retry-After %s for %i ms", (header, delay) => {
  expect(retryDelay(header)).toBe(delay);
});

const LOCKED = {
  status: 500,
  headers: {},
  body: '{"code":"55P03","message":"canceling statement due to lock timeout"}',
};
const ROWS = { status: 200, headers: {}, body: "[]" };

test.each(["GET", "HEAD"])(
  "sends a %s request again while a writer locks the relation, for a limited time",
  async (method) => {
    let locked = 3;
    const sent: string[] = [];
    const send = retrying((path, options) => {
      sent.push(`${options?.method} ${path}`);
      const response = locked > 0 ? LOCKED : ROWS;
      if (options?.method === method) locked -= 1;
      return Promise.resolve({ url: path, ...response, ...(options?.method === "HEAD" && { body: "" }) });
    }, 1200);
    expect((await send("/a", { method })).status).toBe(200);
    expect(sent.filter((request) => request.startsWith(method))).toHaveLength(4);
    locked = Infinity;
    await expect(send("/a", { method })).rejects.toEqual(new LockedError("/a"));
  },
);

test("returns another error of the database at once", async () => {
  let requests = 0;
  const body = '{"code":"57014"}';
  const send = retrying((url) => Promise.resolve({ url, status: 500, headers: {}, body, requests: ++requests }), 1000);
  expect([(await send("/a")).status, requests]).toEqual([500, 1]);
});

/**
 * Returns the check of schema `api`.
 * @param described relations at the n-th request for the description, from 0
 * @param locked relations that a writer locks
 */
async function checkSchema(described: (request: number) => readonly string[], locked: readonly string[] = []) {
  let requests = 0;
  server.on("request", (request, response) => {
    const path = request.url?.replace(/^[/]|[?].*/g, "") ?? "";
    if (path === "") {
      const paths = Object.fromEntries(described(requests++).map((relation) => [`/${relation}`, {}]));
      response.end(JSON.stringify({ swagger: "2.0", paths }));
    } else if (locked.includes(path)) response.writeHead(500).end(LOCKED.body);
    else if (path === "a") response.writeHead(200, { "content-range": "*/0" }).end("[]");
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const checks = await checkDataApi(url, { exposed: ["api"], hidden: [] }, 1000, { locked: 0, changed: 1 });
  return checks.find(({ name }) => name === `${url} schema api`);
}

test("passes when a pipeline drops a relation after its description was read", async () => {
  const found = await checkSchema((request) => (request === 0 ? ["a", "b"] : ["a"]));
  expect(found).toMatchObject({ ok: true, detail: "1 relations with rows and counts" });
});

test("fails when a described relation does not exist", async () => {
  expect(await checkSchema(() => ["a", "b"])).toMatchObject({ ok: false, detail: "expected status of b 200, got 404" });
});

test("skips a schema with relations that a writer locks, but not if another one fails", async () => {
  expect(await checkSchema(() => ["b", "a", "c"], ["b", "c"])).toMatchObject({
    ok: true,
    skipped: true,
    detail: "locked by a writer: b, c",
    hint: "run npx gatehouse verify again after the pipeline has ended",
  });
  server.removeAllListeners("request").close();
  const found = await checkSchema(() => ["b", "c"], ["b"]);
  expect([found?.ok, found?.skipped, found?.detail]).toEqual([false, undefined, "expected status of c 200, got 404"]);
});

test.each([
  ["404 page not found\n", true, "404 for writes and functions"],
  [
    '{"code":"PGRST202","message":"Could not find the function"}',
    false,
    "expected a function without a route, got 404 of PostgREST",
  ],
])("expects that a function has no route: 404 with %j", async (body, ok, detail) => {
  server.on("request", (_, response) => response.writeHead(404).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const checks = await checkDataApi(url, { exposed: ["api"], hidden: [] }, 1000, { locked: 0, changed: 1 });
  expect(checks.find(({ name }) => name === `${url} is read only`)).toMatchObject({ ok, detail });
});
