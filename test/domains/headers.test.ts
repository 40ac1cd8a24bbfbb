/** Identity headers and their token for names that a header cannot contain unchanged. */
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type HttpResponse, headerOf, type HttpClient } from "../../ops/clients/http.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { Administrator, type TestUser } from "./administrator.ts";
import { outcome } from "./rawRequests.ts";
import { exposureOf, identityProvider, withClient } from "./fixtures.ts";

const MANY = Array.from({ length: 200 }, (_, i) => `team-${String(i).padStart(3, "0")}`);
/** Names that the header can contain. */
const UNAMBIGUOUS = ["staff", "a|b", "two words", "x; y=z", "æøå Økonomi", "漢字", '"quoted"', "a:b"];
/** Names that an administrator can create and that look like others in the header; authentik removes outer white space (measured). */
const AMBIGUOUS = ["admins,root", "root,", ",root", "ro\u200bot", "ops\r\nX-idp-groups: root"];

const kåre: TestUser = {
  username: "kåre.ødegård",
  name: "Kåre\r\nX-idp-groups: root\u200b\u202e\u2028\u00a0Ødegård 漢字",
  password: "kåre's password",
  groups: [...UNAMBIGUOUS, ...AMBIGUOUS, ...MANY],
};
const bell: TestUser = { ...kåre, username: "bell", name: "Bell\u0007", groups: ["staff"] };
const mallory: TestUser = { ...kåre, username: "mallory", name: "Mallory", groups: ["staff"] };
const member: TestUser = { ...kåre, username: "member", name: "Member", groups: ["branch", "staff"] };
const director: TestUser = { ...kåre, username: "director", name: "Director", groups: ["company"] };
const USERS = [kåre, bell, mallory, member, director];
/** Returns an ASCII name. The e-mail address is derived from the user name, so users get their real names afterwards. */
const plain = (username: string): string => username.normalize("NFD").replaceAll(/[^a-z]/g, "");

interface Signer {
  readonly pk: number;
  readonly redirect_uris: readonly { readonly url: string }[];
}

let administrator: Administrator;
beforeAll(async () => {
  administrator = new Administrator(identityProvider(), inject("domains").variables["AUTHENTIK_TOKEN"] ?? "");
  for (const { username, ...user } of USERS) {
    await administrator.create({ ...user, username: plain(username) });
    await administrator.call("PATCH", `/core/users/${await idOf(plain(username))}/`, { username });
  }
});
afterAll(async () => {
  for (const { username } of USERS) await administrator.call("DELETE", `/core/users/${await idOf(username)}/`);
  await administrator.close();
});

async function idOf(username: string): Promise<number> {
  const users = await administrator.all<{ pk: number; username: string }>("/core/users/", { username });
  const found = users.find((user) => user.username === username);
  if (!found) throw new Error(`no user "${username}"`);
  return found.pk;
}

/** By Unicode code points, as Python sorts. */
const sorted = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** Returns the value of a header that the application received once. */
function header({ body }: HttpResponse, name: string): string {
  const values = receivedHeaders(body).get(name) ?? [];
  expect([name, values.length]).toEqual([name, 1]);
  return values[0] ?? "";
}

async function verifyToken(client: HttpClient, token: string): Promise<JWTPayload> {
  const slug = `${identityProvider()}/application/o/gatehouse-identity/`;
  const keys = createLocalJWKSet(JSON.parse((await client.send(`${slug}jwks/`)).body) as JSONWebKeySet);
  return (await jwtVerify(token, keys, { algorithms: ["RS256"], issuer: slug, audience: "gatehouse-identity" }))
    .payload;
}

// The two are served by different outposts.
describe.each(["forward", "gated"])("the headers of %s", (service) => {
  test("contain 200 groups, and names with pipes, blanks and non-ASCII letters", () =>
    withClient(async (client) => {
      const response = await signIn(client, `${exposureOf(service, "localhost").url}/`, kåre);
      const groups = header(response, "x-idp-groups").split(",");
      expect(groups).toEqual(sorted(kåre.groups.filter((group) => !AMBIGUOUS.includes(group))));
      expect(groups.filter((group) => /root|admins|ops/.test(group))).toEqual([]);
      const claims = await verifyToken(client, header(response, "x-idp-jwt"));
      expect(sorted(claims["groups"] as string[])).toEqual(sorted(kåre.groups));
    }));

  test("contain user names with replaced line breaks and invisible characters", () =>
    withClient(async (client) => {
      const response = await signIn(client, `${exposureOf(service, "localhost").url}/`, kåre);
      expect(header(response, "x-idp-name")).toBe("Kåre??X-idp-groups: root????Ødegård 漢字");
      expect(header(response, "x-idp-username")).toBe(kåre.username);
      expect(header(response, "x-idp-email")).toBe(`${plain(kåre.username)}@example.org`);
      const claims = await verifyToken(client, header(response, "x-idp-jwt"));
      expect([claims["name"], claims["preferred_username"]]).toEqual([kåre.name, kåre.username]);
    }));
});

test("contains a group once in the header and the token, whether inherited, direct or both", () =>
  withClient(async (client) => {
    const groups = await administrator.all<{ pk: string; name: string }>("/core/groups/");
    const pk = (name: string): string => groups.find((group) => group.name === name)?.pk ?? "";
    const path = `/core/groups/${pk("branch")}/`;
    await administrator.call("PATCH", path, { parents: [pk("staff"), pk("company")] });
    const response = await signIn(client, `${exposureOf("forward", "localhost").url}/`, member);
    await administrator.call("PATCH", path, { parents: [] });
    const { groups: claimed } = await verifyToken(client, header(response, "x-idp-jwt"));
    const expected = ["branch", "company", "staff"];
    expect(header(response, "x-idp-groups")).toBe(expected.join(","));
    expect(sorted(claimed as string[])).toEqual(expected);
  }));

test("attributes of a user and of a group do not set identity headers, in any spelling", () =>
  withClient(async (client) => {
    const [staff] = await administrator.all<{ pk: string }>("/core/groups/", { name: "staff" });
    const [group, user] = [`/core/groups/${staff?.pk}/`, `/core/users/${await idOf(mallory.username)}/`];
    const set = (path: string, attributes: object): Promise<unknown> =>
      administrator.call("PATCH", path, { attributes });
    await set(group, { additionalHeaders: { "x-idp-groups": "root", "X-Idp-Uid": "1" } });
    await set(user, { additionalHeaders: { "X-IDP-USERNAME": "ceo", "X-idp-Name": "CEO", "X-idp-email": "ceo@x" } });
    const response = await signIn(client, `${exposureOf("forward", "localhost").url}/`, mallory);
    await set(group, {});
    const { sub = "", ...claims } = await verifyToken(client, header(response, "x-idp-jwt"));
    expect(["username", "name", "email", "groups", "uid"].map((name) => header(response, `x-idp-${name}`))).toEqual([
      "mallory",
      "Mallory",
      "mallory@example.org",
      "staff",
      sub,
    ]);
    expect(claims["preferred_username"]).toBe("mallory");
  }));

describe("the provider of the token", () => {
  const authorize = (client: HttpClient, redirect_uri: string, response_type: string): Promise<HttpResponse> => {
    const request = { client_id: "gatehouse-identity", scope: "openid email profile", nonce: "1" };
    const parameters = new URLSearchParams({ ...request, redirect_uri, response_type });
    return client.send(`${identityProvider()}/application/o/authorize/?${parameters.toString()}`);
  };
  const signer = async (): Promise<Signer> => {
    const [found] = await administrator.all<Signer>("/providers/oauth2/", { client_id: "gatehouse-identity" });
    if (!found) throw new Error("no provider gatehouse-identity");
    return found;
  };

  test.each(["id_token", "code"])(
    "redirects no user to another address with response_type=%s, and stores none",
    (type) =>
      withClient(async (client) => {
        await signIn(client, `${exposureOf("forward", "localhost").url}/`, kåre);
        const response = await authorize(client, "https://evil.example/", type);
        expect([response.status, headerOf(response, "location")]).toEqual([400, undefined]);
        expect((await signer()).redirect_uris.map(({ url }) => url)).toEqual(["https://gatehouse-identity.invalid/"]);
      }),
  );

  test("admits no user, whatever its grant types", () =>
    withClient(async (client) => {
      await signIn(client, `${exposureOf("forward", "localhost").url}/`, kåre);
      const { pk, redirect_uris } = await signer();
      // They remain: a real authentik refuses the empty list that was there, although it is its default.
      await administrator.call("PATCH", `/providers/oauth2/${pk}/`, {
        grant_types: ["authorization_code", "implicit"],
      });
      const response = await authorize(client, redirect_uris[0]?.url ?? "", "code");
      expect([headerOf(response, "location"), response.body.includes("Permission denied")]).toEqual([undefined, true]);
    }));
});

// authentik puts the name into X-authentik-name, which Traefik rejects with a control character.
test("returns 500 to a user whose name contains a control character", () =>
  withClient(async (client) => {
    const response = await signIn(client, `${exposureOf("forward", "localhost").url}/`, bell);
    expect(outcome(response)).toBe("500");
  }));

describe("a session", () => {
  const HOURS_12 = 12 * 60 * 60;

  test("has the same lifetime at the application and in the token", () =>
    withClient(async (client) => {
      const { url } = exposureOf("forward", "localhost");
      const before = Date.now() / 1000;
      const response = await signIn(client, `${url}/`, kåre);
      const { iat = 0, exp = 0 } = await verifyToken(client, header(response, "x-idp-jwt"));
      expect(exp - iat).toBe(HOURS_12);
      expect(iat).toBeGreaterThanOrEqual(Math.floor(before));
      const [cookie] = await client.cookies.getCookies(url);
      expect(Number(cookie?.maxAge)).toBeGreaterThan(HOURS_12 - 60);
      expect(Number(cookie?.maxAge)).toBeLessThanOrEqual(HOURS_12);
      expect([cookie?.httpOnly, cookie?.sameSite, cookie?.domain]).toEqual([true, "lax", new URL(url).hostname]);
    }));
});
