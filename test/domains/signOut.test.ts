/** Sign-out and failed callbacks in a browser. The outpost's responses are measured (docs/authentik.md). */
import { beforeAll, describe, expect, inject, test } from "vitest";
import { OUTPOST_PATH } from "../../protections/forwardAuth.ts";
import { type HttpResponse, headerOf, type HttpClient } from "../../ops/clients/http.ts";
import { receivedHeaders, receivedPath } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { FULL } from "../helpers/full.ts";
import { Administrator, type TestUser } from "./administrator.ts";
import { sessionAt } from "./credentials.ts";
import { outcome, sendRaw } from "./rawRequests.ts";
import { exposureOf, identityProvider, credentialsOf, runFlow, withClient } from "./fixtures.ts";

const forward = (): string => exposureOf("forward", "localhost").url;
const CALLBACK = `${OUTPOST_PATH}/callback?X-authentik-auth-callback=true`;

/** Visible parts of a page. */
interface Page {
  readonly title: string;
  readonly link: string;
  readonly status: number;
}

function pageOf({ status, body }: HttpResponse): Page {
  const [, title = ""] = /<h1>(.*?)<\/h1>/.exec(body) ?? [];
  const [, link = ""] = /<a href="(.*?)">/.exec(body) ?? [];
  return { title, link: link.replaceAll("&amp;", "&"), status };
}

/** Signs in, and follows the link of the page "Sign in again" if it appears. */
async function signInAsBrowser(
  client: HttpClient,
  url: string,
  user: TestUser,
): Promise<{ response: HttpResponse; pages: number }> {
  const response = await signIn(client, url, user);
  const { title, link } = pageOf(response);
  if (title !== "Sign in again") return { response, pages: 0 };
  return { response: await signIn(client, new URL(link, response.url).href, user), pages: 1 };
}

/** Opens the sign-out address and runs authentik's flow. @returns the address at the end of the flow */
async function signOut(client: HttpClient, url: string): Promise<string> {
  return (await runFlow(client, await client.follow(`${url}${OUTPOST_PATH}/sign_out`))).url;
}

describe("sign-out", () => {
  test("ends the session at the application and at authentik, and the next login opens the requested page", () =>
    withClient(async (client) => {
      const inge = credentialsOf("inge") as TestUser;
      await signIn(client, `${forward()}/`, inge);
      const end = new URL(await signOut(client, forward()));
      expect([end.origin, end.pathname]).toEqual([identityProvider(), "/if/flow/default-authentication-flow/"]);
      expect(new URL((await client.follow(`${forward()}/x?y=1`)).url).origin).toBe(identityProvider());
      const { response } = await signInAsBrowser(client, `${forward()}/x?y=1`, inge);
      expect([response.url, response.status, receivedPath(response.body)]).toEqual([
        `${forward()}/x?y=1`,
        200,
        "/x?y=1",
      ]);
      // The new session persists.
      expect(outcome(await client.send(`${forward()}/x`))).toBe("200 shows /x");
    }));

  test("shows a page with a link to the application without a session", () =>
    withClient(async (client) => {
      const page = await client.follow(`${forward()}${OUTPOST_PATH}/sign_out`);
      expect([new URL(page.url).origin, pageOf(page)]).toEqual([
        forward(),
        { title: "You are signed out", link: "/", status: 200 },
      ]);
      const response = await signIn(client, new URL(pageOf(page).link, page.url).href, credentialsOf("inge"));
      expect(outcome(response)).toBe("200 shows /");
      expect(outcome(await client.send(`${forward()}/x`))).toBe("200 shows /x");
    }));
});

test("returns 404 for the endpoints of forward auth, also with a session", async () => {
  const lines = [await sessionAt(forward())];
  expect((await sendRaw(`${forward()}/x`, { lines })).status).toBe(200);
  for (const path of [
    "auth/traefik",
    "auth/nginx",
    "auth/caddy",
    "auth/envoy/x",
    "./auth/traefik",
    "%61uth/traefik",
    "auth%2Ftraefik",
    "auth%2fcaddy",
  ]) {
    const response = await sendRaw(forward(), { target: `${OUTPOST_PATH}/${path}`, lines });
    expect([path, response.status, headerOf(response, "x-idp-jwt")]).toEqual([path, 404, undefined]);
  }
});

describe("a callback whose login cannot be completed", () => {
  const stateOf = async (path: string): Promise<string> =>
    new URL(headerOf(await sendRaw(forward() + path), "location") ?? "").searchParams.get("state") ?? "";

  test("shows a page with a link to the requested page", async () => {
    const response = await sendRaw(`${forward()}${CALLBACK}&code=x&state=${await stateOf("/x?y=1&z=2")}`);
    expect(pageOf(response)).toEqual({ title: "Sign in again", link: "/x?y=1&z=2", status: 200 });
    expect([headerOf(response, "cache-control"), headerOf(response, "content-security-policy")]).toEqual([
      "no-store",
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ]);
  });

  const forged = (redirect: unknown): string =>
    `e30.${Buffer.from(JSON.stringify({ redirect })).toString("base64url")}.x`;
  test.each([
    ["no state", ""],
    ["no token", "x"],
    ["another host", forged("https://evil.test/x")],
    ["another host after two slashes", forged("https://evil.test//evil.test/")],
    ["a script", forged("javascript:alert(1)")],
    ["a number", forged(7)],
    ["a tag", forged('https://evil.test/"><script>alert(1)</script>')],
    ["the outpost itself", forged(`https://evil.test${OUTPOST_PATH}/sign_out`)],
  ])("links to this host alone with %s in its state", async (_name, state) => {
    const response = await sendRaw(`${forward()}${CALLBACK}&code=x&state=${state}`);
    const target = new URL(pageOf(response).link, forward());
    expect([response.status, target.origin, response.body.includes("<script")]).toEqual([200, forward(), false]);
    expect(target.pathname.startsWith(OUTPOST_PATH)).toBe(false);
  });
});

describe("ten users over three services", () => {
  const USERS = 10;
  // Three rounds take every user to every service.
  const ROUNDS = FULL ? 10 : 3;
  const users: TestUser[] = Array.from({ length: USERS }, (_, index) => ({
    username: `user-${index}`,
    name: `User ${index}`,
    password: `password of ${index}`,
    groups: ["staff", "guests"],
  }));

  beforeAll(async () => {
    const administrator = new Administrator(identityProvider(), inject("domains").variables["AUTHENTIK_TOKEN"] ?? "");
    for (const user of users) await administrator.create(user);
    await administrator.close();
  });

  test(`sign in and out ${USERS * ROUNDS} times, with their own name in each page and without a 4xx or 5xx`, async () => {
    const services = ["everyone", "forward", "guestbook"].map((service) => exposureOf(service, "localhost").url);
    const seen: Record<string, number> = {};
    let pages = 0;
    await Promise.all(
      users.map((user, index) =>
        withClient(async (client) => {
          const counted: HttpClient = {
            ...client,
            send: async (url, options) => {
              const response = await client.send(url, options).catch((cause: unknown) => {
                throw new Error(`${user.username}: ${options?.method ?? "GET"} ${url}: ${String(cause)}`, { cause });
              });
              seen[response.status] = (seen[response.status] ?? 0) + 1;
              return response;
            },
            follow: async (url) => {
              let response = await counted.send(url);
              for (let hop = 0; hop < 15 && response.status >= 300 && response.status < 400; hop += 1) {
                response = await counted.send(new URL(headerOf(response, "location") ?? "", response.url).href);
              }
              return response;
            },
          };
          for (let round = 0; round < ROUNDS; round += 1) {
            const url = services[(index + round) % services.length] ?? "";
            const { response, pages: shown } = await signInAsBrowser(counted, `${url}/x`, user);
            pages += shown;
            expect([user.username, response.status, receivedHeaders(response.body).get("x-idp-username")]).toEqual([
              user.username,
              200,
              [user.username],
            ]);
            await signOut(counted, url);
          }
        }),
      ),
    );
    expect(Object.keys(seen).filter((status) => Number(status) >= 400)).toEqual([]);
    // At most one page for each login with the cookie of a session that has ended; the first of a user has none.
    expect(pages).toBeLessThanOrEqual(USERS * (ROUNDS - 1));
  });
});
