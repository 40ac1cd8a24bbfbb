import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import OpenId from "oidc-provider";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../local/platform/ports.ts";
import { createClient, headerOf, type HttpResponse, type HttpClient } from "../../ops/clients/http.ts";

const user = { preferred_username: "alice", email: "alice@gatehouse.localhost", groups: ["staff", "a, b"] };
const secret = "not a secret: it never leaves this test";
let provider: Server;
let app: ChildProcess;
let issuer: string;
let hosts: [string, string];

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));
}

/** A provider that signs every browser in as alice. */
function openId(redirects: string[]): OpenId {
  const openid = new OpenId(issuer, {
    clients: [
      {
        client_id: "notes",
        client_secret: secret,
        redirect_uris: redirects,
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    scopes: ["openid", "profile", "email"],
    claims: { openid: ["sub"], profile: ["preferred_username", "groups"], email: ["email"] },
    pkce: { required: () => true },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...user }) }),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: "notes", accountId: "alice-1" });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
  });
  openid.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/sign-in/")) return next() as Promise<void>;
    await openid.interactionFinished(ctx.req, ctx.res, { login: { accountId: "alice-1" } });
    ctx.respond = false;
  });
  return openid;
}

beforeAll(async () => {
  const port = await freePort();
  provider = createServer();
  issuer = `http://id.localhost:${await listen(provider)}`;
  hosts = [`http://notes.localhost:${port}`, `http://notes.mesh.localhost:${port}`];
  const redirects = hosts.map((host) => `${host}/oauth/callback`);
  const callback = openId(redirects).callback();
  provider.on("request", (request, response) => void callback(request, response));
  app = spawn(process.execPath, [path.join("local", "sample", "oidcApp.ts")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PORT: String(port),
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: "notes",
      OIDC_CLIENT_SECRET: secret,
      OIDC_REDIRECT_URIS: redirects.join(" "),
      OIDC_SCOPES: "openid profile email",
    },
  });
  await vi.waitFor(async () => expect((await ask(createClient(), `${hosts[0]}/healthz`)).body).toBe("ok"), 240_000);
});

afterAll(() => {
  app.kill();
  provider.close();
});

async function ask(client: HttpClient, url: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
  return client.send(url, { headers });
}

function location(response: HttpResponse): URL {
  return new URL(headerOf(response, "location") ?? "");
}

/** Follows the redirects of the provider up to the callback, which it does not request. */
async function callbackOf(client: HttpClient, page: string): Promise<URL> {
  let url = new URL(page);
  do url = new URL(headerOf(await client.send(url.href), "location") ?? "", url);
  while (url.pathname !== "/oauth/callback");
  return url;
}

test("redirects to the provider without a session, with all parameters", async () => {
  const response = await ask(createClient(), `${hosts[0]}/`);
  expect(response.status).toBe(302);
  const { origin, searchParams } = location(response);
  const { state, nonce, code_challenge, ...rest } = Object.fromEntries(searchParams);
  expect([origin, rest]).toEqual([
    issuer,
    {
      client_id: "notes",
      redirect_uri: `${hosts[0]}/oauth/callback`,
      response_type: "code",
      scope: "openid profile email",
      code_challenge_method: "S256",
    },
  ]);
  for (const value of [state, nonce, code_challenge]) expect(value).toMatch(/^[\w-]{43}$/);
  expect(headerOf(response, "set-cookie")).toMatch(/^login=[\w-]{32}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
});

test("returns to the requested page after a sign-in on each host, with the user", async () => {
  for (const host of hosts) {
    const client = createClient();
    const response = await client.follow(`${host}/a%20page?q=1`);
    expect([response.status, response.url]).toEqual([200, `${host}/a%20page?q=1`]);
    expect(JSON.parse(response.body)).toEqual({ sub: "alice-1", ...user, host: new URL(host).host });
    expect(headerOf(response, "cache-control")).toBe("no-store");
  }
});

test("keeps sessions of two hosts separate", async () => {
  const client = createClient();
  await client.follow(`${hosts[0]}/`);
  expect((await ask(client, `${hosts[0]}/`)).status).toBe(200);
  expect((await ask(client, `${hosts[1]}/`)).status).toBe(302);
});

test("refuses a callback of another browser, with a forged state, or a second time", async () => {
  const [client, other] = [createClient(), createClient()];
  await ask(other, `${hosts[0]}/`);
  const callback = await callbackOf(client, `${hosts[0]}/`);
  const forged = new URL(callback);
  forged.searchParams.set("state", "forged");
  const refused = [400, "This sign-in was not started in this browser.\n"];
  const outcome = async (as: HttpClient, url: URL) => {
    const { status, body, headers } = await ask(as, url.href);
    return [status, body, ...(headers["set-cookie"] ? ["session"] : [])];
  };
  expect(await outcome(other, callback)).toEqual(refused);
  expect(await outcome(client, forged)).toEqual(refused);
  expect((await ask(client, callback.href)).status).toBe(302);
  expect(await outcome(client, callback)).toEqual(refused);
});

test("creates no session for an unknown code or a refused sign-in", async () => {
  const client = createClient();
  const forged = await callbackOf(client, `${hosts[0]}/`);
  forged.searchParams.set("code", "forged");
  expect(await ask(client, forged.href)).toMatchObject({ status: 400, body: "Sign-in failed: invalid_grant\n" });
  const refused = await callbackOf(client, `${hosts[0]}/`);
  refused.searchParams.delete("code");
  refused.searchParams.set("error", "access_denied");
  expect(await ask(client, refused.href)).toMatchObject({ status: 403, body: "Sign-in refused: access_denied\n" });
  expect((await ask(client, `${hosts[0]}/`)).status).toBe(302);
});

test("uses the forwarded host, and refuses one without a redirect URI", async () => {
  const client = createClient();
  const forwarded = { "x-forwarded-proto": "http", "x-forwarded-host": new URL(hosts[1]).host };
  const redirect = location(await ask(client, `${hosts[0]}/`, forwarded)).searchParams.get("redirect_uri");
  expect(redirect).toBe(`${hosts[1]}/oauth/callback`);
  const foreign = await ask(client, `${hosts[0]}/`, { "x-forwarded-host": "evil.example" });
  expect([foreign.status, foreign.headers.location]).toEqual([421, undefined]);
});

test("redirects to its own host for a path that looks like the address of another", async () => {
  const response = await createClient().follow(`${hosts[0]}//evil.example/x`);
  expect([response.status, response.url]).toEqual([200, `${hosts[0]}//evil.example/x`]);
});

test("ends the session at a sign-out and redirects to that of the provider", async () => {
  const client = createClient();
  await client.follow(`${hosts[0]}/`);
  const kept = await client.cookies.getCookieString(hosts[0]);
  const target = location(await ask(client, `${hosts[0]}/logout`));
  expect(target.origin + target.pathname).toBe(`${issuer}/session/end`);
  const [, claims = ""] = (target.searchParams.get("id_token_hint") ?? "").split(".");
  expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ sub: "alice-1", aud: "notes" });
  expect((await ask(createClient(), `${hosts[0]}/`, { cookie: kept })).status).toBe(302);
});
