/** Changes of `protected_services` reach the gateway and the identity provider, rename no other object, and expose no host during the deployment. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isForwarded } from "../../infra/plan/exposure.ts";
import { providerOf } from "../../infra/plan/outposts.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { headerOf } from "../../ops/clients/http.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { statusAndTarget, withClient } from "../domains/fixtures.ts";
import { FULL } from "../helpers/full.ts";
import { fullTest } from "../helpers/fullTest.ts";
import {
  type Config,
  type EchoService,
  GAST,
  INGE,
  type OwnPlatform,
  type OwnStack,
  SECRETS,
  service,
} from "../helpers/ownPlatform.ts";
import { type Probe, probe, type Tally } from "../helpers/probe.ts";
import { identityProvider } from "../helpers/sections.ts";
import { createUsers, openShared, waitUntilServed } from "./stack.ts";

const oauth = { client_id: "client", client_secret: "${CLIENT_SECRET}", redirect_uri: "/callback" };
const basic = { basic_auth: { username: "ops", password: "${BASIC_PASSWORD}" } };
const UNCHANGED = [service("kept", { groups: ["staff"] }), service("other")];
const REMOVED = [
  service("leaving", { domains: ["partner"], groups: ["staff"] }),
  service("leaving-basic", { domains: ["partner"], type: "basic", ...basic }),
  service("leaving-oauth", { domains: ["partner"], type: "oauth2", oauth_config: oauth, groups: ["staff"] }),
];
const AUTHORIZATION = { authorization: `Basic ${Buffer.from(`ops:${SECRETS.BASIC_PASSWORD}`).toString("base64")}` };

let own: OwnPlatform;
let stack: OwnStack;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  await stack.up(config([...UNCHANGED, ...REMOVED]));
  for (const host of ["kept.localhost", "other.localhost"]) await waitUntilServed(own, host);
  await createUsers(own, INGE, GAST);
});
afterAll(() => own.stop());

function config(services: readonly EchoService[], { partner = true, perOutpost = 100 } = {}): Config {
  const port = own.platform.httpPort;
  const about = { base_domain: "partner.test", protocol: "http", description: "Partners", targets: ["192.0.2.1"] };
  return own.installed(services, {
    "gatehouse:domains": { localhost: { enabled: true, port }, partner: { enabled: partner, port, ...about } },
    "gatehouse:identity_provider": identityProvider({ providers_per_outpost: perOutpost }),
  });
}

function url(name: string, domain = "localhost"): string {
  return own.origin(`${name}.${domain}`);
}

/** Returns the status of a request without a session, and its redirect target. */
function response(to: string, headers: Record<string, string> = {}): Promise<string> {
  return withClient(async (client) => statusAndTarget(await client.send(to, { headers })));
}

/** Signs in and returns the session's cookie. */
function session(to: string, user = INGE): Promise<string> {
  return withClient(async (client) => {
    const { status } = await signIn(client, `${to}/`, user);
    expect([to, status]).toEqual([to, 200]);
    return client.cookies.getCookieString(to);
  });
}

/** Waits until each address answers a request without a session as expected: Traefik applies changes with a delay. */
async function until(expected: string, ...addresses: string[]): Promise<void> {
  const check = async (): Promise<void> => {
    for (const address of addresses) expect([address, await response(address)]).toEqual([address, expected]);
  };
  await vi.waitFor(check, { timeout: 240_000, interval: 100 });
}

/**
 * Waits until a service is behind another outpost, which has no earlier session. A login that begins at one outpost and ends at
 * another one gets 400.
 */
async function untilMoved(address: string, cookie: string): Promise<void> {
  const check = async (): Promise<void> => expect(await response(address, { cookie })).toBe(login());
  await vi.waitFor(check, { timeout: 240_000, interval: 100 });
}

const login = (): string => `302 ${own.identityProvider}/application/o/authorize/`;
const statuses = (tally: Tally): string[] => Object.keys(tally).sort();

/** Stops a probe and expects that it received no response of the application and no other success. */
async function expectNoExposure(watched: Probe): Promise<void> {
  const tally = await watched.stop();
  expect(watched.leaked).toEqual([]);
  expect(statuses(tally).filter((status) => !/^(302|4\d\d|5\d\d)$/.test(status))).toEqual([]);
  expect(Object.values(tally).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(50);
}

/** Returns the names of Traefik's objects of a kind in every namespace, e.g. `default/kept`. */
async function objects(resourcePlural: string): Promise<string[]> {
  const kind = { group: "traefik.io", version: "v1alpha1", resourcePlural };
  const list = (await own.objects.listCustomObjectForAllNamespaces(kind)) as {
    items: { metadata: { name: string; namespace: string } }[];
  };
  return list.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
}

/** Returns one field of each object of a list of authentik. */
async function fieldOfAll(path: string, field: string): Promise<unknown[]> {
  const objects = await own.administrator.all<Record<string, unknown>>(path, { superuser_full_list: "true" });
  return objects.map((found) => found[field]).sort();
}

describe("a change of protected_services", () => {
  fullTest("renames no resource when a service is added, or a domain is disabled and enabled", async () => {
    const before = await stack.resources();
    await stack.up(config([service("another"), ...REMOVED, ...UNCHANGED], { partner: false }));
    const without = await stack.resources();
    await stack.up(config([service("another"), ...REMOVED, ...UNCHANGED]));
    const after = await stack.resources();
    const inBoth = [...before].filter(([urn]) => without.has(urn));
    expect(inBoth.filter(([urn, id]) => without.get(urn) !== id || after.get(urn) !== id)).toEqual([]);
    expect([...before.keys()].filter((urn) => !after.has(urn))).toEqual([]);
    const gone = [...before.keys()].filter((urn) => !without.has(urn));
    expect(
      gone.filter((urn) => !/partner|leaving|kept-localhost|other-localhost/.test(urn.split("::").at(-1) ?? "")),
    ).toEqual([]);
    const kubernetes = gone.filter((urn) => urn.includes("kubernetes:"));
    expect(kubernetes.map((urn) => after.get(urn))).toEqual(kubernetes.map((urn) => before.get(urn)));
  });

  test("removes every object of a removed service, and an old session gets 404", async () => {
    const hosts = REMOVED.map(({ name }) => url(name, "partner.test"));
    await until(login(), ...hosts.slice(0, 1));
    expect(await Promise.all(hosts.map((host) => response(host)))).toEqual([login(), "401", "200"]);
    const cookie = await session(url("leaving", "partner.test"));
    const { plan } = await stack.up(config(UNCHANGED));
    await until("404", ...hosts);
    const authorized = hosts.map((host) => response(host, { cookie, ...AUTHORIZATION }));
    expect(await Promise.all(authorized)).toEqual(["404", "404", "404"]);
    expect(await response(`${url("leaving", "partner.test")}/outpost.goauthentik.io/start`, { cookie })).toBe("404");

    const qualifiedName = ({ namespace, name }: { namespace: string; name: string }): string => `${namespace}/${name}`;
    expect(await objects("ingressroutes")).toEqual(plan.routes.map(qualifiedName).sort());
    expect(await objects("middlewares")).toEqual(plan.middlewares.map(qualifiedName).sort());
    expect([...plan.routes, ...plan.middlewares].filter(({ name }) => name.includes("leaving"))).toEqual([]);
    const slugs = ["kept-localhost", "kept-partner", "other-localhost", "other-partner"];
    const providers = plan.exposures.filter(isForwarded).map(providerOf).sort();
    expect(await fieldOfAll("/providers/proxy/", "name")).toEqual(providers);
    // A proxy provider is an OAuth2 provider, too (measured, docs/authentik.md).
    expect(await fieldOfAll("/providers/oauth2/", "name")).toEqual(["gatehouse-identity", ...providers]);
    expect(await fieldOfAll("/core/applications/", "slug")).toEqual(["gatehouse-identity", ...slugs]);
    const [staff] = await own.administrator.all<{ pk: string }>("/policies/expression/", {
      name: plan.groupPolicies.find(({ groups }) => groups.join() === "staff")?.name ?? "",
    });
    const bindings = await fieldOfAll(`/policies/bindings/`, "policy");
    expect(bindings.filter((policy) => policy === staff?.pk).length).toBe(2);
    const { spec } = (await own.objects.getNamespacedCustomObject({
      group: "externaldns.k8s.io",
      version: "v1alpha1",
      plural: "dnsendpoints",
      namespace: "default",
      name: "gatehouse-shared-partner",
    })) as { spec: { endpoints: { dnsName: string }[] } };
    expect(spec.endpoints.map(({ dnsName }) => dnsName)).toEqual(
      ["authentik", "kept", "other"].map((name) => `${name}.partner.test`),
    );
    const secrets = await own.core.listNamespacedSecret({ namespace: "default" });
    expect(secrets.items.map(({ metadata }) => metadata?.name)).toEqual([]);
  });
});

describe("a change of a service's protection", () => {
  const name = "changing";
  const of = (fields: Record<string, unknown>): Config =>
    config([...UNCHANGED, service(name, { domains: ["localhost"], ...fields })]);

  beforeAll(async () => {
    await stack.up(of({ public_paths: ["/open"] }));
    await until(login(), url(name));
    expect(await response(`${url(name)}/open`)).toBe("200");
  });

  test("requires a session for a path that is no longer public, and exposes no other path meanwhile", async () => {
    const watched = probe(`${url(name)}/`);
    await stack.up(of({}));
    await until(login(), `${url(name)}/open`);
    expect(statuses(await watched.stop())).toEqual(["302"]);
  });

  test.each([
    { to: "basic", fields: { type: "basic", ...basic }, expected: "401" },
    { to: "oauth2", fields: { type: "oauth2", oauth_config: oauth, enforce: "gateway" }, expected: "login" },
    { to: "proxy", fields: {}, expected: "login" },
  ])("exposes the service at no moment when it becomes $to", async ({ fields, expected }) => {
    const watched = [probe(`${url(name)}/`), probe(`${url(name)}/x`, { "x-requested-with": "XMLHttpRequest" })];
    await stack.up(of(fields));
    await until(expected === "login" ? login() : expected, url(name));
    for (const one of watched) await expectNoExposure(one);
    if (expected === "login") {
      await session(url(name));
    } else {
      const page = await withClient((client) => client.send(url(name), { headers: AUTHORIZATION }));
      expect([page.status, receivedHeaders(page.body).get("x-idp-username")]).toEqual([200, ["ops"]]);
      expect(headerOf(await withClient((client) => client.send(url(name))), "www-authenticate")).toBe(
        `Basic realm="${name}"`,
      );
    }
  });

  test("exposes the service at no moment when it becomes proxy for a group, and rejects users outside the group and their earlier sessions", async () => {
    const earlier = await session(url(name));
    const closed = [probe(`${url(name)}/`), probe(`${url(name)}/x`, { "x-requested-with": "XMLHttpRequest" })];
    await stack.up(of({ groups: ["staff"] }));
    await untilMoved(url(name), earlier);
    for (const one of closed) await expectNoExposure(one);
    const before = await session(url(name));
    await stack.up(of({}));
    await untilMoved(url(name), before);
    const cookie = await session(url(name), GAST);
    const watched = probe(`${url(name)}/`);
    await stack.up(of({ groups: ["staff"] }));
    await untilMoved(url(name), cookie);
    const refused = await withClient(async (client) => {
      const page = await signIn(client, `${url(name)}/`, GAST);
      return [
        new URL(page.url).origin,
        page.body.includes("Permission denied"),
        statusAndTarget(await client.send(url(name))),
      ];
    });
    expect(refused).toEqual([own.identityProvider, true, login()]);
    await expectNoExposure(watched);
  });
});

describe("a move of exposures to other outposts and back", () => {
  const services = [...UNCHANGED, service("third"), service("fourth")];

  test.each([
    ...(FULL ? [{ to: "one for each set of groups", perOutpost: 100, outposts: 2 }] : []),
    { to: "more of them", perOutpost: 4, outposts: 3 },
    ...(FULL ? [{ to: "one for each set of groups again", perOutpost: 100, outposts: 2 }] : []),
  ])("exposes no service with a move to $to, and lets users sign in to each", async ({ perOutpost, outposts }) => {
    const hosts = services.map(({ name }) => url(name));
    const watched = hosts.map((host) => probe(`${host}/`));
    const { plan } = await stack.up(config(services, { perOutpost }));
    expect(plan.outposts.length).toBe(outposts);
    await until(login(), ...hosts);
    for (const one of watched) await expectNoExposure(one);
    expect(await actualProviders()).toEqual(plannedProviders(plan));
    for (const { url: origin, authentication } of plan.exposures) {
      if (authentication === "forward-auth") await session(origin);
    }
  });

  /** Returns the exposures of each outpost in the plan. */
  function plannedProviders({ exposures }: Plan): Record<string, unknown[]> {
    const served = exposures.filter(isForwarded);
    const byOutpost = Map.groupBy(served, ({ outpost }) => outpost ?? "");
    return Object.fromEntries([...byOutpost].map(([name, some]) => [name, some.map(providerOf).sort()]));
  }

  /** Returns the providers of each outpost in authentik. */
  async function actualProviders(): Promise<Record<string, string[]>> {
    type Outpost = { name: string; providers_obj: { name: string }[] };
    const outposts = await own.administrator.all<Outpost>("/outposts/instances/");
    return Object.fromEntries(
      outposts
        // The embedded outpost serves nothing.
        .filter(({ providers_obj }) => providers_obj.length > 0)
        .map(({ name, providers_obj }) => [name, providers_obj.map((provider) => provider.name).sort()]),
    );
  }
});
