import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Authentik } from "../../authentik/server.ts";
import { Browser } from "./browser.ts";
import {
  authorize,
  call,
  callback,
  codeFor,
  configure,
  deploy,
  endpoint,
  hosts,
  identity,
  list,
  origin,
  password,
  start,
  username,
  waiting,
} from "./deployment.ts";
import type { Json } from "./deployment.ts";

let authentik: Authentik;
let user: Json;

beforeAll(async () => {
  authentik = await start();
  await authentik.ready;
  await deploy(authentik.url);
  user = (await list(authentik.url, "/core/users/?username=bob"))[0] ?? {};
});
afterAll(() => authentik.close());

async function redeem(form: Record<string, string>): Promise<{ status: number; body: Json }> {
  const body = new URLSearchParams({ grant_type: "authorization_code", redirect_uri: callback, ...form });
  const headers = { "x-forwarded-host": new URL(origin).host };
  const answer = await fetch(`${authentik.url}/application/o/token/`, { method: "POST", headers, body });
  return { status: answer.status, body: (await answer.json()) as Json };
}

const confidential = { client_id: "identity", client_secret: "s3cret" };
const claimsOf = (body: Json) => decodeJwt(body["id_token"] as string);

test("redirects from authorize to the login page without a session", async () => {
  const answer = await new Browser(authentik.url, hosts).request(authorize());
  const location = new URL(answer.headers.get("location") ?? "", origin);
  expect([answer.status, location.pathname]).toEqual([302, "/if/flow/default-authentication-flow/"]);
  expect(location.searchParams.get("next")).toMatch(/^\/application\/o\/authorize\/\?client_id=identity&/);
});

test.each([
  "http://dash.localhost/login/",
  "http://dash.localhost/login?x=1",
  "http://dash.localhost/login/../evil",
  "http://dash.localhost:80/login",
  "https://dash.localhost/login",
  "http://DASH.localhost/login",
  "http://dash.localhost@evil.test/login",
  "//dash.localhost/login",
])("shows an error page for the unregistered redirect URI %s, signed in or not", async (redirect_uri) => {
  const { browser } = await codeFor(authentik.url, authorize());
  for (const one of [browser, new Browser(authentik.url, hosts)]) {
    const answer = await one.request(authorize({ redirect_uri }));
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  }
});

test("stores the first redirect URI that is requested of a provider without any, also without a session and for a refused grant type", async () => {
  const restore = await configure(authentik.url, { grant_types: [], redirect_uris: [] });
  const stored = async () => (await identity(authentik.url))["redirect_uris"];
  const ask = (redirect_uri: string) => new Browser(authentik.url, hosts).request(authorize({ redirect_uri }));
  expect((await ask("")).status).toBe(400);
  expect(await stored()).toEqual([]);
  const answer = await ask("https://evil.example/");
  expect(answer.headers.get("location")).toMatch(/^https:\/\/evil\.example\/\?error=invalid_request&/);
  expect(await stored()).toEqual([
    { matching_mode: "strict", url: "https://evil.example/", redirect_uri_type: "authorization" },
  ]);
  expect((await ask(callback)).status).toBe(400);
  await restore();
});

describe("grant types that a provider does not have are refused", () => {
  test("redirects from authorize to the application with invalid_request, but not to an unregistered redirect URI", async () => {
    const restore = await configure(authentik.url, { grant_types: [] });
    const answer = await new Browser(authentik.url, hosts).request(authorize());
    const error = "error=invalid_request&error_description=The%20request%20is%20otherwise%20malformed&state=s";
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${callback}?${error}`]);
    const foreign = await new Browser(authentik.url, hosts).request(authorize({ redirect_uri: "http://evil.test/" }));
    expect([foreign.status, foreign.headers.get("location")]).toEqual([400, null]);
    await restore();
  });

  test("returns invalid_grant from the token endpoint before the client secret is checked", async () => {
    const { code } = await codeFor(authentik.url, authorize());
    const restore = await configure(authentik.url, { grant_types: ["client_credentials"] });
    const refused = { status: 400, body: { error: "invalid_grant" } };
    expect(await redeem({ ...confidential, code })).toEqual(refused);
    expect(await redeem({ client_id: "identity", client_secret: "wrong", code })).toEqual(refused);
    await restore();
    expect((await redeem({ ...confidential, code })).status).toBe(200);
  });
});

test("redeems no code for a client whose secret is not ASCII", async () => {
  const restore = await configure(authentik.url, { client_secret: "sécret" });
  const { code } = await codeFor(authentik.url, authorize());
  const redeemed = await redeem({ ...confidential, client_secret: "sécret", code });
  await restore();
  expect(code).not.toBe("");
  expect([redeemed.status, redeemed.body["access_token"]]).toEqual([400, undefined]);
});

test("issues a JWT as access token, which userinfo and introspection accept until it is revoked", async () => {
  const { body } = await redeem({ ...confidential, code: (await codeFor(authentik.url, authorize())).code });
  const token = body["access_token"] as string;
  const post = async (name: string) => {
    const form = new URLSearchParams({ ...confidential, token });
    const headers = { "x-forwarded-host": new URL(origin).host };
    return fetch(`${authentik.url}/application/o/${name}/`, { method: "POST", headers, body: form });
  };
  const { sub } = decodeJwt(token);
  const active = { active: true, client_id: "identity", sub, email: "bob@x.test" };
  expect(await (await post("introspect")).json()).toMatchObject(active);
  expect((await post("revoke")).status).toBe(200);
  expect(await (await post("introspect")).json()).toEqual({ active: false });
});

test("authorizes no user with the former provider of an application, and accepts none of its tokens at the new one", async () => {
  const { browser, code } = await codeFor(authentik.url, authorize());
  const token = (await redeem({ ...confidential, code })).body["access_token"] as string;
  const isActive = async (client: object): Promise<unknown> => {
    const form = new URLSearchParams({ ...client, token });
    const answer = await fetch(`${authentik.url}/application/o/introspect/`, { method: "POST", body: form });
    return ((await answer.json()) as Json)["active"];
  };
  const application = "/core/applications/identity/";
  const { provider } = await call(authentik.url, "GET", application);
  const fields = ["authorization_flow", "invalidation_flow", "signing_key", "property_mappings", "redirect_uris"];
  const former = await call(authentik.url, "GET", `/providers/oauth2/${String(provider)}/`);
  const second = await call(authentik.url, "POST", "/providers/oauth2/", {
    name: "second",
    client_id: "second",
    client_secret: "other",
    ...Object.fromEntries(fields.map((field) => [field, former[field]])),
  });
  await call(authentik.url, "PATCH", application, { provider: second["pk"] });
  expect(await (await browser.request(authorize())).text()).toContain("Permission denied");
  expect([await isActive(confidential), await isActive({ client_id: "second", client_secret: "other" })]).toEqual([
    true,
    false,
  ]);
  await call(authentik.url, "PATCH", application, { provider });
  await call(authentik.url, "DELETE", `/providers/oauth2/${String(second["pk"])}/`);
});

describe("settings of a provider", () => {
  test("sets token validities and scopes, and issues a refresh token for offline_access only", async () => {
    const mappings = await list(authentik.url, "/propertymappings/provider/scope/");
    const property_mappings = mappings
      .filter((one) => ["openid", "profile", "offline_access"].includes(one["scope_name"] as string))
      .map((one) => one["pk"]);
    const validities = { access_token_validity: "minutes=7", refresh_token_validity: "seconds=1" };
    const restore = await configure(authentik.url, { ...validities, property_mappings });
    const plain = await redeem({ ...confidential, code: (await codeFor(authentik.url, authorize())).code });
    expect(plain.body).toMatchObject({ expires_in: 420, scope: "openid" });
    expect(plain.body).not.toHaveProperty("refresh_token");
    const claims = claimsOf(plain.body);
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(420);
    expect(claims).not.toHaveProperty("email");
    const scope = "openid profile offline_access";
    const lasting = await redeem({ ...confidential, code: (await codeFor(authentik.url, authorize({ scope }))).code });
    const refresh = {
      ...confidential,
      grant_type: "refresh_token",
      refresh_token: String(lasting.body["refresh_token"]),
    };
    const refreshed = async () => {
      const { status, body } = await redeem(refresh);
      return status === 200 ? "granted" : body["error"];
    };
    await expect.poll(refreshed, { timeout: 240_000, interval: 1500 }).toBe("invalid_grant");
    await restore();
  });

  test.each([
    ["seconds=0", [true, true]],
    ["days=31", [true, true]],
    ["hours=1", [false, false]],
    ["hours=-1", [false, false]],
  ])("renews a refresh token of 30 days in two refreshes with a threshold of %s: %j", async (threshold, renewals) => {
    const mappings = await list(authentik.url, "/propertymappings/provider/scope/");
    const property_mappings = mappings
      .filter((one) => ["openid", "offline_access"].includes(one["scope_name"] as string))
      .map((one) => one["pk"]);
    const restore = await configure(authentik.url, { refresh_token_threshold: threshold, property_mappings });
    const { code } = await codeFor(authentik.url, authorize({ scope: "openid offline_access" }));
    let refresh_token = (await redeem({ ...confidential, code })).body["refresh_token"] as string;
    const observed: boolean[] = [];
    for (let refresh = 0; refresh < 2; refresh += 1) {
      const { status, body } = await redeem({ ...confidential, grant_type: "refresh_token", refresh_token });
      expect(status).toBe(200);
      const next = body["refresh_token"] as string | undefined;
      observed.push(next !== undefined && next !== refresh_token);
      refresh_token = next ?? refresh_token;
    }
    expect(observed).toEqual(renewals);
    await restore();
  });

  test.each(["user_id", "user_uuid", "user_username", "user_email"])(
    "sets sub according to sub_mode %s",
    async (sub_mode) => {
      const expected: Json = { user_id: String(user["pk"]), user_uuid: user["uuid"], user_username: "bob" };
      const restore = await configure(authentik.url, { sub_mode });
      const { body } = await redeem({ ...confidential, code: (await codeFor(authentik.url, authorize())).code });
      expect(claimsOf(body).sub).toBe(expected[sub_mode] ?? "bob@x.test");
      await restore();
    },
  );

  test("requires the verifier of the challenge, and no secret, from a public client", async () => {
    const restore = await configure(authentik.url, { client_type: "public" });
    const verifier = "v".repeat(43);
    const code_challenge = createHash("sha256").update(verifier).digest("base64url");
    const pkce = authorize({ code_challenge, code_challenge_method: "S256" });
    const attempt = async (more: Record<string, string>) => {
      const { status, body } = await redeem({
        client_id: "identity",
        code: (await codeFor(authentik.url, pkce)).code,
        ...more,
      });
      return [status, body["error"]];
    };
    expect(await attempt({ code_verifier: verifier })).toEqual([200, undefined]);
    expect(await attempt({ code_verifier: "w".repeat(43) })).toEqual([400, "invalid_grant"]);
    expect(await attempt({})).toEqual([400, "invalid_grant"]);
    await restore();
    expect(
      (await redeem({ client_id: "identity", code: (await codeFor(authentik.url, authorize())).code })).status,
    ).toBe(400);
  });

  test("sets one issuer for each provider, or one for all with issuer_mode: global", async () => {
    const issuer = async () => {
      const { body } = await redeem({ ...confidential, code: (await codeFor(authentik.url, authorize())).code });
      const path = `${endpoint}/identity/.well-known/openid-configuration`;
      const found = (await (await new Browser(authentik.url, hosts).request(path)).json()) as Json;
      return [claimsOf(body).iss, found["issuer"]];
    };
    expect(await issuer()).toEqual([`${endpoint}/identity/`, `${endpoint}/identity/`]);
    const restore = await configure(authentik.url, { issuer_mode: "global" });
    expect(await issuer()).toEqual([`${origin}/`, `${origin}/`]);
    await restore();
  });
});

describe("the session's length, set by a blueprint", () => {
  const setLength = async (session_duration: string) => {
    const content = `entries:
  - model: authentik_stages_user_login.userloginstage
    identifiers: { name: default-authentication-login }
    attrs: { session_duration: ${session_duration} }
`;
    const { pk } = await call(authentik.url, "POST", "/managed/blueprints/", {
      name: `length ${session_duration}`,
      content,
    });
    const path = `/managed/blueprints/${String(pk)}/`;
    await call(authentik.url, "POST", `${path}apply/`);
    await expect.poll(async () => (await call(authentik.url, "GET", path))["status"], waiting).toBe("successful");
  };
  const page = `${origin}/if/flow/default-authentication-flow/?next=%2F`;
  const cookieAfterLogin = async () => {
    const browser = new Browser(authentik.url, hosts);
    await browser.runFlow(page, [username("bob"), password("right")]);
    const cookies = browser.set.filter((line) => line.startsWith("authentik_session="));
    return { browser, cookie: cookies.at(-1) ?? "" };
  };

  test("sets a persistent cookie, and ends the session after that length", async () => {
    await setLength("hours=10;minutes=5");
    expect((await cookieAfterLogin()).cookie).toMatch(/; Max-Age=36300; Path=\/; HttpOnly; SameSite=Lax$/);
    await setLength("seconds=2");
    const { browser, cookie } = await cookieAfterLogin();
    expect(cookie).toContain("; Max-Age=2;");
    const first = await browser.request(authorize());
    expect(first.headers.get("location")).toContain(`${callback}?code=`);
    const location = async () => (await browser.request(authorize())).headers.get("location") ?? "";
    await expect.poll(location, { timeout: 240_000 }).toContain("/if/flow/default-authentication-flow/");
  });

  test("lasts until the browser closes with seconds=0, and refuses an invalid value", async () => {
    await setLength("seconds=0");
    const { browser, cookie } = await cookieAfterLogin();
    expect(cookie).toMatch(/^authentik_session=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/);
    browser.set.length = 0;
    await browser.request(authorize());
    for (const line of browser.set) expect(line).not.toMatch(/^authentik_session=.*(max-age|expires)/i);
    await expect(setLength("soon")).rejects.toThrow("Failed to validate blueprint");
  });
});
