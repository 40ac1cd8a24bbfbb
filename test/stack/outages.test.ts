/** Forward auth fails closed: while a component is down, no request reaches an application without authentication, and sign-in works again afterwards. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { statusAndTarget, withClient } from "../domains/fixtures.ts";
import { INGE, type OwnPlatform, type OwnStack, SECRETS, service } from "../helpers/ownPlatform.ts";
import { createUsers, openShared } from "./stack.ts";
import { probe } from "../helpers/probe.ts";
import { IDENTITY_PROVIDER, processes, signal, startSecondGateway, withChildren } from "../helpers/programs.ts";

const basicAuth = { username: "ops", password: "${BASIC_PASSWORD}" };
const SERVICES = [service("forward"), service("other"), service("legacy", { type: "basic", basic_auth: basicAuth })];
const BASIC = { authorization: `Basic ${Buffer.from(`ops:${SECRETS.BASIC_PASSWORD}`).toString("base64")}` };
const TRAEFIK = { group: "traefik.io", version: "v1alpha1", namespace: "default" };
const AUTHENTIK = { namespace: "authentik" };

let own: OwnPlatform;
let stack: OwnStack;
let plan: Plan;
/** Origin of a service behind forward auth. */
let forward: string;
/** Origin of a service behind basic auth. */
let legacy: string;
/** Cookie of a session at `forward`. */
let cookie: string;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  ({ plan } = await stack.up(own.installed(SERVICES)));
  await createUsers(own, INGE);
  [forward, legacy] = [url("forward"), url("legacy")];
  await untilWorking();
  cookie = await session();
});
afterAll(() => own.stop());

function url(name: string): string {
  return own.origin(`${name}.localhost`);
}

function response(to: string, headers: Record<string, string> = {}): Promise<string> {
  return withClient(async (client) => statusAndTarget(await client.send(to, { headers })));
}

/** Signs in and returns the session's cookie. */
function session(): Promise<string> {
  return withClient(async (client) => {
    const page = await signIn(client, `${forward}/`, INGE);
    expect([page.status, receivedHeaders(page.body).get("x-idp-username")]).toEqual([200, ["inge"]]);
    return client.cookies.getCookieString(forward);
  });
}

/** Returns the responses to a browser without a session, a background request, a session, no password and a password, in this order. */
async function answers(): Promise<string[]> {
  const script = { "x-requested-with": "XMLHttpRequest" };
  return Promise.all([
    response(forward),
    response(forward, script),
    response(forward, { cookie }),
    response(legacy),
    response(legacy, BASIC),
  ]);
}

const working = (): string[] => [`302 ${own.identityProvider}/application/o/authorize/`, "401", "200", "401", "200"];

async function until(expected: () => string[], observe: () => Promise<string[]> = answers): Promise<void> {
  await vi.waitFor(async () => expect(await observe()).toEqual(expected()), { timeout: 240_000, interval: 100 });
}

function untilStatus(to: string, status: string, headers: Record<string, string> = {}): Promise<void> {
  return until(
    () => [status],
    async () => [await response(to, headers)],
  );
}

/** Waits until an existing and a new session get the responses of a working stack. */
async function untilWorking(): Promise<void> {
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

/** Scales to zero for the duration of a function, also if it fails: what is down would fail the tests after it. */
async function whileDown(names: readonly string[], observe: () => Promise<void>): Promise<void> {
  await scale(names, 0);
  try {
    await observe();
  } finally {
    await scale(names, 1);
  }
}

const DOWN = ["500", "500", "500", "401", "200"];

test("keeps existing sessions while the identity provider is scaled to zero, and accepts logins after scaling up", async () => {
  const watched = probe(`${forward}/`);
  await whileDown(SERVERS, async () => {
    await untilStatus(`${own.identityProvider}/if/admin/`, "502");
    expect(await answers()).toEqual(working());
  });
  await untilWorking();
  await watched.stop();
  expect(watched.leaked).toEqual([]);
});

test("returns 5xx to every request while the outpost is scaled to zero, and accepts logins after scaling up", async () => {
  const watched = probe(`${forward}/`);
  await whileDown(outposts(), async () => {
    await until(() => DOWN);
    // Traefik answers 500 instead of 502 to a request whose connection the ending pod closes.
    await untilStatus(`${forward}/outpost.goauthentik.io/start`, "502");
  });
  await untilWorking();
  await watched.stop();
  expect(watched.leaked).toEqual([]);
});

test("keeps existing sessions when the identity provider's process is killed and restarted", async () => {
  const watched = probe(`${forward}/`);
  const before = processes(own.platform, IDENTITY_PROVIDER.server);
  signal(before, "SIGKILL");
  const after = (): number[] =>
    processes(own.platform, IDENTITY_PROVIDER.server).filter((pid) => !before.includes(pid));
  await vi.waitFor(() => expect(after().length).toBe(1), { timeout: 240_000, interval: 100 });
  await until(working);
  const tally = await watched.stop();
  // Outposts answer without the identity provider, but the refresh of a later test needs it.
  await untilWorking();
  expect(watched.leaked).toEqual([]);
  expect(Object.keys(tally).filter((status) => !/^(302|500|502)$/.test(status))).toEqual([]);
});

test("returns 400 for a host without a provider, with and without a session", async () => {
  const name = "unknown";
  const middlewares = ["gatehouse-strip", forwardAuth()].map((middleware) => ({ name: middleware }));
  const match = `Host(\`${name}.localhost\`)`;
  const routes = [{ kind: "Rule", match, middlewares, services: [{ name: "whoami", port: 8080, nativeLB: true }] }];
  const body = { apiVersion: "traefik.io/v1alpha1", kind: "IngressRoute", metadata: { name }, spec: { routes } };
  await own.objects.createNamespacedCustomObject({ ...TRAEFIK, plural: "ingressroutes", body });
  try {
    await until(
      () => ["400", "400"],
      () => Promise.all([response(url(name)), response(url(name), { cookie })]),
    );
  } finally {
    await own.objects.deleteNamespacedCustomObject({ ...TRAEFIK, plural: "ingressroutes", name });
  }
  await untilStatus(url(name), "404", { cookie });
});

const MIDDLEWARES = { ...TRAEFIK, plural: "middlewares" };
const PROTECTING = [
  { of: "forward auth", named: forwardAuth, broken: ["404", "401", "404", "401", "200"] },
  { of: "header removal", named: () => "gatehouse-strip", broken: ["404", "404", "404", "404", "404"] },
  { of: "basic auth", named: () => "legacy-basic-auth", broken: ["302", "401", "200", "404", "404"] },
];

test.each(PROTECTING)("returns 404 while the middleware of $of is deleted", async ({ named, broken }) => {
  const name = named();
  const watched = [probe(`${forward}/`), probe(`${legacy}/`)];
  const { spec } = (await own.objects.getNamespacedCustomObject({ ...MIDDLEWARES, name })) as { spec: object };
  await own.objects.deleteNamespacedCustomObject({ ...MIDDLEWARES, name });
  try {
    await until(() => broken.map((status) => (status === "302" ? (working()[0] ?? "") : status)));
  } finally {
    const body = { apiVersion: "traefik.io/v1alpha1", kind: "Middleware", metadata: { name }, spec };
    await own.objects.createNamespacedCustomObject({ ...MIDDLEWARES, body });
  }
  await until(working);
  for (const one of watched) {
    await one.stop();
    expect(one.leaked).toEqual([]);
  }
});

test("returns 404 while the Secret of basic auth is missing, and creates it and deleted middlewares again with a refresh", async () => {
  const watched = [probe(`${forward}/`), probe(`${legacy}/`)];
  await own.core.deleteNamespacedSecret({ namespace: "default", name: "legacy-basic-auth" });
  await until(() => [...working().slice(0, 3), "404", "404"]);
  const names = PROTECTING.map(({ named }) => named());
  for (const name of names) await own.objects.deleteNamespacedCustomObject({ ...MIDDLEWARES, name });
  await until(() => working().map(() => "404"));
  await stack.stack.refresh();
  const { changes } = await stack.up(own.installed(SERVICES));
  expect(changes["create"]).toBe(1 + names.length);
  await until(working);
  for (const one of watched) {
    await one.stop();
    expect(one.leaked).toEqual([]);
  }
});

test("keeps routes and their protection while the API server hangs", async () => {
  const apiServer = processes(own.platform, /^\S*kube-apiserver /);
  const watched = probe(`${forward}/`);
  signal(apiServer, "SIGSTOP");
  try {
    for (let round = 0; round < 20; round += 1) expect(await answers()).toEqual(working());
    await session();
  } finally {
    signal(apiServer, "SIGCONT");
  }
  await untilWorking();
  expect(Object.keys(await watched.stop())).toEqual(["302"]);
});

test("completes no login while the identity provider's database hangs, and completes it afterwards", async () => {
  const postgres = withChildren(processes(own.platform, /^\S*\/postgres -D /));
  const watched = probe(`${forward}/`);
  signal(postgres, "SIGSTOP");
  const login = session();
  const early = Promise.race([login.then(() => "signed in"), pause(3_000, "waiting")]);
  expect(await early.finally(() => signal(postgres, "SIGCONT"))).toBe("waiting");
  cookie = await login;
  await untilWorking();
  await watched.stop();
  expect(watched.leaked).toEqual([]);
});

test("returns 500 from a gateway that starts while the outpost is down, and admits sessions once it is up", async () => {
  let second: Awaited<ReturnType<typeof startSecondGateway>>;
  const ask = (headers: Record<string, string>): Promise<string> =>
    response(second.origin, { host: new URL(forward).host, ...headers });
  const observe = () => Promise.all([ask({}), ask({ "x-requested-with": "XMLHttpRequest" }), ask({ cookie })]);
  await whileDown(outposts(), async () => {
    await until(() => DOWN);
    second = await startSecondGateway(own.platform);
    onTestFinished(() => second.stop());
    await until(() => ["500", "500", "500"], observe);
  });
  await until(() => [...working().slice(0, 2), working()[0] ?? ""], observe);
  await untilWorking();
});
