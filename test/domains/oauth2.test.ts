/** The OAuth flows of an oauth2 service: authorization code with PKCE, refresh, rejected requests; and client credentials of machines. */
import { createHash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import { describe, expect, inject, test } from "vitest";
import { type HttpResponse, headerOf, type HttpClient } from "../../ops/clients/http.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import {
  exposureOf,
  flowTarget,
  identityProvider,
  machineSecret,
  credentialsOf,
  requestToken,
  withClient,
} from "./fixtures.ts";

const CLIENT = "notes";
const secret = (): string => inject("domains").variables["NOTES_CLIENT_SECRET"] ?? "";
const redirectUri = (): string => `${exposureOf("notes", "localhost").url}/callback`;
const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

function authorizeUrl(changes: Readonly<Record<string, string>> = {}): string {
  const query = {
    client_id: CLIENT,
    response_type: "code",
    redirect_uri: redirectUri(),
    state: "s",
    nonce: "n",
    scope: "openid profile email offline_access",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  };
  return `${identityProvider()}/application/o/authorize/?${new URLSearchParams(query).toString()}`;
}

/** Signs in and returns the code of the redirect to the application, which is not followed. */
async function requestCode(client: HttpClient, username: string): Promise<string> {
  await signIn(client, `${exposureOf("everyone", "localhost").url}/`, credentialsOf(username));
  const response = await followToApplication(client, authorizeUrl());
  return new URL(headerOf(response, "location") ?? redirectUri()).searchParams.get("code") ?? "";
}

/** Follows redirects within the identity provider, and runs the flow of its consent page. @returns the first redirect to another origin, or the last page */
async function followToApplication(client: HttpClient, url: string): Promise<HttpResponse> {
  let response = await client.send(url);
  for (let hop = 0; hop < 10; hop += 1) {
    const location = headerOf(response, "location");
    if (location !== undefined) {
      const next = new URL(location, response.url);
      if (next.origin !== identityProvider()) return response;
      response = await client.send(next.href);
      continue;
    }
    const target = await flowTarget(client, response);
    if (target === undefined) return response;
    if (target.origin !== identityProvider()) return { ...response, status: 302, headers: { location: target.href } };
    response = await client.send(target.href);
  }
  throw new Error(`more than 10 redirects from ${url}`);
}

interface Tokens {
  readonly access_token?: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
  readonly error?: string;
}

async function token(client: HttpClient, form: Readonly<Record<string, string>>): Promise<[number, Tokens]> {
  const body = new URLSearchParams({ client_id: CLIENT, client_secret: secret(), ...form }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const response = await client.send(`${identityProvider()}/application/o/token/`, { method: "POST", headers, body });
  return [response.status, JSON.parse(response.body) as Tokens];
}

const exchange = (code: string, changes: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  grant_type: "authorization_code",
  code,
  redirect_uri: redirectUri(),
  code_verifier: verifier,
  ...changes,
});

describe("an oauth2 application", () => {
  test("gets tokens for a code with PKCE once, and new ones for a refresh token, which is not renewed", () =>
    withClient(async (client) => {
      const code = await requestCode(client, "inge");
      const [status, tokens] = await token(client, exchange(code));
      expect([status, tokens.error]).toEqual([200, undefined]);
      const claims = decodeJwt(tokens.id_token ?? "");
      expect([claims.aud, claims["nonce"], claims["preferred_username"]]).toEqual([CLIENT, "n", "inge"]);
      const again = await token(client, exchange(code));
      expect([again[0], again[1].error]).toEqual([400, "invalid_grant"]);
      const [fresh, refreshed] = await refreshTokens(client);
      expect([fresh, refreshed.refresh_token]).toEqual([200, undefined]);
    }));

  /** Requests tokens for a refresh token of a new login, since a reused code revokes the tokens of its first use. */
  async function refreshTokens(client: HttpClient): Promise<[number, Tokens]> {
    const code = await requestCode(client, "inge");
    const [, { refresh_token = "" }] = await token(client, exchange(code));
    return token(client, { grant_type: "refresh_token", refresh_token });
  }

  test.each([
    ["the wrong verifier", { code_verifier: randomBytes(32).toString("base64url") }, "invalid_grant"],
    ["no verifier", { code_verifier: "" }, "invalid_grant"],
    ["the wrong secret", { client_secret: "wrong" }, "invalid_client"],
    ["another redirect URI", { redirect_uri: "https://evil.test/callback" }, "invalid_client"],
    ["an unknown code", { code: "unknown" }, "invalid_grant"],
  ])("gets no token with %s", (_name, changes, error) =>
    withClient(async (client) => {
      const [status, tokens] = await token(client, exchange(await requestCode(client, "inge"), changes));
      expect([status, tokens.access_token, [error, "invalid_grant"].includes(tokens.error ?? "")]).toEqual([
        400,
        undefined,
        true,
      ]);
    }),
  );

  test.each(["https://evil.test/callback", "https://evil.test", ""])("is not redirected to %j", (redirect_uri) =>
    withClient(async (client) => {
      await signIn(client, `${exposureOf("everyone", "localhost").url}/`, credentialsOf("inge"));
      const response = await followToApplication(client, authorizeUrl({ redirect_uri }));
      expect([headerOf(response, "location"), response.status >= 400 || response.status === 200]).toEqual([
        undefined,
        true,
      ]);
    }),
  );

  test("gets no code for a user outside its groups", () =>
    withClient(async (client) => {
      await signIn(client, `${exposureOf("everyone", "localhost").url}/`, credentialsOf("gast"));
      const response = await followToApplication(client, authorizeUrl());
      expect([headerOf(response, "location"), response.status]).toEqual([undefined, 200]);
      expect(response.body).toContain("Permission denied");
    }));
});

describe("a machine", () => {
  test("gets a token for a service of its groups, but not with a wrong password or outside its groups", () =>
    withClient(async (client) => {
      const robot = await machineSecret("robot");
      const [url, clientId = ""] = Object.entries(robot.clientIds).find(([origin]) => origin.includes("forward")) ?? [];
      const access = await requestToken(client, robot, clientId);
      const response = await client.send(`${url}/x`, { headers: { authorization: `Bearer ${access}` } });
      expect(response.status).toBe(200);
      await expect(requestToken(client, { ...robot, password: "wrong" }, clientId)).rejects.toThrow(/answered 400/);
      const outside = await machineSecret("ungrouped");
      await expect(requestToken(client, outside, clientId)).rejects.toThrow(/answered 400/);
    }));
});
