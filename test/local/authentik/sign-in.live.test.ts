import { createLocalJWKSet, jwtVerify } from "jose";
import type { JSONWebKeySet } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Authentik } from "../../../local/authentik/server.ts";
import { Browser } from "./browser.ts";
import { app, deploy, hosts, origin, password, signIn, start, username } from "./deployment.ts";

let authentik: Authentik;
let early: Response;

beforeAll(async () => {
  authentik = await start();
  early = await fetch(`${authentik.url}/api/v3/root/config/`, { headers: { accept: "application/json" } });
  await authentik.ready;
  await deploy(authentik.url);
}, 60_000);
afterAll(() => authentik.close(), 30_000);

test("while it starts, API clients get 200 and an error in the body", async () => {
  expect([early.status, await early.json()]).toEqual([200, { error: "authentik starting" }]);
});

describe("forward auth", () => {
  test("without a session: 302 to the authorize endpoint, with state, scopes and the provider's cookie", async () => {
    const answer = await new Browser(authentik.url, hosts).request(`${app}/x?y=1`);
    const location = new URL(answer.headers.get("location") ?? "");
    expect([answer.status, location.origin + location.pathname]).toEqual([302, `${origin}/application/o/authorize/`]);
    expect(location.searchParams.get("redirect_uri")).toBe(
      `${app}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true`,
    );
    const scopes = (location.searchParams.get("scope") ?? "").split(" ").sort();
    expect(scopes).toEqual(["ak_proxy", "email", "entitlements", "openid", "profile", "zy_broken", "zz_idp"]);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^authentik_proxy_[0-9a-f]{8}=[^;]+; Max-Age=86401; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test("open paths pass without identity, unknown hosts get 400 and broken forwards 500", async () => {
    const browser = new Browser(authentik.url, hosts);
    const open = await browser.request(`${app}/open/x`);
    expect([open.status, open.headers.get("x-authentik-username"), open.headers.get("x-idp-username")]).toEqual([
      200,
      null,
      null,
    ]);
    const unknown = await browser.request("http://stranger.localhost/");
    expect(unknown.status).toBe(400);
    expect(await unknown.text()).toContain('{\n\t"Message": "no app for hostname",\n\t"Host": "stranger.localhost"');
    const headers = { "x-forwarded-host": "whoami.localhost:8080" };
    const broken = await fetch(`${authentik.url}/outpost.goauthentik.io/auth/traefik`, { headers });
    expect([broken.status, await broken.text()]).toEqual([500, "configuration error"]);
    expect((await fetch(`${authentik.url}/outpost.goauthentik.io/ping`)).status).toBe(204);
  });

  test("sign-in ends on the address first asked for, with all headers; the JWT verifies against the published keys", async () => {
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

  test("sign-out ends the session with the application and with authentik", async () => {
    const browser = new Browser(authentik.url, hosts);
    await signIn(browser, `${app}/`);
    const { url } = await browser.follow(`${app}/any?X-authentik-logout=true`);
    expect(url).toMatch(/^http:\/\/authentik\.localhost\/application\/o\/whoami\/end-session\/\?id_token_hint=/);
    expect((await browser.request(`${app}/`)).status).toBe(302);
    expect((await browser.follow(`${app}/`)).url).toContain("/if/flow/default-authentication-flow/");
  });

  test("signing out of authentik itself ends the application's session too", async () => {
    const browser = new Browser(authentik.url, hosts);
    await signIn(browser, `${app}/`);
    expect(await browser.runFlow(`${origin}/if/flow/default-invalidation-flow/`, [])).toMatchObject({ to: "/" });
    expect((await browser.request(`${app}/`)).status).toBe(302);
  });

  test("who is in none of the bound groups is denied and gets no code", async () => {
    const browser = new Browser(authentik.url, hosts);
    const { url, answer } = await signIn(browser, "http://closed.localhost/");
    expect(url).toContain(`${origin}/application/o/authorize/`);
    expect(await answer.text()).toContain("Permission denied");
    expect(browser.visited.some((address) => address.includes("code="))).toBe(false);
  });

  test("a callback with a foreign state goes back to the application and makes no session", async () => {
    const browser = new Browser(authentik.url, hosts);
    const answer = await browser.request(
      `${app}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true&code=x&state=y`,
    );
    expect([answer.status, answer.headers.get("location")]).toEqual([302, app]);
    expect((await browser.request(`${app}/`)).status).toBe(302);
  });
});

describe("flow executor", () => {
  const page = `${origin}/if/flow/default-authentication-flow/?next=%2Fif%2Fuser%2F`;
  const wrong = { password: [{ string: "Invalid password", code: "invalid" }] };

  test.each(["bob", "nobody"])("a wrong password of %s is told, and the fifth one ends the attempt", async (name) => {
    const browser = new Browser(authentik.url, hosts);
    const tries = (count: number) => Array.from({ length: count }, () => password("wrong"));
    const told = await browser.runFlow(page, [username(name), ...tries(4)]);
    expect(told).toMatchObject({ component: "ak-stage-password", pending_user: name, response_errors: wrong });
    expect(await browser.runFlow(page, [password("wrong")])).toMatchObject({ component: "ak-stage-access-denied" });
    expect(await browser.runFlow(page, [])).toMatchObject({ component: "ak-stage-identification" });
  });

  test("next leads to own pages only", async () => {
    const browser = new Browser(authentik.url, hosts);
    for (const next of ["https://evil.test/", "//evil.test/", "/\\evil.test"]) {
      const challenge = await browser.runFlow(page.replace("%2Fif%2Fuser%2F", encodeURIComponent(next)), []);
      expect(challenge).toMatchObject({ component: "ak-stage-access-denied", error_message: "Invalid next URL" });
    }
    expect(await browser.runFlow(page, [username("bob"), password("right")])).toMatchObject({ to: "/if/user/" });
  });

  test("pages say that this is a stand-in", async () => {
    for (const path of ["/if/admin/", "/if/flow/default-authentication-flow/"]) {
      const answer = await fetch(authentik.url + path);
      expect([answer.status, (await answer.text()).includes("stand-in for authentik")]).toEqual([200, true]);
    }
  });
});

describe("OpenID", () => {
  test("the discovery document has authentik's addresses", async () => {
    const browser = new Browser(authentik.url, hosts);
    const answer = await browser.request(`${origin}/application/o/identity/.well-known/openid-configuration`);
    expect(await answer.json()).toMatchObject({
      issuer: `${origin}/application/o/identity/`,
      authorization_endpoint: `${origin}/application/o/authorize/`,
      token_endpoint: `${origin}/application/o/token/`,
      userinfo_endpoint: `${origin}/application/o/userinfo/`,
      introspection_endpoint: `${origin}/application/o/introspect/`,
      revocation_endpoint: `${origin}/application/o/revoke/`,
      jwks_uri: `${origin}/application/o/identity/jwks/`,
      end_session_endpoint: `${origin}/application/o/identity/end-session/`,
    });
  });

  test("an application signs a user in, reads the claims and asks for userinfo", async () => {
    const browser = new Browser(authentik.url, hosts);
    const redirect_uri = "http://dash.localhost/login";
    const query = new URLSearchParams({
      client_id: "identity",
      response_type: "code",
      redirect_uri,
      scope: "openid email offline_access",
      state: "s",
      nonce: "n",
    });
    const login = await browser.follow(`${origin}/application/o/authorize/?${query.toString()}`);
    const { to } = await browser.runFlow(login.url, [username("bob"), password("right")]);
    const granted = await browser.request(origin + (to as string));
    const callback = new URL(granted.headers.get("location") ?? "");
    expect([callback.origin + callback.pathname, callback.searchParams.get("state")]).toEqual([redirect_uri, "s"]);

    const form = { grant_type: "authorization_code", code: callback.searchParams.get("code") ?? "", redirect_uri };
    const redeem = (secret: string) =>
      browser.request(`${origin}/application/o/token/`, {
        method: "POST",
        headers: {
          authorization: `Basic ${btoa(`identity:${secret}`)}`,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams(form).toString(),
      });
    expect((await redeem("wrong")).status).toBe(400);
    const tokens = (await (await redeem("s3cret")).json()) as { id_token: string; access_token: string };
    const keys = (await (await browser.request(`${origin}/application/o/identity/jwks/`)).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(tokens.id_token, createLocalJWKSet(keys), {
      issuer: `${origin}/application/o/identity/`,
      audience: "identity",
    });
    expect(payload).toMatchObject({ nonce: "n", email: "bob@x.test", email_verified: false });
    expect(payload).not.toHaveProperty("preferred_username");
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const userinfo: unknown = await (await browser.request(`${origin}/application/o/userinfo/`, { headers })).json();
    expect(userinfo).toMatchObject({ sub: payload.sub, email: "bob@x.test" });
  });

  test("an unregistered redirect address is refused on the spot", async () => {
    const query = "client_id=identity&response_type=code&scope=openid&redirect_uri=http%3A%2F%2Fevil.test%2F";
    const answer = await new Browser(authentik.url, hosts).request(`${origin}/application/o/authorize/?${query}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });
});
