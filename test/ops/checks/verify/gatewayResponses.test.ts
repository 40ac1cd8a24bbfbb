/** The gateway's own 404 and 503 pass no check that expects an application. */
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ExpectedExposure } from "../../../../infra/verification/target.ts";
import { checkBasic, checkMachine, checkSignIn, checkWrongGroup } from "../../../../ops/checks/verify/signInChecks.ts";
import type { Check } from "../../../../ops/checks/check.ts";
import { checkRoute } from "../../../../ops/checks/verify/gateway.ts";

const TEXT = "Content-Type: text/plain; charset=utf-8";
const SNIFF = "X-Content-Type-Options: nosniff";
const DATE = "Date: Sun, 22 Nov 2026 21:00:00 GMT";

/** In the order in which they arrive, as test/ops/clients/gatewayResponse.live.test.ts observes it. */
const ORDER = {
  own: (length: string) => [TEXT, SNIFF, DATE, length],
  "of an application in Go": (length: string) => [length, TEXT, DATE, SNIFF],
};

/** A path outside of the public one, and invalid credentials. */
const REFUSED = /\/\.\.%2F|gatehouse-invalid|Z2F0ZWhvdXNlLXVua25vd246d3Jvbmc=/;
const LOGIN = "302 Found\r\nLocation: http://authentik.localhost/application/o/authorize/?client_id=1";
const REALM = '401 Unauthorized\r\nWWW-Authenticate: Basic realm="legacy"';

/** A host that gives one answer to every request, and refuses some in this way. @returns its URL */
async function host(order: keyof typeof ORDER, status: number, body: string, refused = LOGIN): Promise<string> {
  const lines = [`HTTP/1.1 ${status} Status`, ...ORDER[order](`Content-Length: ${body.length}`), "", body];
  const refusal = `HTTP/1.1 ${refused}\r\nContent-Length: 0\r\n\r\n`;
  return serve((request) => (REFUSED.test(request) ? refusal : lines.join("\r\n")));
}

/** Answers each request with this text. @returns the URL */
async function serve(answer: (request: string) => string): Promise<string> {
  const server = createServer((socket) => {
    socket
      .setEncoding("utf8")
      .on("data", (request: string) => void socket.write(answer(request)))
      .on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://app.localhost:${(server.address() as AddressInfo).port}`;
}

const USER = { username: "inge", password: "correct horse", name: "Inge", email: "", groups: [] };
const expectation = { page: { kind: "application" }, refusals: [] };
const OF_APPLICATION = { role: "service", authentication: "forward-auth", expectation, publicPaths: ["/open"] };

const IDENTITY_PROVIDER = "http://authentik.localhost";

/** Checks of a response to a user or a machine: only a denial must not be the application's. */
async function checks(url: string): Promise<readonly Check[]> {
  const exposure = { ...OF_APPLICATION, url, host: new URL(url).host } as unknown as ExpectedExposure;
  return [
    ...(await checkRoute(exposure, IDENTITY_PROVIDER, () => undefined)),
    await checkSignIn(exposure, USER),
    await checkWrongGroup(exposure, USER, IDENTITY_PROVIDER),
    await checkBasic(exposure, USER, false),
    await checkMachine(exposure, USER, () => Promise.resolve("token")),
  ];
}

const CASES = [
  [404, "404 page not found\n"],
  [503, "no available server\n"],
] as const;

test.each(CASES)("fails for the gateway's own %i", async (status, body) => {
  const found = await checks(await host("own", status, body));
  expect(found.map(({ ok }) => ok)).toEqual(found.map(() => false));
  expect(found).toHaveLength(6);
  expect(found[0]?.detail).toContain(
    `expected a response of the application, got ${status}, the gateway's own response: its route, or the Service behind it, is missing or has no endpoint`,
  );
});

test.each([502, 503, 504])(
  "fails for a %i, which the gateway answers for an application that does not",
  async (status) => {
    const found = await checks(await host("of an application in Go", status, "Bad Gateway"));
    expect(found.map(({ ok }) => ok)).toEqual(found.map(() => false));
    expect(found[0]?.detail).toBe(
      `expected a response of the application, got ${status}, the application is not available, or does not respond to the gateway`,
    );
  },
);

test("passes for the same 404 of an application in Go, except as a denial", async () => {
  const url = await host("of an application in Go", ...CASES[0]);
  const failed = (await checks(url)).filter(({ ok }) => !ok);
  expect(failed).toMatchObject([
    { name: `inge is denied at ${url}`, detail: `expected a denial by the identity provider, got 404 from ${url}` },
  ]);
});

/** Checks the public path of a host that refuses a path outside of it in this way. */
async function checkOfPublicPath(status: number, refused: string, exposure: object) {
  const url = await host("of an application in Go", status, "", refused);
  const all = { ...OF_APPLICATION, ...exposure, url } as unknown as ExpectedExposure;
  const found = await checkRoute(all, IDENTITY_PROVIDER, () => undefined);
  const { ok, detail } = found.find(({ name }) => name === `${url}/open is open`) as Check;
  return { ok, detail };
}

describe("a public path", () => {
  const OPEN = "200 OK";
  const TOKEN = '401 Unauthorized\r\nWWW-Authenticate: Bearer realm="registry"';
  const page = { kind: "status", status: 401, header: { name: "www-authenticate", value: 'Basic realm="legacy"' } };
  const basic = { authentication: "basic-auth", expectation: { page, refusals: [] } };

  test("passes for a 401 of the application, which requires its own token", async () => {
    expect(await checkOfPublicPath(401, LOGIN, {})).toEqual({ ok: true, detail: "401" });
    expect(await checkOfPublicPath(401, REALM, basic)).toEqual({ ok: true, detail: "401" });
  });

  test.each([
    ["is open", OPEN, "200"],
    ["reaches the application, which requires its own token", TOKEN, "401"],
  ])("fails if a path that resolves to one outside of it %s", async (_, refused, observed) => {
    const detail = `expected a refusal of /open/..%2F, which many servers read as a path outside of /open, got ${observed}`;
    expect(await checkOfPublicPath(200, refused, {})).toEqual({ ok: false, detail });
    expect(await checkOfPublicPath(200, refused, basic)).toEqual({ ok: false, detail });
  });

  test("passes if the application authenticates all requests itself, so that the gateway refuses no path", async () => {
    expect(await checkOfPublicPath(200, OPEN, { authentication: "none" })).toEqual({ ok: true, detail: "200" });
  });

  test("fails if the gateway requires a login", async () => {
    const url = await serve(() => `HTTP/1.1 ${LOGIN}\r\nContent-Length: 0\r\n\r\n`);
    const exposure = { ...OF_APPLICATION, url } as unknown as ExpectedExposure;
    const [, path] = await checkRoute(exposure, IDENTITY_PROVIDER, () => undefined);
    expect([path?.ok, path?.detail]).toEqual([
      false,
      `expected a response of the application, got 302 → ${IDENTITY_PROVIDER}`,
    ]);
  });
});

test("fails if the application redirects to its own page instead of the login", async () => {
  const url = await serve(() => "HTTP/1.1 302 Found\r\nLocation: /dashboard\r\nContent-Length: 0\r\n\r\n");
  const exposure = { url, expectation: { page: { kind: "login" }, refusals: [] }, publicPaths: [] };
  const [page] = await checkRoute(exposure as unknown as ExpectedExposure, IDENTITY_PROVIDER, () => undefined);
  expect([page?.ok, page?.detail]).toEqual([
    false,
    `expected a redirect to ${IDENTITY_PROVIDER}/application/o/authorize/, got /dashboard`,
  ]);
});
