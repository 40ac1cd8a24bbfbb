/** Answers to a user or a machine of no allowed group. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { UnsecuredJWT } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Exposure } from "../../../../infra/plan/types.ts";
import type { Check } from "../../../../ops/checks/check.ts";
import { checkWrongGroup, checkWrongMachine } from "../../../../ops/checks/verify/signInChecks.ts";
import type { TokenResponse } from "../../../../ops/clients/machineAccount.ts";

const AUTHORIZE = "/application/o/authorize/";
const DENIED = "<h1>Permission denied</h1><p>Request has been denied.</p>";

async function serve(name: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://${name}.localhost:${(server.address() as AddressInfo).port}`;
}

/**
 * Runs the check at a host that answers like this.
 * @param path where it redirects to, on the identity provider for the authorize endpoint; undefined = no redirect
 */
async function checked(status: number, body: string, path?: string): Promise<Check> {
  const provider = await serve("authentik", (_, response) => response.end("<h1>Ingen tilgang</h1>"));
  const url = await serve("app", (request, response) => {
    if (path === undefined || request.url === path) return response.writeHead(status).end(body);
    return response.writeHead(302, { location: path === AUTHORIZE ? `${provider}${path}` : path }).end();
  });
  return checkWrongGroup({ url } as Exposure, { username: "inge", password: "correct horse" }, provider);
}

test("passes for authentik's page at the authorize endpoint, whose status is 200, in any language", async () => {
  expect(await checked(200, "", AUTHORIZE)).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^200 from http:\/\/authentik\./) as string,
  });
});

test.each([400, 403])("passes for a %i of the outpost at its callback", async (status) => {
  expect(await checked(status, "", "/outpost.goauthentik.io/callback")).toMatchObject({ ok: true });
});

test.each([
  [200, "welcome"],
  [200, DENIED],
  [401, ""],
  [403, "Forbidden"],
  [404, "not found"],
  [500, ""],
])("fails for a %i of the application with the text %o", async (status, body) => {
  expect(await checked(status, body)).toMatchObject({
    ok: false,
    detail: expect.stringContaining(
      `expected a denial by the identity provider, got ${status} from http://app.`,
    ) as string,
  });
});

describe("a machine", () => {
  /** Runs the check at a gateway with this redirect, and an identity provider that answers like this. */
  async function denied(response: TokenResponse, location = `${AUTHORIZE}?client_id=wiki-client&scope=openid`) {
    const url = await serve("wiki", (_, response) => response.writeHead(302, { location }).end());
    const requested: string[] = [];
    const exposure = { url, entry: "wiki", groups: ["staff"], application: { name: "wiki", slug: "wiki-localhost" } };
    const check = await checkWrongMachine(exposure as unknown as Exposure, "verifier", (clientId) => {
      requested.push(clientId);
      return Promise.resolve(response);
    });
    expect(check.name).toBe(`verifier is denied at ${url}`);
    return { ...check, requested };
  }

  test("passes when it gets no token of the client that the gateway redirects to", async () => {
    expect(await denied({ status: 400, error: "invalid_grant" })).toMatchObject({
      ok: true,
      detail: "400 invalid_grant",
      requested: ["wiki-client"],
    });
  });

  test("fails with a token: names the entry, the application and how to restrict it, and not the token", async () => {
    const check = await denied({ status: 200, token: "canary" });
    expect(check).toMatchObject({
      ok: false,
      detail:
        'expected invalid_grant from the identity provider, got a token: application "wiki-localhost" of the service "wiki" admits users outside of its groups (staff)',
      hint: 'run npx gatehouse deploy with --refresh, which restores the binding of Gatehouse; then, in authentik, delete every other binding of application "wiki-localhost"',
    });
    expect(JSON.stringify(check)).not.toContain("canary");
  });

  test("fails with a token for an inherited group: names the group, and no binding", async () => {
    const additionalHeaders = { "X-idp-groups": "machines,staff" };
    const token = new UnsecuredJWT({ ak_proxy: { user_attributes: { additionalHeaders } } }).encode();
    expect(await denied({ status: 200, token })).toMatchObject({
      ok: false,
      detail:
        "expected invalid_grant from the identity provider, got a token: authentik counts it as a member of staff, through another group",
      hint: "add staff to the groups of service account verifier, or remove the parent of its group in authentik",
    });
  });

  test.each([
    [{ status: 400, error: "invalid_client" }, "400 invalid_client"],
    [{ status: 503 }, "503"],
  ])("fails for %o, which does not refuse this machine", async (response, observed) => {
    expect(await denied(response)).toMatchObject({
      ok: false,
      detail: `expected invalid_grant from the identity provider, got ${observed}`,
    });
  });

  test("fails without a redirect to the login", async () => {
    expect(await denied({ status: 400, error: "invalid_grant" }, "/elsewhere")).toMatchObject({
      ok: false,
      requested: [],
      detail: expect.stringMatching(/^expected a redirect to the login, got 302 → /) as string,
    });
  });
});
