/**
 * Sessions of one service must not open another one that has other allowed groups, and a session id that an attacker chose must not
 * become a user's session. On a shared outpost of authentik both attacks work (measured, docs/authentik.md), as the last part shows.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { OUTPOST_PATH } from "../../protections/forwardAuth.ts";
import { isForwarded } from "../../infra/plan/exposure.ts";
import { providerOf } from "../../infra/plan/outposts.ts";
import type { Exposure } from "../../infra/plan/types.ts";
import { headerOf } from "../../ops/clients/http.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { markOf, type TraefikObject, untilUnmarked, withObjects } from "./cluster.ts";
import { sessionAt } from "./credentials.ts";
import { Administrator } from "./administrator.ts";
import { type Line, outcome, sendRaw } from "./rawRequests.ts";
import { exposureOf, identityProvider, credentialsOf, withClient } from "./fixtures.ts";

/** A session id of gorilla/sessions: 32 bytes in base32. */
const CHOSEN_ID = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/** Returns the exposures behind forward auth on http, each with a user of an allowed group. */
const protectedExposures = (): { exposure: Exposure; username: string }[] =>
  inject("domains")
    .plan.exposures.filter(({ authentication, domain }) => authentication === "forward-auth" && domain === "localhost")
    .map((exposure) => ({ exposure, username: exposure.groups.includes("guests") ? "gast" : "inge" }));

/** Returns the name of the outpost's cookie at a host. */
async function cookieName(url: string): Promise<string> {
  const [cookie = ""] = [headerOf(await sendRaw(`${url}/x`), "set-cookie") ?? ""];
  return cookie.slice(0, cookie.indexOf("="));
}

/** Returns the outpost's cookie among those of a session. */
async function outpostCookie(url: string, [, cookies]: Line): Promise<string> {
  const name = await cookieName(url);
  const found = cookies.split("; ").find((cookie) => cookie.startsWith(`${name}=`));
  if (found === undefined) throw new Error(`no ${name} in the session of ${url}`);
  return found.slice(name.length + 1);
}

describe("a session", () => {
  test("opens the services of its outpost, and no service of another outpost", async () => {
    const opened: string[] = [];
    for (const from of protectedExposures()) {
      const session = await sessionAt(from.exposure.url, from.username);
      const value = await outpostCookie(from.exposure.url, session);
      for (const { exposure: to } of protectedExposures()) {
        const cookie: Line = ["Cookie", `${await cookieName(to.url)}=${value}`];
        const page = outcome(await sendRaw(`${to.url}/x`, { lines: [cookie] }));
        const background: Line = ["X-Requested-With", "XMLHttpRequest"];
        const status = (await sendRaw(`${to.url}/x`, { lines: [cookie, background] })).status;
        if (to.outpost === from.exposure.outpost) {
          opened.push(`${from.exposure.service} ${to.service}`);
          expect([to.id, page, status]).toEqual([to.id, "200 shows /x", 200]);
        } else {
          expect([from.exposure.id, to.id, page, status]).toEqual([
            from.exposure.id,
            to.id,
            `login for ${to.url}/x`,
            401,
          ]);
        }
      }
    }
    // Services of one outpost have the same allowed groups, so a login would open the same services.
    const pairs = protectedExposures().flatMap(({ exposure: a }) =>
      protectedExposures().map(({ exposure: b }) => [a, b] as const),
    );
    const same = pairs.filter(([a, b]) => a.groups.join() === b.groups.join() && a.session === b.session);
    expect(opened.sort()).toEqual(same.map(([a, b]) => `${a.service} ${b.service}`).sort());
  });

  test("gets a new id when the client sends one of its choice", async () => {
    for (const { exposure, username } of protectedExposures()) {
      const name = await cookieName(exposure.url);
      await withClient(async (client) => {
        await client.cookies.setCookie(`${name}=${CHOSEN_ID}; Path=/`, exposure.url);
        await signIn(client, `${exposure.url}/`, credentialsOf(username));
        const cookies = await client.cookies.getCookieString(exposure.url);
        expect([exposure.id, cookies.includes(CHOSEN_ID)]).toEqual([exposure.id, false]);
      });
      const attacker = await sendRaw(`${exposure.url}/x`, { lines: [["Cookie", `${name}=${CHOSEN_ID}`]] });
      expect([exposure.id, outcome(attacker)]).toEqual([exposure.id, `login for ${exposure.url}/x`]);
    }
  });
});

describe("control: on one shared outpost", () => {
  const guestbook = (): Exposure => exposureOf("guestbook", "localhost");
  const forward = (): Exposure => exposureOf("forward", "localhost");
  let administrator: Administrator;
  let outpost: { pk: string; providers: number[]; config: object };

  beforeAll(async () => {
    administrator = new Administrator(identityProvider(), inject("domains").variables["AUTHENTIK_TOKEN"] ?? "");
    type Listed<T> = { results: T[] };
    const query = `/outposts/instances/?name__iexact=${encodeURIComponent("authentik Embedded Outpost")}`;
    const [found] = (await administrator.call<Listed<typeof outpost>>("GET", query)).results;
    if (!found) throw new Error("authentik has no embedded outpost");
    outpost = found;
    const { results } = await administrator.call<Listed<{ pk: number; name: string }>>(
      "GET",
      "/providers/proxy/?page_size=100",
    );
    const providers = results
      .filter(({ name }) => [forward(), guestbook()].filter(isForwarded).map(providerOf).includes(name))
      .map(({ pk }) => pk);
    const config = { ...outpost.config, authentik_host: identityProvider() };
    await administrator.call("PATCH", `/outposts/instances/${outpost.pk}/`, { providers, config });
  });
  afterAll(async () => {
    const { providers, config } = outpost;
    await administrator.call("PATCH", `/outposts/instances/${outpost.pk}/`, { providers, config });
    await administrator.close();
  });

  /** Runs `work` with both hosts routed through the embedded outpost, with a higher priority than the stack's routes. */
  const withSharedOutpost = async (work: () => Promise<void>): Promise<void> => {
    const address = `${await serverAddress()}${OUTPOST_PATH}/auth/traefik`;
    const chain: TraefikObject = {
      kind: "Middleware",
      name: "control-shared",
      spec: { forwardAuth: { address, authResponseHeaders: ["X-idp-username"] } },
    };
    const mark = markOf(randomUUID());
    const routes = [guestbook(), forward()].map(({ host, service, backend }): TraefikObject => ({
      kind: "IngressRoute",
      name: `control-${service}`,
      spec: {
        entryPoints: ["web"],
        routes: [
          {
            kind: "Rule",
            match: `Host(\`${host}\`)`,
            priority: 1_000,
            middlewares: [{ name: mark.name }, { name: "control-shared" }],
            services: [{ name: backend.name, port: backend.port, nativeLB: true }],
          },
        ],
      },
    }));
    await withObjects([chain, mark, ...routes], async () => {
      for (const { url } of [guestbook(), forward()]) {
        const ready = async (): Promise<unknown> => {
          const response = await sendRaw(`${url}/x`);
          return [response.headers["x-control"], outcome(response)];
        };
        await expect.poll(ready, { timeout: 240_000, interval: 200 }).toEqual([mark.name, `login for ${url}/x`]);
      }
      await work();
    });
    for (const { url } of [guestbook(), forward()]) await untilUnmarked(`${url}/x`, mark);
  };

  test("accepts the session of one service at another one that the user is not allowed to use", async () => {
    await withSharedOutpost(async () => {
      const value = await withClient(async (client) => {
        await signIn(client, `${guestbook().url}/`, credentialsOf("gast"));
        const cookies = await client.cookies.getCookieString(guestbook().url);
        return outpostCookie(guestbook().url, ["Cookie", cookies]);
      });
      const cookie: Line = ["Cookie", `${await cookieName(forward().url)}=${value}`];
      const response = await sendRaw(`${forward().url}/x`, { lines: [cookie] });
      expect([outcome(response), receivedHeaders(response.body).get("x-idp-username")]).toEqual([
        "200 shows /x",
        ["gast"],
      ]);
    });
  });

  test("uses an id of the attacker's choice for the session of the user who signs in with it", async () => {
    await withSharedOutpost(async () => {
      const name = await cookieName(guestbook().url);
      await withClient(async (client) => {
        await client.cookies.setCookie(`${name}=${CHOSEN_ID}; Path=/`, guestbook().url);
        await signIn(client, `${guestbook().url}/`, credentialsOf("gast"));
      });
      const attacker = await sendRaw(`${guestbook().url}/x`, { lines: [["Cookie", `${name}=${CHOSEN_ID}`]] });
      expect([outcome(attacker), receivedHeaders(attacker.body).get("x-idp-username")]).toEqual([
        "200 shows /x",
        ["gast"],
      ]);
    });
  });
});

/** Returns the server's address for the gateway; its process is the embedded outpost. */
async function serverAddress(): Promise<string> {
  const { CoreV1Api } = await import("@kubernetes/client-node");
  const { RetryingKubeConfig } = await import("../../infra/kubeConfig.ts");
  const config = RetryingKubeConfig.fromFile(inject("domains").kubeconfig);
  const location = { name: "authentik-server", namespace: "authentik" };
  const { spec } = await config.makeApiClient(CoreV1Api).readNamespacedService(location);
  return `http://${spec?.clusterIP}:9000`;
}
