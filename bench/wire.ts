import { deploy, type LocalStack, openLocal } from "../local/deploy.ts";
import type { Platform } from "../local/platform/platform.ts";
import { loadSampleOf } from "../local/sample.ts";
import { fill } from "../local/variables.ts";
import { withClient } from "../ops/http.ts";
import type { Progress } from "../ops/progress.ts";
import { signIn } from "../ops/verify/signIn.ts";
import { load, podAddresses, SECONDS } from "./load.ts";
import type { Measurement } from "./main.ts";
import { WITHOUT_LIMITS } from "./dataApi.ts";
import { onPlatform } from "./platform.ts";
import { proxyServices } from "./services.ts";

const ROW = "/distrikt_summary?fylke_nr=eq.03";
const CONNECTIONS = [1, 32];
const SERVICES = 50;
const LEGACY = {
  name: "legacy",
  type: "basic",
  description: "One password",
  domains: "auto",
  basic_auth: { username: "ops", password: "${LEGACY_PASSWORD}" },
  service: { name: "whoami", namespace: "default", port: 8080 },
};

/** Requests per second and latency of the same answers with and without what Gatehouse puts in front of them. */
export function benchWire(progress: Progress): Promise<Measurement[]> {
  return onPlatform(progress, (platform) => measure(platform, progress));
}

async function measure(platform: Platform, progress: Progress): Promise<Measurement[]> {
  const local = await openLocal(platform, {
    "gatehouse:protected_services": [...proxyServices(SERVICES), LEGACY],
    ...WITHOUT_LIMITS,
  });
  await deploy(local, progress);
  await loadSampleOf(platform, local);
  const gateway = `http://127.0.0.1:${platform.httpPort}`;
  const suffix = platform.httpPort === 80 ? "" : `:${platform.httpPort}`;
  const [alice] = local.settings.identityProvider.sampleUsers;
  const url = `http://service-0.localhost${suffix}/`;
  const cookie = await sessionCookie(url, alice?.username ?? "", alice ? fill(alice.password, local.variables) : "");

  const [pod] = await podAddresses(platform);
  const cases: [string, string, Record<string, string>][] = [
    ["one row, PostgREST itself", `http://${pod}:3000${ROW}`, {}],
    ["one row, through the gateway", gateway + ROW, { host: `data.localhost${suffix}` }],
    ["echo, open route", `${gateway}/`, { host: `whoami-public.localhost${suffix}` }],
    ["echo, basic auth", `${gateway}/`, { host: `legacy.localhost${suffix}`, authorization: basic(local) }],
    ["echo, forward auth", `${gateway}/`, { host: `service-0.localhost${suffix}`, cookie }],
  ];
  const rows: Measurement[] = [];
  for (const connections of CONNECTIONS) {
    for (const [what, target, headers] of cases) {
      const title = `${what}, ${connections} connections`;
      rows.push(await progress.step(title, () => load(what, { url: target, headers }, connections), `${SECONDS} s`));
    }
  }
  return rows;
}

function basic({ variables }: LocalStack): string {
  return `Basic ${Buffer.from(`ops:${variables["LEGACY_PASSWORD"] ?? ""}`).toString("base64")}`;
}

function sessionCookie(url: string, username: string, password: string): Promise<string> {
  return withClient(async (client) => {
    await signIn(client, url, { username, password });
    return client.cookies.getCookieString(url);
  });
}
