import type { Backend } from "../config/settings.ts";
import { middlewareSpec } from "../infra/gateway/specs.ts";
import { authPath } from "../protections/forwardAuth.ts";
import type { Exposure, Plan } from "../infra/plan/types.ts";
import { deploy, openLocal } from "../local/deploy.ts";
import type { Platform } from "../local/platform/platform.ts";
import { loadSampleOf } from "../local/sample.ts";
import { fill } from "../local/platform/secrets.ts";
import { withClient } from "../ops/clients/http.ts";
import type { Progress } from "../ops/terminal/progress.ts";
import { textAt } from "../manifests/resource.ts";
import { readClusterObjects } from "../ops/clients/clusterObjects.ts";
import { serviceNamed } from "../ops/clients/services.ts";
import { type Credentials, signIn } from "../ops/clients/signIn.ts";
import { BARE_HEADER, type BareRoute, configOf, createUsers, deployBareRoutes } from "./bareRoutes.ts";
import { compare, type Comparison, COMPARISON_SECONDS } from "./comparison.ts";
import { WITHOUT_LIMITS } from "./dataApi.ts";
import { gatewayCpu } from "./gatewayCpu.ts";
import type { Target } from "./load.ts";
import type { Measurement } from "./measurement.ts";
import { onPlatform } from "./platform.ts";
import { proxyServices } from "./services.ts";

const ROW = "/distrikt_summary?fylke_nr=eq.03";
const CONNECTIONS = [1, 32];
const SERVICES = 50;
/** Costs of bcrypt; `infra/gateway/basicAuth.ts` uses the first and the third. */
const COSTS = [4, 5, 8, 10];
const LEGACY = {
  name: "legacy",
  type: "basic",
  description: "One password",
  domains: "auto",
  basic_auth: { username: "ops", password: "${LEGACY_PASSWORD}" },
  service: { name: "whoami", namespace: "default", port: 8080 },
};

const CLIENT = {
  name: "client",
  type: "oauth2",
  description: "An application that signs users in itself",
  domains: "auto",
  application_slug: "client",
  oauth_config: { client_id: "client", client_secret: "${NOTES_CLIENT_SECRET}", redirect_uri: "/callback" },
  service: { name: "whoami", namespace: "default", port: 8080 },
};

/** Compares each route with a route to the same backend without the middlewares of Gatehouse, and measures basic auth by the cost of its hash. */
export function benchWire(progress: Progress): Promise<{ routes: Measurement[]; costs: Measurement[] }> {
  return onPlatform(progress, (platform) => measure(platform, progress));
}

async function measure(
  platform: Platform,
  progress: Progress,
): Promise<{ routes: Measurement[]; costs: Measurement[] }> {
  const local = await openLocal(platform, {
    "gatehouse:protected_services": [...proxyServices(SERVICES), LEGACY, CLIENT],
    ...WITHOUT_LIMITS,
  });
  await deploy(local, progress);
  await loadSampleOf(platform, local);
  const [alice] = local.settings.identityProvider.sampleUsers;
  if (alice === undefined) throw new Error("the local stack has no sample user");
  const user = { username: alice.username, password: fill(alice.password, local.variables) };
  const operator = { username: "ops", password: local.variables["LEGACY_PASSWORD"] ?? "" };

  const { plan } = local;
  const exposures = {
    data: only(plan, ({ role }) => role === "data-api"),
    open: only(plan, ({ host }) => host === "whoami-public.localhost"),
    oauth2: service(plan, CLIENT.name),
    basic: service(plan, LEGACY.name),
    forward: service(plan, "service-0"),
    catalog: only(plan, ({ role }) => role === "catalog"),
  };
  const bare = (name: string, { host, backend }: Exposure, middleware?: object): BareRoute => ({
    name,
    host,
    backend,
    ...(middleware ? { middleware } : {}),
  });
  const costs = await Promise.all(
    COSTS.map(async (cost) => {
      const secret = await createUsers(platform, exposures.basic.backend, operator, cost);
      return bare(`cost-${cost}`, exposures.basic, { basicAuth: { secret } });
    }),
  );
  const bareRoutes = {
    data: bare("data", exposures.data),
    open: bare("open", exposures.open),
    oauth2: bare("oauth2", exposures.oauth2),
    basic: bare("basic", exposures.basic),
    catalog: bare("catalog", exposures.catalog),
    forward: bare("forward", exposures.forward, await forwardAuth(platform, plan, exposures.forward)),
  };
  await progress.step("Bare routes", () => deployBareRoutes(platform, [...Object.values(bareRoutes), ...costs]));

  const gateway = `http://127.0.0.1:${platform.httpPort}`;
  const own = ({ url }: Exposure, path: string, headers: Record<string, string> = {}): Target => ({
    url: gateway + path,
    headers: {
      ...headers,
      host: new URL(url).host,
    },
  });
  const baseline = ({ name }: BareRoute, { url, headers }: Target): Target => ({
    url,
    headers: {
      ...headers,
      [BARE_HEADER]: name,
    },
  });
  const row = own(exposures.data, ROW);
  const open = own(exposures.open, "/");
  const oauth2 = own(exposures.oauth2, "/");
  const catalog = own(exposures.catalog, "/data");
  const authorization = `Basic ${Buffer.from(`${operator.username}:${operator.password}`).toString("base64")}`;
  const basic = own(exposures.basic, "/", { authorization });
  const forward = own(exposures.forward, "/", { cookie: await sessionCookie(exposures.forward.url, user) });
  const minimal = "forward auth alone";
  const cases: readonly Comparison[] = [
    { what: "data API, one row", route: row, baselineIs: "bare route", baseline: baseline(bareRoutes.data, row) },
    { what: "echo, open", route: open, baselineIs: "bare route", baseline: baseline(bareRoutes.open, open) },
    { what: "echo, oauth2", route: oauth2, baselineIs: "bare route", baseline: baseline(bareRoutes.oauth2, oauth2) },
    { what: "catalog", route: catalog, baselineIs: "bare route", baseline: baseline(bareRoutes.catalog, catalog) },
    { what: "echo, basic auth", route: basic, baselineIs: "bare route", baseline: baseline(bareRoutes.basic, basic) },
    {
      what: "echo, forward auth",
      route: forward,
      baselineIs: minimal,
      baseline: baseline(bareRoutes.forward, forward),
    },
  ];
  const byCost: readonly Comparison[] = costs.map((one, index) => ({
    what: `basic auth, bcrypt cost ${COSTS[index]}`,
    route: baseline(one, basic),
    baselineIs: "bare route",
    baseline: baseline(bareRoutes.basic, basic),
  }));
  const cpu = gatewayCpu(platform);
  const run = async (comparisons: readonly Comparison[], connections: readonly number[]): Promise<Measurement[]> => {
    const rows: Measurement[] = [];
    for (const count of connections) {
      for (const one of comparisons) {
        const title = `${one.what}, ${count} ${count === 1 ? "connection" : "connections"}`;
        rows.push(await progress.step(title, () => compare(one, count, cpu), `${COMPARISON_SECONDS} s`));
      }
    }
    return rows;
  };
  return { routes: await run(cases, CONNECTIONS), costs: await run(byCost, [1]) };
}

/** Returns the middleware that sends the same headers to the same outpost as the route of an exposure. */
async function forwardAuth(platform: Platform, plan: Plan, { outpost, backend }: Exposure): Promise<object> {
  const planned = plan.middlewares.find(
    (one) => one.kind === "forward-auth" && one.outpost === outpost && one.refusal === "login",
  );
  const target: Backend | undefined = plan.outposts.find(({ name }) => name === outpost);
  const service = target && serviceNamed(target, (await readClusterObjects(configOf(platform))).manifests);
  const address = textAt(service?.spec, "clusterIP");
  if (planned?.kind !== "forward-auth" || planned.namespace !== backend.namespace || address === undefined) {
    throw new Error(`no outpost ${outpost ?? ""} is deployed`);
  }
  const authAddress = (): string => `http://${address}:${target?.port}${authPath("login")}`;
  return middlewareSpec<string>(planned, { authAddress, users: () => "" });
}

function only({ exposures }: Plan, choose: (exposure: Exposure) => boolean): Exposure {
  const found = exposures.find(choose);
  if (found === undefined) throw new Error("the plan lacks a route that is measured");
  return found;
}

function service(plan: Plan, name: string): Exposure {
  return only(plan, ({ entry, role }) => entry === name && role === "service");
}

function sessionCookie(url: string, user: Credentials): Promise<string> {
  return withClient(async (client) => {
    await signIn(client, `${url}/`, user);
    return client.cookies.getCookieString(`${url}/`);
  });
}
