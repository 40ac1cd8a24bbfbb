/** Whatever breaks, nobody reaches an application without its authentication, and what comes back works again. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { told, withClient } from "../domains/world.ts";
import { INGE, type OwnPlatform, type OwnStack, SECRETS, service, startOwnPlatform } from "./ownPlatform.ts";
import { probe } from "./probe.ts";
import { processes, signal, startSecondGateway, withChildren } from "./programs.ts";

const basicAuth = { username: "ops", password: "${BASIC_PASSWORD}" };
const SERVICES = [service("forward"), service("other"), service("legacy", { type: "basic", basic_auth: basicAuth })];
const BASIC = { authorization: `Basic ${Buffer.from(`ops:${SECRETS.BASIC_PASSWORD}`).toString("base64")}` };
const TRAEFIK = { group: "traefik.io", version: "v1alpha1", namespace: "default" };
const SERVER = /authentik\/main\.ts server/;
const AUTHENTIK = { namespace: "authentik" };

let own: OwnPlatform;
let stack: OwnStack;
let plan: Plan;
/** Origin of a service behind forward auth. */
let forward: string;
/** Origin of a service behind basic auth. */
let legacy: string;
/** Cookie of a session with the former. */
let cookie: string;

beforeAll(async () => {
  own = await startOwnPlatform();
  stack = await own.open("closed");
  ({ plan } = await stack.up(own.installed(SERVICES)));
  await own.administrator.create(INGE);
  [forward, legacy] = [url("forward"), url("legacy")];
  await untilItWorks();
  cookie = await session();
});
afterAll(() => own.stop());

function url(name: string): string {
  return own.origin(`${name}.localhost`);
}

function answer(to: string, headers: Record<string, string> = {}): Promise<string> {
  return withClient(async (client) => told(await client.send(to, { headers })));
}

/** A new session's cookie. */
function session(): Promise<string> {
  return withClient(async (client) => {
    const page = await signIn(client, `${forward}/`, INGE);
    expect([page.status, receivedHeaders(page.body).get("x-idp-username")]).toEqual([200, ["inge"]]);
    return client.cookies.getCookieString(forward);
  });
}

/** What the two services answer to nobody, to a script, to who has a session or a password: in this order. */
async function answers(): Promise<string[]> {
  const script = { "x-requested-with": "XMLHttpRequest" };
  return Promise.all([
    answer(forward),
    answer(forward, script),
    answer(forward, { cookie }),
    answer(legacy),
    answer(legacy, BASIC),
  ]);
}

const working = (): string[] => [`302 ${own.identityProvider}/application/o/authorize/`, "401", "200", "401", "200"];

async function until(expected: () => string[], look: () => Promise<string[]> = answers): Promise<void> {
  await vi.waitFor(async () => expect(await look()).toEqual(expected()), { timeout: 240_000, interval: 100 });
}

/** Everything is as in a whole stack, for a session that was there, and for a new one. */
async function untilItWorks(): Promise<void> {
  await vi.waitFor(async () => (cookie = await session()), { timeout: 240_000, interval: 500 });
  await until(working);
}

const SERVERS = ["authentik-server", "authentik-worker"];
const outposts = (): string[] => plan.outposts.map(({ name }) => name);
const forwardAuth = (): string =>
  plan.middlewares.find((one) => one.kind === "forward-auth" && one.refusal === "login")?.name ?? "";

async function scale(names: readonly string[], replicas: number): Promise<void> {
  for (const name of names) {
    // The controllers write the same object.
    await vi.waitFor(async () => {
      const { spec, ...scaled } = await own.apps.readNamespacedDeploymentScale({ ...AUTHENTIK, name });
      await own.apps.replaceNamespacedDeploymentScale({
        ...AUTHENTIK,
        name,
        body: { ...scaled, spec: { ...spec, replicas } },
      });
    }, 240_000);
  }
}

const DOWN = ["500", "500", "500", "401", "200"];

test("the identity provider is scaled to nothing: no login, and sessions go on; scaled back, all works", async () => {
  const watched = probe(`${forward}/`);
  await scale(SERVERS, 0);
  await until(
    () => ["502"],
    async () => [await answer(`${own.identityProvider}/if/admin/`)],
  );
  expect(await answers()).toEqual(working());
  await scale(SERVERS, 1);
  await untilItWorks();
  await watched.stop();
  expect(watched.leaked).toEqual([]);
});

test("the outpost is scaled to nothing: 5xx for everyone; scaled back, all works", async () => {
  const watched = probe(`${forward}/`);
  await scale(outposts(), 0);
  await until(() => DOWN);
  expect(await answer(`${forward}/outpost.goauthentik.io/start`)).toBe("502");
  await scale(outposts(), 1);
  await untilItWorks();
  await watched.stop();
  expect(watched.leaked).toEqual([]);
});

test("the identity provider's process is killed: it comes back by itself, and sessions are still there", async () => {
  const watched = probe(`${forward}/`);
  const before = processes(own.platform, SERVER);
  signal(before, "SIGKILL");
  const after = (): number[] => processes(own.platform, SERVER).filter((pid) => !before.includes(pid));
  await vi.waitFor(() => expect(after().length).toBe(1), { timeout: 240_000, interval: 100 });
  await until(working);
  const tally = await watched.stop();
  // Outposts answer without the identity provider; the refresh of a later test does not.
  await untilItWorks();
  expect(watched.leaked).toEqual([]);
  expect(Object.keys(tally).filter((status) => !/^(302|500|502)$/.test(status))).toEqual([]);
});

test("a host that the outpost does not know answers 400, with every session", async () => {
  const name = "unknown";
  const middlewares = ["gatehouse-strip", forwardAuth()].map((middleware) => ({ name: middleware }));
  const match = `Host(\`${name}.localhost\`)`;
  const routes = [{ kind: "Rule", match, middlewares, services: [{ name: "whoami", port: 8080, nativeLB: true }] }];
  const body = { apiVersion: "traefik.io/v1alpha1", kind: "IngressRoute", metadata: { name }, spec: { routes } };
  await own.objects.createNamespacedCustomObject({ ...TRAEFIK, plural: "ingressroutes", body });
  await until(
    () => ["400", "400"],
    () => Promise.all([answer(url(name)), answer(url(name), { cookie })]),
  );
  await own.objects.deleteNamespacedCustomObject({ ...TRAEFIK, plural: "ingressroutes", name });
  await until(
    () => ["404"],
    async () => [await answer(url(name), { cookie })],
  );
});

test.each([
  { of: "forward auth", named: forwardAuth, broken: ["404", "401", "404", "401", "200"] },
  { of: "the strip", named: () => "gatehouse-strip", broken: ["404", "404", "404", "404", "404"] },
  { of: "basic auth", named: () => "legacy-basic-auth", broken: [...["302", "401", "200"], "404", "404"] },
])("the middleware of $of is deleted: 404, until a deploy with refresh puts it back", async ({ named, broken }) => {
  const name = named();
  const watched = [probe(`${forward}/`), probe(`${legacy}/`)];
  await own.objects.deleteNamespacedCustomObject({ ...TRAEFIK, plural: "middlewares", name });
  await until(() => broken.map((status) => (status === "302" ? (working()[0] ?? "") : status)));
  await restored();
  for (const one of watched) {
    await one.stop();
    expect(one.leaked).toEqual([]);
  }
});

test("the Secret with basic auth's password is deleted: 404, until a deploy with refresh puts it back", async () => {
  const watched = probe(`${legacy}/`);
  await own.core.deleteNamespacedSecret({ namespace: "default", name: "legacy-basic-auth" });
  await until(() => [...working().slice(0, 3), "404", "404"]);
  await restored();
  await watched.stop();
  expect(watched.leaked).toEqual([]);
});

/** A refresh and a deploy, which creates the one thing that was deleted. */
async function restored(): Promise<void> {
  await stack.stack.refresh();
  const { changes } = await stack.up(own.installed(SERVICES));
  expect(changes["create"]).toBe(1);
  await until(working);
}

test("the API server hangs: what was routed stays routed, and protected", async () => {
  const apiServer = processes(own.platform, /^\S*kube-apiserver /);
  const watched = probe(`${forward}/`);
  signal(apiServer, "SIGSTOP");
  try {
    for (let round = 0; round < 20; round += 1) expect(await answers()).toEqual(working());
    await session();
  } finally {
    signal(apiServer, "SIGCONT");
  }
  await untilItWorks();
  expect(Object.keys(await watched.stop())).toEqual(["302"]);
});

test("the identity provider's database hangs: nobody new gets in, until it answers again", async () => {
  const postgres = withChildren(processes(own.platform, /^\S*\/postgres -D /));
  const watched = probe(`${forward}/`);
  signal(postgres, "SIGSTOP");
  const entering = session();
  const early = Promise.race([entering.then(() => "in"), pause(3_000, "waiting")]);
  expect(await early.finally(() => signal(postgres, "SIGCONT"))).toBe("waiting");
  cookie = await entering;
  await untilItWorks();
  await watched.stop();
  expect(watched.leaked).toEqual([]);
});

test("a gateway that starts while the outpost is down lets no user in, and all users once it is back", async () => {
  await scale(outposts(), 0);
  await until(() => DOWN);
  const second = await startSecondGateway(own.platform);
  try {
    const { host } = new URL(forward);
    const ask = (headers: Record<string, string>): Promise<string> => answer(second.origin, { host, ...headers });
    const look = () => Promise.all([ask({}), ask({ "x-requested-with": "XMLHttpRequest" }), ask({ cookie })]);
    await until(() => ["500", "500", "500"], look);
    await scale(outposts(), 1);
    await until(() => [...working().slice(0, 2), working()[0] ?? ""], look);
  } finally {
    await second.stop();
  }
  await untilItWorks();
});
