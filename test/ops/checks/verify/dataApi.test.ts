import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { withClient } from "../../../../ops/clients/http.ts";
import { check } from "../../../../ops/checks/check.ts";
import { caching, retryDelay } from "../../../../ops/checks/verify/dataApi.ts";

const server = createServer();
afterEach(() => server.removeAllListeners("request").close());

/** @param tagOf tag of the response to the n-th request, from 0 */
async function checkWith(tagOf: (request: number) => string, confirms = true) {
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
    check("caching", () => caching((path, options) => client.send(url + path, options))),
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

test.each([
  [undefined, 1_000],
  ["3", 3_000],
  ["86400", 10_000],
  ["Wed, 25 Nov 2026 19:00:00 GMT", 1_000],
])("waits after a 429 response with Retry-After %s for %i ms", (header, delay) => {
  expect(retryDelay(header)).toBe(delay);
});
