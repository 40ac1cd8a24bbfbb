import { createLocalJWKSet, jwtVerify } from "jose";
import type { JSONWebKeySet } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Authentik } from "../../authentik/server.ts";
import { Browser } from "./browser.ts";
import { call, configure, deploy, hosts, identity, origin, password, start, username } from "./deployment.ts";

let authentik: Authentik;

beforeAll(async () => {
  authentik = await start();
  await authentik.ready;
  await deploy(authentik.url);
});
afterAll(() => authentik.close());

describe("OpenID", () => {
  test("has the addresses of authentik in the discovery document", async () => {
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

  test("lists the claims that the mappings return for the anonymous user, without a token", async () => {
    const keys = `{request.user.username: 1, "token" if "token" in request.context else "no_token": 1}`;
    const fields = { name: "keys", scope_name: "keys", expression: `return ${keys}` };
    const mapping = (await call(authentik.url, "POST", "/propertymappings/provider/scope/", fields))["pk"];
    const own = (await identity(authentik.url))["property_mappings"] as string[];
    const restore = await configure(authentik.url, { property_mappings: [...own, mapping] });
    const browser = new Browser(authentik.url, hosts);
    const answer = await browser.request(`${origin}/application/o/identity/.well-known/openid-configuration`);
    const { claims_supported } = (await answer.json()) as { claims_supported: string[] };
    expect(claims_supported).toEqual(expect.arrayContaining(["sub", "email", "AnonymousUser", "no_token"]));
    expect(claims_supported).not.toContain("token");
    await restore();
  });

  test("signs a user in to an application, which reads claims and userinfo", async () => {
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
});
