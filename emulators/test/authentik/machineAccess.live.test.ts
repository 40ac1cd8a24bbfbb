import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import type { JSONWebKeySet } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Authentik } from "../../authentik/server.ts";
import { Browser } from "./browser.ts";
import { app, call, deploy, hosts, origin, start } from "./deployment.ts";
import type { Json } from "./deployment.ts";

let authentik: Authentik;
let account: number;
const clients = new Map<string, string>();
const closed = "http://closed.localhost";

const api = (method: string, path: string, body?: Json) => call(authentik.url, method, path, body);
const key = async (identifier: string) => (await api("GET", `/core/tokens/${identifier}/view_key/`))["key"] as string;

beforeAll(async () => {
  authentik = await start();
  await authentik.ready;
  await deploy(authentik.url);
  account = (await api("POST", "/core/users/", { username: "robot", name: "Robot", type: "service_account" }))[
    "pk"
  ] as number;
  const token = { user: account, expiring: false };
  await api("POST", "/core/tokens/", { ...token, identifier: "robot-app", intent: "app_password" });
  await api("POST", "/core/tokens/", { ...token, identifier: "robot-api", intent: "api" });
  const past = { expiring: true, expires: "2020-01-01T00:00:00Z" };
  await api("POST", "/core/tokens/", { ...token, ...past, identifier: "robot-old", intent: "app_password" });
  for (const one of (await api("GET", "/providers/proxy/"))["results"] as Json[]) {
    clients.set(one["name"] as string, one["client_id"] as string);
  }
});
afterAll(() => authentik.close());

async function ask(form: Record<string, string>): Promise<{ status: number; body: Json }> {
  const body = new URLSearchParams({ grant_type: "client_credentials", ...form });
  const headers = { "x-forwarded-host": new URL(origin).host };
  const answer = await fetch(`${authentik.url}/application/o/token/`, { method: "POST", headers, body });
  return { status: answer.status, body: (await answer.json()) as Json };
}

/** The form with which a service account requests a token for an application. */
const form = async (application: string, identifier = "robot-app") => ({
  client_id: clients.get(application) ?? application,
  username: "robot",
  password: await key(identifier),
  scope: "openid profile nonsense",
});

const bearer = (token: unknown) => `Bearer ${String(token)}`;
const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`;

/** Sends a request with an Authorization header to an application, in a fresh browser unless one is given. */
function visit(address: string, authorization: string, browser = new Browser(authentik.url, hosts)): Promise<Response> {
  return browser.request(address, { headers: { authorization } });
}

/** The same at the endpoint for nginx. */
function visitNginx(host: string, authorization: string): Promise<Response> {
  const headers = { "x-forwarded-host": host, "x-original-uri": "/", authorization };
  return fetch(`${authentik.url}/outpost.goauthentik.io/auth/nginx`, { headers });
}

describe("a service account's app password", () => {
  test("is exchanged for a token of an application, with the scopes of its provider", async () => {
    const { status, body } = await ask(await form("whoami"));
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "openid profile" });
    const claims = decodeJwt(body["access_token"] as string);
    expect(claims).toMatchObject({
      iss: `${origin}/application/o/whoami/`,
      aud: clients.get("whoami"),
      preferred_username: "robot",
      groups: [],
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
    expect(claims).not.toHaveProperty("email");
  });

  test("gets a token of an OAuth2 provider that the published keys verify", async () => {
    const { body } = await ask(await form("identity"));
    const browser = new Browser(authentik.url, hosts);
    const keys = (await (await browser.request(`${origin}/application/o/identity/jwks/`)).json()) as JSONWebKeySet;
    const expected = { issuer: `${origin}/application/o/identity/`, audience: "identity", algorithms: ["RS256"] };
    const { payload } = await jwtVerify(body["access_token"] as string, createLocalJWKSet(keys), expected);
    expect(payload["preferred_username"]).toBe("robot");
  });

  test.each([
    ["the password of another user", { username: "bob" }],
    ["a wrong one", { password: "wrong" }],
    ["an empty one", { password: "" }],
  ])("rejects %s with invalid_grant", async (_, wrong) => {
    expect(await ask({ ...(await form("whoami")), ...wrong })).toEqual({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });

  test.each(["robot-api", "robot-old"])("rejects %s: an API key, and an expired password", async (identifier) => {
    expect(await ask(await form("whoami", identifier))).toEqual({ status: 400, body: { error: "invalid_grant" } });
  });
});

describe("Authorization at the outpost", () => {
  test("allows a bearer token, with identity, and creates a session", async () => {
    const token = (await ask(await form("whoami"))).body["access_token"];
    const browser = new Browser(authentik.url, hosts);
    const answer = await visit(`${app}/x`, bearer(token), browser);
    expect([answer.status, answer.headers.get("x-authentik-username")]).toEqual([200, "robot"]);
    expect(answer.headers.get("x-authentik-jwt")).toBe(token);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^authentik_proxy_[0-9a-f]{8}=.+; Max-Age=3601; /);
    const again = await browser.request(`${app}/y`);
    expect([again.status, again.headers.get("x-authentik-username")]).toEqual([200, "robot"]);
    expect((await visit(`${app}/x`, bearer(token))).headers.getSetCookie()).toEqual([]);
    expect((await visitNginx(new URL(app).host, bearer(token))).status).toBe(200);
  });

  test("allows the app password with Basic, or a token as password of goauthentik.io/token", async () => {
    const answer = await visit(app, basic("robot", await key("robot-app")));
    expect([answer.status, answer.headers.get("x-authentik-username")]).toEqual([200, "robot"]);
    expect(answer.headers.get("x-idp-username")).toBe("robot");
    const token = (await ask(await form("whoami"))).body["access_token"] as string;
    expect((await visit(app, basic("goauthentik.io/token", token))).status).toBe(200);
  });

  test("returns 302 to Traefik and 401 to nginx for invalid credentials, as without a session", async () => {
    const other = (await ask(await form("identity"))).body["access_token"];
    const wrong = [
      bearer("x"),
      bearer(other),
      basic("robot", "wrong"),
      basic("bob", "right"),
      "Basic %",
      "Negotiate x",
    ];
    for (const authorization of wrong) {
      const answer = await visit(app, authorization);
      expect([authorization, answer.status, answer.headers.get("x-authentik-username")]).toEqual([
        authorization,
        302,
        null,
      ]);
      expect((await visitNginx(new URL(app).host, authorization)).status).toBe(401);
    }
  });

  test("accepts a deleted app password for a minute, which is cached that long", async () => {
    const token = { identifier: "short-lived", user: account, intent: "app_password", expiring: false };
    await api("POST", "/core/tokens/", token);
    const authorization = basic("robot", await key("short-lived"));
    expect((await visit(app, authorization)).status).toBe(200);
    await api("DELETE", "/core/tokens/short-lived/");
    expect((await visit(app, authorization)).status).toBe(200);
    expect(await ask({ ...(await form("whoami")), password: "short-lived" })).toMatchObject({ status: 400 });
  });
});

test("applies the groups of an application to service accounts", async () => {
  const authorization = basic("robot", await key("robot-app"));
  expect(await ask(await form("closed"))).toEqual({ status: 400, body: { error: "invalid_grant" } });
  expect((await visit(closed, authorization)).status).toBe(302);
  const whoami = (await ask(await form("whoami"))).body["access_token"];
  expect((await visit(closed, bearer(whoami))).status).toBe(302);
  const admins = ((await api("GET", "/core/groups/?name=authentik+Admins"))["results"] as Json[])[0]?.["pk"];
  await api("PATCH", `/core/users/${account}/`, { groups: [admins] });
  expect((await visit(closed, authorization)).status).toBe(200);
  expect((await ask(await form("closed"))).status).toBe(200);
});
