import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../../infra/identity/headers.ts";
import { headerOf, withClient } from "../../ops/clients/http.ts";
import { receivedHeaders, receivedPath } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { origin, sampleUser, sendRaw } from "./fixtures.ts";
import { runFlow } from "../domains/fixtures.ts";

const identityHeaders = (body: string): [string, readonly string[]][] =>
  [...receivedHeaders(body)].filter(([name]) => /^x[-_.](idp|authentik)[-_.]/.test(name));

describe("a request without a session", () => {
  test("is redirected from a protected host to the identity provider with every method", async () => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
      const response = await withClient((client) => client.send(`${origin("whoami")}/x?y=1`, { method }));
      expect([method, response.status]).toEqual([method, 302]);
      const location = new URL(headerOf(response, "location") ?? "");
      expect(`${location.origin}${location.pathname}`).toBe(`${origin("authentik")}/application/o/authorize/`);
      expect(location.searchParams.get("response_type")).toBe("code");
      expect(location.searchParams.get("redirect_uri")).toBe(
        `${origin("whoami")}/outpost.goauthentik.io/callback?X-authentik-auth-callback=true`,
      );
      expect(response.body).not.toContain("Hostname:");
    }
  });

  test("gets 200 from the identity provider's admin page", async () => {
    const response = await withClient((client) => client.send(`${origin("authentik")}/if/admin/`));
    expect(response.status).toBe(200);
  });

  test.each([
    "whoami.mesh.invalid",
    "unknown.localhost",
    "x.whoami.localhost",
    "localhost",
    "whoami.localhost.evil.test",
  ])("gets 404 from %s, which is not exposed", async (host) => {
    const response = await withClient((client) => client.send(`${origin("whoami")}/`, { headers: { host } }));
    expect(response.status).toBe(404);
  });
});

describe("a sign-in through the flow executor", () => {
  test("results in a token that verifies against the published keys, and groups joined with commas", async () => {
    await withClient(async (client) => {
      const response = await signIn(client, `${origin("whoami")}/x?y=1`, sampleUser("alice"));
      expect(response.status).toBe(200);
      expect(receivedPath(response.body)).toBe("/x?y=1");
      const headers = Object.fromEntries(identityHeaders(response.body));
      expect(Object.keys(headers).sort()).toEqual(IDENTITY_HEADERS.map((name) => name.toLowerCase()).sort());
      expect(headers["x-idp-username"]).toEqual(["alice"]);
      expect(headers["x-idp-groups"]).toEqual(["admins,staff"]);
      const jwks = await client.send(`${origin("authentik")}/application/o/gatehouse-identity/jwks/`);
      const keys = createLocalJWKSet(JSON.parse(jwks.body) as JSONWebKeySet);
      const { payload, protectedHeader } = await jwtVerify(headers["x-idp-jwt"]?.[0] ?? "", keys);
      expect(protectedHeader.alg).toBe("RS256");
      expect(payload["preferred_username"]).toBe("alice");
      expect(payload.iss).toBe(`${origin("authentik")}/application/o/gatehouse-identity/`);
      expect((payload["groups"] as string[]).toSorted()).toEqual(["admins", "staff"]);
    });
  });

  test("is denied by the identity provider for a user outside the allowed groups", async () => {
    await withClient(async (client) => {
      const response = await signIn(client, `${origin("admin")}/`, sampleUser("bob"));
      expect(new URL(response.url).origin).toBe(origin("authentik"));
      expect((await client.send(`${origin("admin")}/`)).status).toBe(302);
    });
    const inside = await withClient((client) => signIn(client, `${origin("admin")}/`, sampleUser("alice")));
    expect(receivedPath(inside.body)).toBe("/");
  });

  test("creates a session for one service only, since cookies are host-only", async () => {
    await withClient(async (client) => {
      await signIn(client, `${origin("whoami")}/`, sampleUser("alice"));
      const response = await client.send(`${origin("admin")}/`);
      expect(response.status).toBe(302);
    });
  });

  test("is required again after a sign-out, at the application and at the identity provider", async () => {
    await withClient(async (client) => {
      await signIn(client, `${origin("whoami")}/`, sampleUser("alice"));
      expect((await client.send(`${origin("whoami")}/`)).status).toBe(200);
      await runFlow(client, await client.follow(`${origin("whoami")}/outpost.goauthentik.io/sign_out`));
      expect((await client.send(`${origin("whoami")}/`)).status).toBe(302);
      const again = await client.follow(`${origin("whoami")}/`);
      expect(new URL(again.url).pathname).toMatch(/^\/if\/flow\//);
    });
  });

  test("is required again for a copied cookie after a sign-out", async () => {
    await withClient(async (client) => {
      await signIn(client, `${origin("whoami")}/`, sampleUser("alice"));
      const cookie = await client.cookies.getCookieString(origin("whoami"));
      await runFlow(client, await client.follow(`${origin("whoami")}/outpost.goauthentik.io/sign_out`));
      const response = await withClient((other) => other.send(`${origin("whoami")}/`, { headers: { cookie } }));
      expect(response.status).toBe(302);
    });
  });
});

describe("a forged identity header", () => {
  const forged = (spelling: string): [string, string][] => [
    [spelling, "mallory"],
    [spelling.toUpperCase(), "mallory"],
    [spelling.toLowerCase(), "mallory"],
    ["Connection", `close, ${spelling}`],
  ];

  test("is removed on a public route in every spelling and case, and when Connection lists it", async () => {
    for (const spelling of identityHeaderSpellings()) {
      const { status, body } = await sendRaw(`${origin("whoami-public")}/`, forged(spelling));
      expect([spelling, status, identityHeaders(body)]).toEqual([spelling, 200, []]);
      expect(body).not.toContain("mallory");
    }
  });

  test("is removed on a protected route, and the real ones stay unchanged", async () => {
    await withClient(async (client) => {
      const own = await signIn(client, `${origin("whoami")}/`, sampleUser("bob"));
      const expected = identityHeaders(own.body);
      expect(expected.length).toBe(6);
      const cookie = await client.cookies.getCookieString(origin("whoami"));
      for (const spelling of identityHeaderSpellings()) {
        const { status, body } = await sendRaw(`${origin("whoami")}/`, [["Cookie", cookie], ...forged(spelling)]);
        expect([spelling, status, identityHeaders(body).sort()]).toEqual([spelling, 200, [...expected].sort()]);
        expect(body).not.toContain("mallory");
      }
    });
  });
});
