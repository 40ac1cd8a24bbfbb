/** Functions of the database, which no request can call. */
import { describe, expect, inject, test } from "vitest";
import { sendRequest } from "./apiClient.ts";
import { PRIVATE } from "./expectedResponses.ts";

const CALLS = [
  "/rpc/document",
  "/%72pc/document",
  "/rp%63/document",
  "/%72%70%63/document",
  "//rpc/document",
  "/rpc//document",
  "/rpc/../rpc/document",
  "/x/../rpc/document",
  "/./rpc/document",
  "/rpc/./document",
  "/%2e%2e/rpc/document",
  "/openapi.json/../rpc/document",
  "/rpc/document/",
  "/rpc/document?schema=marts",
  "/rpc/",
  "/rpc/pre_request",
  "/RPC/document",
  "/rpc;/document",
  "/rpc;x=y/document",
  "/rpc%2Fdocument",
  "/rpc%252Fdocument",
  "/rpc%5Cdocument",
  "/rpc%00/document",
  "/rpc%20/document",
  "/ rpc/document".replace(" ", "%20"),
  "/rpc/gatehouse.answer",
  "/document",
];

describe("a function", () => {
  test.each(CALLS)("rejects a call at %s", async (path) => {
    for (const schema of ["api_v1", "marts", "gatehouse_openapi", "gatehouse"]) {
      for (const method of ["GET", "HEAD", "POST"]) {
        const { status, body } = await sendRequest(`${method} ${path}`, { headers: { "Accept-Profile": schema } });
        expect([method, schema, [400, 404].includes(status) ? "refused" : status]).toEqual([method, schema, "refused"]);
        expect(body.replaceAll(decodeURIComponent(path).replace(/^\/(rpc\/)?/, ""), "")).not.toMatch(PRIVATE);
      }
    }
  });
});

// Traefik matches the path `/` for such a target; test/domains/controlsRoutes.test.ts shows what passes without the middlewares.
test.each([
  "x:http://other.test/rpc/document",
  "x:http://other.test/a/rp%63/document?schema=marts",
  "x:https://o.test/rpc",
])("a function rejects a call with the request target %s", async (target) => {
  const { status, headers } = await sendRequest(`GET ${target}`);
  expect([status, headers["location"]]).toEqual([302, "/"]);
});

test("a function rejects a call with a request target that is no URL behind the host", async () => {
  // Traefik appends it to the host: behind a port, this is no URL.
  const expected = new URL(inject("data").url).port === "" ? 302 : 502;
  expect((await sendRequest("GET x:y:/rp%63/document")).status).toBe(expected);
});
