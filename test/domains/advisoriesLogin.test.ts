/**
 * Advisory replay: cookies, login stages, redirects after a login, and passwords. authentik and Traefik's basicAuth reject these requests, and
 * no object in the cluster can weaken that; controls.test.ts shows what a route without these middlewares lets through.
 */
import { SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { headerOf } from "../../ops/clients/http.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { legacyPassword, passwordLine, sessionAt } from "./credentials.ts";
import { type Line, outcome, sendRaw } from "./rawRequests.ts";
import { exposureOf, identityProvider, credentialsOf, withClient } from "./fixtures.ts";

const forward = (): string => exposureOf("forward", "localhost").url;
const valueOf = (cookie: string): string => cookie.slice(cookie.indexOf("=") + 1);
const request = (path: string, ...lines: Line[]) => sendRaw(forward() + path, { lines });

/** A malformed proxy cookie once gave 200 without identity headers (CVE-2026-25748). */
describe("a proxy cookie", () => {
  let name: string;
  let anonymous: string;
  let foreign: string;

  beforeAll(async () => {
    const [cookie = ""] = (headerOf(await request("/x"), "set-cookie") ?? "").split(";");
    [name, anonymous] = [cookie.slice(0, cookie.indexOf("=")), valueOf(cookie)];
    const other = exposureOf("guestbook", "localhost").url;
    const [, cookies] = await sessionAt(other, "gast");
    foreign = valueOf(cookies.split("; ").find((cookie) => cookie.startsWith("authentik_proxy_")) ?? "");
  });

  const values: [string, (value: string) => string][] = [
    ["empty", () => ""],
    ["of a user who is not signed in", (value) => value],
    ["with an additional character", (value) => `${value}x`],
    ["with two characters less", (value) => value.slice(0, -2)],
    ["without its signature", (value) => value.split(".")[0] ?? ""],
    ["with an empty signature", (value) => `${value.split(".")[0]}.`],
    ["with another id", (value) => `00000000-0000-0000-0000-000000000000.${value.split(".")[1]}`],
    ["of two dots", () => "a.b.c"],
    ["of a broken escape", () => "%"],
    ["of an escaped null", () => "%00"],
    ["of a path", () => "..%2f..%2fsession"],
    ["of invalid UTF-8", () => "\u00ff\u00fe"],
    ["of base64", () => "eyJhbGciOiJub25lIn0.e30."],
    ["of a gob (gorilla/securecookie)", () => "MTc5NTI1MTcxMXxEdi1CQkFFQ180SUFBUkFCRUFBQV80SUFBQT09fA=="],
    ["of a property of every JavaScript object", () => "__proto__"],
    ["of an expression", () => "' OR 1=1 --"],
    ["of 4 KB", () => "A".repeat(4096)],
  ];
  test.each(values)("%s is redirected to the login", async (_name, change) => {
    expect(outcome(await request("/x", ["Cookie", `${name}=${change(anonymous)}`]))).toBe(`login for ${forward()}/x`);
    const background: Line = ["X-Requested-With", "XMLHttpRequest"];
    expect(outcome(await request("/x", ["Cookie", `${name}=${change(anonymous)}`], background))).toBe("401");
  });

  test("is redirected to the login if its session is at another outpost", async () => {
    expect(outcome(await request("/x", ["Cookie", `${name}=${foreign}`]))).toBe(`login for ${forward()}/x`);
  });

  test("gets 431 if it has more than 1 MB", async () => {
    expect(outcome(await request("/x", ["Cookie", `${name}=${"A".repeat(1_100_000)}`]))).toBe("431");
  });

  test("is accepted if it comes before an invalid one, for its own user only", async () => {
    const [, own] = await sessionAt(forward());
    for (const cookie of [`${name}=x; ${own}`, `${name}=${anonymous}; ${own}`]) {
      expect(outcome(await request("/x", ["Cookie", cookie]))).toBe(`login for ${forward()}/x`);
    }
    const { status, body } = await request("/x", ["Cookie", `${own}; ${name}=x`]);
    expect([status, receivedHeaders(body).get("x-idp-username")]).toEqual([200, ["inge"]]);
  });
});

/** An empty response once skipped a stage (CVE-2026-49448, CVE-2026-49443). */
describe("a login stage", () => {
  const executor = "/api/v3/flows/executor/default-authentication-flow/?query=";
  const post = (cookie: Line, body: string) => {
    const lines: Line[] = [cookie, ["Content-Type", "application/json"], ["Content-Length", String(body.length)]];
    return sendRaw(identityProvider() + executor, { method: "POST", lines, body });
  };
  const begun = async (): Promise<Line> => {
    const { headers } = await sendRaw(identityProvider() + executor);
    const cookies = [headers["set-cookie"] ?? []].flat().map((line) => line.split(";")[0]);
    return ["Cookie", cookies.join("; ")];
  };
  const bodies = [
    "",
    "null",
    "[]",
    "{}",
    '{"component":"ak-stage-identification"}',
    '{"component":"ak-stage-password"}',
    '{"component":"ak-stage-user-login","remember_me":false}',
    '{"component":"xak-flow-redirect","to":"/"}',
    '{"uid_field":""}',
    '{"uid_field":null}',
    '{"uid_field":["inge"]}',
    '{"uid_field":{"$ne":null}}',
    '{"password":""}',
    '{"password":null}',
    '{"password":true}',
    '{"password":[""]}',
    '{"password":{"$ne":""}}',
  ];

  test.each(bodies)("is not passed by %s", async (body) => {
    for (const first of ['{"uid_field":"akadmin"}', undefined]) {
      const cookie = await begun();
      if (first !== undefined) expect((await post(cookie, first)).status).toBe(302);
      const response = await post(cookie, body);
      expect(headerOf(response, "location")).toBe(undefined);
      expect(response.body).not.toContain("xak-flow-redirect");
      const me = await sendRaw(`${identityProvider()}/api/v3/core/users/me/`, { lines: [cookie] });
      expect([body, me.status]).toEqual([body, 403]);
    }
  });
});

describe("the redirect after a login", () => {
  const foreign = [
    "https://evil.test/",
    "//evil.test/",
    "/\\evil.test/",
    "javascript:alert(1)",
    "data:,x",
    "http://forward.localhost@evil.test/",
    "http://forward.localhost.evil.test/",
    "http://evil.test#forward.localhost",
    "http://evil.test\\@forward.localhost",
    "http://gated.localhost/",
    "\thttps://evil.test/",
    "x:evil.test/",
    "https:evil.test/",
    "x:\\\\evil.test/",
  ];
  /** Addresses without slashes after their scheme, which the gateway refuses: authentik and the outpost find no host in them. */
  const withoutSlashes = (target: string): boolean => /^[a-z]+:[^/]/.test(target);

  /** Targets without a host, and the path on this host that they result in (measured). */
  const ON_THIS_HOST: Readonly<Record<string, string>> = {
    "/\\evil.test/": "/%5Cevil.test/",
  };

  /** The same targets as `next` of a login: the path on this host, or the stage that refuses it (measured on authentik 2026.5). */
  const AFTER_LOGIN: Readonly<Record<string, string>> = {
    "/\\evil.test/": "/%5Cevil.test/",
  };

  test.each(foreign)("does not go to %s", async (target) => {
    const query = encodeURIComponent(target);
    const started = await request(`/outpost.goauthentik.io/start?rd=${query}`);
    const login = `login for ${forward()}${ON_THIS_HOST[target] ?? "/"}`;
    expect(outcome(started)).toBe(withoutSlashes(target) ? "200" : login);
    expect(started.body.includes("You are signed out")).toBe(withoutSlashes(target));
    const signedOut = await request(`/outpost.goauthentik.io/sign_out?rd=${query}&redirect=${query}`);
    const end = encodeURIComponent(`${forward()}/outpost.goauthentik.io/sign_out`);
    expect(outcome(signedOut)).toBe(`302 to ${forward()}/outpost.goauthentik.io/start?rd=${end}`);
    const page = `${identityProvider()}/if/flow/default-authentication-flow/?next=${query}`;
    expect((await sendRaw(page)).status).toBe(withoutSlashes(target) ? 404 : 200);
    if (withoutSlashes(target)) return;
    await withClient(async (client) => {
      const end = signIn(client, page, credentialsOf("inge")).then(({ url }) => url);
      await expect(end.catch((error: unknown) => (error as Error).message)).resolves.toContain(
        AFTER_LOGIN[target] ?? "Invalid next URL",
      );
    });
    const ended = await sendRaw(
      `${identityProvider()}/application/o/notes/end-session/?post_logout_redirect_uri=${query}`,
    );
    // The login before it repeats the whole query.
    expect(new URL(headerOf(ended, "location") ?? "", identityProvider()).origin).toBe(identityProvider());
  });

  test("accepts only a redirect URI of the provider", async () => {
    const authorize = new URL(headerOf(await request("/x"), "location") ?? "");
    const callback = `${forward()}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true`;
    const addresses = [`${callback}&x=1`, `${callback}#x`, callback.replace("localhost", "localhost.evil.test")];
    for (const address of [...addresses, "https://evil.test/", `${forward()}/x`, `${forward()}/open`]) {
      authorize.searchParams.set("redirect_uri", address);
      expect([address, outcome(await sendRaw(authorize.href))]).toEqual([address, "400"]);
    }
  });

  test("ignores a state that the outpost did not sign, or signed for another browser", async () => {
    const claims = { iss: "goauthentik.io/outpost/forward", sid: "x", state: "x", redirect: "https://evil.test/" };
    const guessed = await new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from("secret"));
    const real = new URL(headerOf(await request("/x"), "location") ?? "").searchParams.get("state") ?? "";
    const states = ["", "x", guessed, new UnsecuredJWT(claims).encode(), real];
    for (const state of states) {
      const query = `X-authentik-auth-callback=true&code=x&state=${state}`;
      const page = await request(`/outpost.goauthentik.io/callback?${query}`);
      expect([state, page.status, headerOf(page, "location")]).toEqual([state, 200, undefined]);
      expect([page.body.includes("<h1>Sign in again</h1>"), page.body.includes("evil.test")]).toEqual([true, false]);
      const elsewhere = await request(`/x?${query}`);
      expect([state, elsewhere.status, elsewhere.body]).toEqual([state, 400, ""]);
    }
  });
});

describe("a password", () => {
  const encoded = (text: string, encoding: BufferEncoding = "utf8"): string =>
    `Basic ${Buffer.from(text, encoding).toString("base64")}`;
  const wrong: [string, (password: string) => string][] = [
    ["of an empty user", () => encoded(":")],
    ["without a user", (password) => encoded(`:${password}`)],
    ["that is empty", () => encoded("ops:")],
    ["that is missing", () => encoded("ops")],
    ["of a user in upper case", (password) => encoded(`OPS:${password}`)],
    ["of a user with a blank", (password) => encoded(`ops :${password}`)],
    ["of a user with a null", (password) => encoded(`ops\0:${password}`)],
    ["with a trailing blank", (password) => encoded(`ops:${password} `)],
    ["with a trailing null", (password) => encoded(`ops:${password}\0`)],
    ["with a trailing line break", (password) => encoded(`ops:${password}\n`)],
    ["that is shorter", (password) => encoded(`ops:${password.slice(0, -1)}`)],
    ["that is the prefix of a hash", () => encoded("ops:$2b$10$")],
    ["in UTF-16", (password) => encoded(`ops:${password}`, "utf16le")],
    ["after a byte order mark", (password) => encoded(`\ufeffops:${password}`)],
    ["not encoded", (password) => `Basic ops:${password}`],
    ["in invalid base64", () => "Basic !!!!"],
    ["after two blanks", (password) => encoded(`ops:${password}`).replace(" ", "  ")],
    ["of another scheme", (password) => `Bearer ${password}`],
    ["without a scheme", (password) => encoded(`ops:${password}`).replace("Basic ", "")],
    ["that is omitted", () => "Basic"],
  ];

  test.each(wrong)("%s gets 401 with the realm", async (_name, authorization) => {
    const { url } = exposureOf("legacy", "localhost");
    const response = await sendRaw(`${url}/x`, { lines: [["Authorization", authorization(legacyPassword())]] });
    expect([outcome(response), headerOf(response, "www-authenticate")]).toEqual(["401", 'Basic realm="legacy"']);
  });

  test("is ignored after a wrong one", async () => {
    const { url } = exposureOf("legacy", "localhost");
    const lines = [passwordLine("ops:wrong"), passwordLine()];
    expect(outcome(await sendRaw(`${url}/x`, { lines }))).toBe("401");
  });

  test("is accepted with forged identity headers, which are removed", async () => {
    const { url } = exposureOf("legacy", "localhost");
    const lines: Line[] = [passwordLine(), ["X-idp-username", "mallory"], ["X_idp_username", "mallory"]];
    const { status, body } = await sendRaw(`${url}/x`, { lines });
    expect([status, receivedHeaders(body).get("x-idp-username")]).toEqual([200, ["ops"]]);
    expect(body).not.toContain("mallory");
    expect(body).not.toContain(legacyPassword());
  });

  test("opens no service behind forward auth, and a session opens no basic service", async () => {
    expect(outcome(await request("/x", passwordLine()))).toBe("401");
    const { url } = exposureOf("legacy", "localhost");
    const session = await sessionAt(forward());
    expect(outcome(await sendRaw(`${url}/x`, { lines: [session] }))).toBe("401");
  });
});
