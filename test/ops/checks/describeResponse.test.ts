/** What a failed check shows of a response. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ExpectedExposure } from "../../../infra/verification/target.ts";
import { describeResponse } from "../../../ops/checks/describeResponse.ts";
import { checkRoute } from "../../../ops/checks/verify/gateway.ts";
import { problemLines } from "../../../ops/checks/verify/report.ts";

const url = "http://app.localhost/x?code=canary";

test("shows status, headers and the beginning of the visible text, without queries", () => {
  const headers = { "content-type": "text/html", location: "/login?state=canary", "set-cookie": "session=canary" };
  const body = `<html><head><style>p { color: red }</style><script>canary()</script></head><p>Not\n here</p>${"x".repeat(400)}`;
  expect(describeResponse({ url, status: 302, headers, body })).toBe(
    "http://app.localhost/x?… answered 302, location: http://app.localhost/login?…, content-type: text/html; " +
      `text: Not here ${"x".repeat(291)}…`,
  );
});

test("shows neither cookies nor tokens of a text, also where it is cut", () => {
  const token = `eyJhbGciOiJub25lIn0.${"a".repeat(400)}.sig`;
  const body = `GET / HTTP/1.1\nCookie: session=canary\nAuthorization: Basic Y2FuYXJ5\nX-idp-jwt: ${token}\n`;
  expect(describeResponse({ url: "http://app.localhost/", status: 200, headers: {}, body })).toBe(
    "http://app.localhost/ answered 200; text: GET / HTTP/1.1 Cookie: [redacted] Authorization: [redacted] X-idp-jwt: [redacted]",
  );
});

test("states that a response has no text", () => {
  expect(describeResponse({ url: "http://app.localhost/", status: 204, headers: {}, body: "" })).toBe(
    "http://app.localhost/ answered 204; no text",
  );
});

test("prints the last response of a failed check", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end("Welcome");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const host = `app.localhost:${(server.address() as AddressInfo).port}`;
  const expectation = { page: { kind: "login" }, refusals: [] };
  const exposure = { role: "service", expectation, publicPaths: [], host, url: `http://${host}` };
  const [failed] = await checkRoute(
    exposure as unknown as ExpectedExposure,
    "http://authentik.localhost",
    () => undefined,
  );
  const response = `http://${host}/ answered 200, content-type: text/plain; text: Welcome`;
  const name = `http://${host} without a session`;
  expect(failed).toEqual({ name, ok: false, detail: "expected status 302, got 200", response });
  const results = failed
    ? [{ ...failed, kind: "routes" as const, subject: `http://${host}`, hint: "deploy again" }]
    : [];
  expect(problemLines(results, "failed", (_, text) => text)).toEqual([
    `✖ ${name}: expected status 302, got 200`,
    `    ${response}`,
    "    deploy again",
  ]);
});
