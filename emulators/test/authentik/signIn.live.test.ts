import { createLocalJWKSet, jwtVerify } from "jose";
import type { JSONWebKeySet } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Authentik } from "../../authentik/server.ts";
import { Browser } from "./browser.ts";
import { app, call, deploy, hosts, origin, password, signIn, start, username, waiting } from "./deployment.ts";
import type { Json } from "./deployment.ts";

let authentik: Authentik;
let early: Response;

beforeAll(async () => {
  authentik = await start();
  early = await fetch(`${authentik.url}/api/v3/root/config/`, { headers: { accept: "application/json" } });
  await authentik.ready;
  await deploy(authentik.url);
});
afterAll(() => authentik.close());

// Each test here states what was measured on a real authentik 2026.5 (docs/authentik.md, How authentik behaves).
test("responds with 503 and JSON to an API client while the server starts", async () => {
  expect([early.status, await early.json()]).toEqual([503, { error: "authentik starting" }]);
});

describe("forward auth", () => {
  test("redirects to the authorize endpoint without a session, with state, scopes and the cookie of the provider", async () => {
    const answer = await new Browser(authentik.url, hosts).request(`${app}/x?y=1`);
    const location = new URL(answer.headers.get("location") ?? "");
    expect([answer.status, location.origin + location.pathname]).toEqual([302, `${origin}/application/o/authorize/`]);
    expect(location.searchParams.get("redirect_uri")).toBe(
      `${app}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true`,
    );
    const scopes = (location.searchParams.get("scope") ?? "").split(" ").sort();
    expect(scopes).toEqual(["ak_proxy", "email", "entitlements", "openid", "profile", "zy_broken", "zz_idp"]);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^authentik_proxy_[0-9a-f]{8}=[A-Z2-7]{52}; Path=\/; Expires=[^;]+; Max-Age=3601; HttpOnly; SameSite=Lax$/,
    );
  });

  test("allows open paths without identity, returns 404 for unknown hosts and 500 for a request without forwarding headers", async () => {
    const browser = new Browser(authentik.url, hosts);
    const open = await browser.request(`${app}/open/x`);
    expect([open.status, open.headers.get("x-authentik-username"), open.headers.get("x-idp-username")]).toEqual([
      200,
      null,
      null,
    ]);
    const unknown = await browser.request("http://unknown.localhost/");
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    expect(await unknown.text()).toContain("<h1>Not Found</h1>");
    const headers = { "x-forwarded-host": "whoami.localhost:8080" };
    const broken = await fetch(`${authentik.url}/outpost.goauthentik.io/auth/traefik`, { headers });
    expect([broken.status, await broken.text()]).toEqual([500, "configuration error\n"]);
    expect((await fetch(`${authentik.url}/outpost.goauthentik.io/ping`)).status).toBe(204);
  });

  test("returns to the requested address after a sign-in, with all headers and a JWT that the published keys verify", async () => {
    const browser = new Browser(authentik.url, hosts);
    const { url, answer } = await signIn(browser, `${app}/x?y=1`);
    expect([url, answer.status]).toEqual([`${app}/x?y=1`, 200]);
    const header = (name: string) => Buffer.from(answer.headers.get(name) ?? "missing", "latin1").toString();
    expect(header("x-authentik-username")).toBe("bob");
    expect(header("x-authentik-groups")).toBe("kommune");
    expect(header("x-authentik-entitlements")).toBe("");
    expect(header("x-authentik-email")).toBe("bob@x.test");
    expect(header("x-authentik-meta-app")).toBe("whoami");
    expect(header("x-idp-username")).toBe("bob");
    expect(header("x-idp-name")).toBe("Bø Å");
    expect(header("x-idp-groups").split(",").sort()).toEqual(["alle", "kommune"]);
    expect(header("x-idp-number")).toBe("");
    const keys = (await (await browser.request(`${origin}/application/o/identity/jwks/`)).json()) as JSONWebKeySet;
    const issuer = `${origin}/application/o/identity/`;
    const verified = await jwtVerify(header("x-idp-jwt"), createLocalJWKSet(keys), {
      issuer,
      audience: "identity",
      algorithms: ["RS256"],
    });
    expect(verified.payload).toMatchObject({ email: "bob@x.test", preferred_username: "bob", groups: ["kommune"] });
    expect((verified.payload.exp ?? 0) - (verified.payload.iat ?? 0)).toBe(12 * 3600);
  });

  test("ends sessions of the outpost at the sign-out, and that of authentik after the invalidation flow", async () => {
    const browser = new Browser(authentik.url, hosts);
    await signIn(browser, `${app}/`);
    const before = browser.set.length;
    const { url } = await browser.follow(`${app}/any?X-authentik-logout=true`);
    expect(url).toMatch(/^http:\/\/authentik\.localhost\/if\/flow\/default-invalidation-flow\/\?id_token_hint=/);
    expect(browser.set.slice(before)).toEqual([]);
    expect((await browser.request(`${origin}/`)).headers.get("location")).toBe("/if/user/");
    expect((await browser.request(`${app}/`)).status).toBe(302);
    expect(await browser.runFlow(url, [])).toMatchObject({ component: "xak-flow-redirect", to: "/" });
    expect((await browser.follow(`${origin}/`)).url).toContain("/if/flow/default-authentication-flow/");
    expect((await signIn(browser, `${app}/again`)).answer.status).toBe(200);
  });

  test("ends sessions with a delay after a sign-out from authentik", async () => {
    const browser = new Browser(authentik.url, hosts);
    await signIn(browser, `${app}/`);
    expect(await browser.runFlow(`${origin}/if/flow/default-invalidation-flow/`, [])).toMatchObject({ to: "/" });
    expect((await browser.request(`${app}/`)).status).toBe(200);
    await expect.poll(async () => (await browser.request(`${app}/`)).status, waiting).toBe(302);
  });

  test("serves an added provider later than it stops a removed one", async () => {
    const list = async (path: string) => (await call(authentik.url, "GET", path))["results"] as Json[];
    const [outpost] = await list("/outposts/instances/");
    const path = `/outposts/instances/${String(outpost?.["pk"])}/`;
    const before = outpost?.["providers"] as unknown[];
    const [like] = await list("/providers/proxy/?name__iexact=whoami");
    const { authorization_flow, invalidation_flow } = like ?? {};
    const flows = { authorization_flow, invalidation_flow };
    const sent = { name: "late", external_host: "http://late.localhost", mode: "forward_single", ...flows };
    const { pk } = await call(authentik.url, "POST", "/providers/proxy/", sent);
    await call(authentik.url, "POST", "/core/applications/", { name: "late", slug: "late", provider: pk });
    const status = async () =>
      (await new Browser(authentik.url, ["late.localhost"]).request("http://late.localhost/")).status;
    const duration = async (providers: unknown[], expected: number) => {
      const begin = Date.now();
      await call(authentik.url, "PATCH", path, { providers });
      expect(await status()).not.toBe(expected);
      await expect.poll(status, { ...waiting, interval: 20 }).toBe(expected);
      return Date.now() - begin;
    };
    expect(await duration([...before, pk], 302)).toBeGreaterThan(300);
    expect(await duration(before, 404)).toBeLessThan(1500);
  });

  test("denies a user outside the bound groups, without a code", async () => {
    const browser = new Browser(authentik.url, hosts);
    const { url, answer } = await signIn(browser, "http://closed.localhost/");
    expect(url).toContain(`${origin}/application/o/authorize/`);
    expect(await answer.text()).toContain("Permission denied");
    expect(browser.visited.some((address) => address.includes("code="))).toBe(false);
  });

  test("responds with 400 and an empty body to a callback with the state of another browser", async () => {
    const browser = new Browser(authentik.url, hosts);
    const answer = await browser.request(
      `${app}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true&code=x&state=y`,
    );
    expect([answer.status, await answer.text()]).toEqual([400, ""]);
    expect((await browser.request(`${app}/`)).status).toBe(302);
  });
});

describe("flow executor", () => {
  const page = `${origin}/if/flow/default-authentication-flow/?next=%2Fif%2Fuser%2F`;
  const wrong = { password: [{ string: "Invalid password", code: "invalid" }] };

  test.each(["bob", "unknown"])(
    "reports a wrong password of %s, and ends the attempt at the fifth one",
    async (name) => {
      const browser = new Browser(authentik.url, hosts);
      const tries = (count: number) => Array.from({ length: count }, () => password("wrong"));
      const answer = await browser.runFlow(page, [username(name), ...tries(4)]);
      expect(answer).toMatchObject({ component: "ak-stage-password", pending_user: name, response_errors: wrong });
      expect(await browser.runFlow(page, [password("wrong")])).toMatchObject({ component: "ak-stage-access-denied" });
      expect(await browser.runFlow(page, [])).toMatchObject({ component: "ak-stage-identification" });
    },
  );

  test("finds a user by a name that differs in case", async () => {
    const browser = new Browser(authentik.url, hosts);
    const answer = await browser.runFlow(page, [username("BOB"), password("right")]);
    expect(answer).toMatchObject({ component: "xak-flow-redirect" });
  });

  test("redirects to paths of authentik, and to addresses in which it finds no host", async () => {
    for (const next of ["https://evil.test/", "//evil.test/"]) {
      const browser = new Browser(authentik.url, hosts);
      const from = page.replace("%2Fif%2Fuser%2F", encodeURIComponent(next));
      const challenge = await browser.runFlow(from, [username("bob"), password("right")]);
      expect(challenge).toMatchObject({ component: "ak-stage-access-denied", error_message: "Invalid next URL" });
    }
    for (const [next, to] of [
      ["/if/user/", "/if/user/"],
      ["/\\evil.test", "/%5Cevil.test"],
      ["http:evil.test/", "http:evil.test/"],
      ["https:\\\\evil.test/", "https:%5C%5Cevil.test/"],
    ] as const) {
      const browser = new Browser(authentik.url, hosts);
      const from = page.replace("%2Fif%2Fuser%2F", encodeURIComponent(next));
      expect(await browser.runFlow(from, [username("bob"), password("right")])).toMatchObject({ to });
    }
  });

  test("redirects to itself after the password, and sets the device cookie at the login", async () => {
    const browser = new Browser(authentik.url, hosts);
    await browser.runFlow(page, [username("bob"), password("right")]);
    const executor = "/api/v3/flows/executor/default-authentication-flow/";
    const visits = browser.visited.filter((address) => new URL(address).pathname === executor).length;
    // GET, two POSTs with a GET each, and one GET more: the stage for a second factor is passed by itself.
    expect(visits).toBe(6);
    expect(browser.set.filter((line) => line.startsWith("authentik_device="))).toEqual([
      expect.stringMatching(/^authentik_device=[^;]+; Path=\/; Expires=[^;]+; SameSite=Lax$/),
    ]);
  });

  test("shows on its pages that it is an emulator", async () => {
    for (const path of ["/if/admin/", "/if/flow/default-authentication-flow/"]) {
      const answer = await fetch(authentik.url + path);
      expect([answer.status, (await answer.text()).includes("emulator of authentik")]).toEqual([200, true]);
    }
  });
});
