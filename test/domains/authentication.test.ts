/** Status, redirect and headers of each service type on each domain kind, with and without a session, through real Traefik. */
import { describe, expect, inject, test } from "vitest";
import { IDENTITY_HEADERS } from "../../infra/identity/headers.ts";
import { headerOf } from "../../ops/clients/http.ts";
import { receivedHeaders, receivedPath } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import {
  receivedIdentityHeaders,
  exposureOf,
  identityProvider,
  machineSecret,
  credentialsOf,
  runFlow,
  statusAndTarget,
  requestToken,
  withClient,
} from "./fixtures.ts";

const KINDS = ["localhost", "mesh", "external", "partner"];
const FORWARDED = ["forward", "gated"];
const SIX = IDENTITY_HEADERS.map((name) => name.toLowerCase()).sort();
const authorize = (): string => `${identityProvider()}/application/o/authorize/`;
const each = (services: readonly string[]): [string, string][] =>
  services.flatMap((service) => KINDS.map((kind): [string, string] => [service, kind]));
const basic = (password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`ops:${password}`).toString("base64")}`,
});

describe.each(each(FORWARDED))("%s on %s, behind forward auth", (service, kind) => {
  test("redirects a request without a session to the login, which returns to this host", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const response = await client.send(`${url}/x?y=1`);
      expect(statusAndTarget(response)).toBe(`302 ${authorize()}`);
      const callback = new URL(headerOf(response, "location") ?? "").searchParams.get("redirect_uri");
      expect(callback).toBe(`${url}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true`);
      expect(response.body).not.toContain("Hostname:");
    }));

  test("returns 401 for a background request or a preflight without a session", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const signals: Record<string, string>[] = [
        { "x-requested-with": "XMLHttpRequest" },
        { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
        { accept: "application/json" },
        { authorization: "Bearer invalid" },
        { "access-control-request-method": "GET" },
      ];
      for (const headers of signals) {
        expect([headers, statusAndTarget(await client.send(`${url}/x`, { headers }))]).toEqual([headers, "401"]);
      }
    }));

  test("returns the requested page with the six identity headers after a login", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const response = await signIn(client, `${url}/x?y=1`, credentialsOf("inge"));
      expect([response.url, response.status, receivedPath(response.body)]).toEqual([`${url}/x?y=1`, 200, "/x?y=1"]);
      expect(receivedIdentityHeaders(response.body)).toEqual(SIX);
      const headers = receivedHeaders(response.body);
      expect(headers.get("x-idp-username")).toEqual(["inge"]);
      expect(headers.get("x-idp-groups")).toEqual(["staff"]);
      const background = await client.send(`${url}/x`, { headers: { "x-requested-with": "XMLHttpRequest" } });
      expect([background.status, receivedIdentityHeaders(background.body)]).toEqual([200, SIX]);
    }));

  test("is not accessible to a user outside its groups", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const response = await signIn(client, `${url}/`, credentialsOf("gast"));
      expect(new URL(response.url).origin).toBe(identityProvider());
      expect(response.body).toContain("Permission denied");
      expect(statusAndTarget(await client.send(`${url}/`))).toBe(`302 ${authorize()}`);
    }));

  test("serves its public path without a session and without identity headers", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      for (const path of ["/open", "/open/deeper?x=1"]) {
        const response = await client.send(url + path, { headers: { "X-idp-username": "mallory" } });
        expect([response.status, receivedPath(response.body), receivedIdentityHeaders(response.body)]).toEqual([
          200,
          path,
          [],
        ]);
      }
      for (const path of ["/opener", "/x/open", "/Open", "/?/open"]) {
        expect([path, statusAndTarget(await client.send(url + path))]).toEqual([path, `302 ${authorize()}`]);
      }
    }));

  test("accepts a machine's token for this service, and rejects one for another service", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const robot = await machineSecret("robot");
      const token = await requestToken(client, robot, robot.clientIds[url] ?? "");
      const bearer = (value: string): Record<string, string> => ({ authorization: `Bearer ${value}` });
      const response = await withClient((machine) => machine.send(`${url}/x`, { headers: bearer(token) }));
      expect([response.status, receivedIdentityHeaders(response.body)]).toEqual([200, SIX]);
      expect(receivedHeaders(response.body).get("x-idp-username")).toEqual(["robot"]);
      const other = exposureOf(service === "forward" ? "gated" : "forward", kind);
      const foreign = await requestToken(client, robot, robot.clientIds[other.url] ?? "");
      const refused = await withClient((machine) => machine.send(`${url}/x`, { headers: bearer(foreign) }));
      expect(statusAndTarget(refused)).toBe("401");
    }));
});

describe.each(each(["notes"]))("%s on %s, which signs users in itself", (service, kind) => {
  test("redirects a request without a session to the login", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const response = await client.send(`${url}/x`);
      expect(statusAndTarget(response)).toBe(`302 ${authorize()}`);
      expect(new URL(headerOf(response, "location") ?? "").searchParams.get("redirect_uri")).toBe(`${url}/callback`);
    }));

  test("receives the user's claims and its own host after a login", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const response = await signIn(client, `${url}/x`, credentialsOf("inge"));
      expect([response.url, response.status]).toEqual([`${url}/x`, 200]);
      expect(JSON.parse(response.body)).toMatchObject({
        preferred_username: "inge",
        groups: ["staff"],
        host: new URL(url).host,
      });
    }));

  test("is not accessible to a user outside its groups", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      const response = await signIn(client, `${url}/`, credentialsOf("gast"));
      expect(new URL(response.url).origin).toBe(identityProvider());
      expect(statusAndTarget(await client.send(`${url}/`))).toBe(`302 ${authorize()}`);
    }));

  test("requires a new login after a sign-out", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      await signIn(client, `${url}/`, credentialsOf("inge"));
      await runFlow(client, await client.follow(`${url}/logout`));
      const again = await client.follow(`${url}/`);
      expect(new URL(again.url).pathname).toMatch(/^\/if\/flow\//);
    }));
});

describe.each(each(["legacy"]))("%s on %s, with one password", (service, kind) => {
  const password = (): string => inject("domains").variables["LEGACY_PASSWORD"] ?? "";

  test("returns 401 with its realm without a password, for a wrong one and for a token", () =>
    withClient(async (client) => {
      const { url } = exposureOf(service, kind);
      for (const headers of [{}, basic("wrong"), basic(""), { authorization: "Bearer x" }]) {
        const response = await client.send(`${url}/`, { headers });
        expect([response.status, headerOf(response, "www-authenticate")]).toEqual([401, 'Basic realm="legacy"']);
        expect(response.body).not.toContain("Hostname:");
      }
    }));

  test("receives the user name and not the password", () =>
    withClient(async (client) => {
      const response = await client.send(`${exposureOf(service, kind).url}/x`, { headers: basic(password()) });
      expect([response.status, receivedIdentityHeaders(response.body)]).toEqual([200, ["x-idp-username"]]);
      const headers = receivedHeaders(response.body);
      expect(headers.get("x-idp-username")).toEqual(["ops"]);
      expect(headers.get("authorization")).toBe(undefined);
    }));

  test("serves its public path without a password", () =>
    withClient(async (client) => {
      const response = await client.send(`${exposureOf(service, kind).url}/open`);
      expect([response.status, receivedIdentityHeaders(response.body)]).toEqual([200, []]);
    }));
});

describe.each(["forward", "gated", "notes", "legacy"])("%s", (service) => {
  test("returns 404 on a disabled domain and under another host", () =>
    withClient(async (client) => {
      const { httpPort, httpsPort } = inject("domains");
      const hosts = [`${service}.retired.test`, `${service}x.localhost`, `x.${service}.localhost`];
      for (const host of hosts) {
        for (const origin of [`http://127.0.0.1:${httpPort}`, `https://127.0.0.1:${httpsPort}`]) {
          const response = await client.send(`${origin}/`, { headers: { host } });
          expect([host, origin.split(":")[0], response.status]).toEqual([host, origin.split(":")[0], 404]);
        }
      }
    }));

  test("redirects HTTP to HTTPS only if TLS is terminated at the gateway", () =>
    withClient(async (client) => {
      const { httpPort, httpsPort } = inject("domains");
      const request = (host: string, headers: Record<string, string> = {}) =>
        client.send(`http://127.0.0.1:${httpPort}/x?y=1`, { headers: { host, ...headers } });
      const response = await request(`${service}.mesh.test`);
      expect([response.status, headerOf(response, "location")]).toEqual([
        301,
        `${exposureOf(service, "mesh").url}/x?y=1`,
      ]);
      // The gateway ignores X-Forwarded-Proto of a client.
      expect((await request(`${service}.mesh.test`, { "x-forwarded-proto": "https" })).status).toBe(301);
      const secure = await client.send(`https://127.0.0.1:${httpsPort}/`, {
        headers: { host: `${service}.localhost` },
      });
      expect(secure.status).toBe(404);
    }));
});

describe.each(["forward", "gated", "notes", "legacy"])("the test environment whoami-%s.localhost", (service) => {
  test("shows the application's request headers behind the same authentication", () =>
    withClient(async (client) => {
      const { url } = exposureOf(`whoami-${service}`, "localhost");
      if (service === "legacy") {
        expect((await client.send(`${url}/`)).status).toBe(401);
        const password = inject("domains").variables["LEGACY_PASSWORD"] ?? "";
        expect(receivedIdentityHeaders((await client.send(`${url}/`, { headers: basic(password) })).body)).toEqual([
          "x-idp-username",
        ]);
        return;
      }
      expect(statusAndTarget(await client.send(`${url}/`))).toBe(`302 ${authorize()}`);
      const response = await signIn(client, `${url}/x`, credentialsOf("inge"));
      expect([response.status, receivedIdentityHeaders(response.body)]).toEqual([200, SIX]);
      const outside = await withClient((other) => signIn(other, `${url}/x`, credentialsOf("gast")));
      expect(new URL(outside.url).origin).toBe(identityProvider());
    }));
});

test("gives a machine without groups the client ids of services for all users, and no token for others", () =>
  withClient(async (client) => {
    const [ungrouped, robot] = [await machineSecret("ungrouped"), await machineSecret("robot")];
    const open = ["everyone", "whoami-everyone"].map((service) => exposureOf(service, "localhost").url);
    expect(Object.keys(ungrouped.clientIds).sort()).toEqual(open.sort());
    const { url } = exposureOf("forward", "localhost");
    await expect(requestToken(client, ungrouped, robot.clientIds[url] ?? "")).rejects.toThrow("answered 400");
  }));
