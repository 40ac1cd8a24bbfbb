import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import autocannon from "autocannon";
import { openLocal } from "../local/deploy.ts";
import type { Platform } from "../local/platform/platform.ts";
import { loadSampleOf } from "../local/sample.ts";
import { fill } from "../local/variables.ts";
import { createClient } from "../ops/http.ts";
import type { Progress } from "../ops/progress.ts";
import { signIn } from "../ops/verify/signIn.ts";
import type { Measurement } from "./main.ts";
import { proxyServices } from "./services.ts";

const ROW = "/distrikt_summary?fylke_nr=eq.03";
const CONNECTIONS = 10;
const SECONDS = 5;

/** Requests per second and latency of the same answers with and without what Gatehouse puts in front of them. */
export async function benchWire(platform: Platform, progress: Progress): Promise<Measurement[]> {
  const local = await openLocal(platform, { "gatehouse:protected_services": proxyServices(50) });
  await loadSampleOf(platform, local);
  const gateway = `http://127.0.0.1:${platform.httpPort}`;
  const suffix = platform.httpPort === 80 ? "" : `:${platform.httpPort}`;
  const [alice] = local.settings.identityProvider.sampleUsers;
  const url = `http://service-0.localhost${suffix}/`;
  const cookie = await sessionCookie(url, alice?.username ?? "", alice ? fill(alice.password, local.variables) : "");

  const cases: [string, string, Record<string, string>][] = [
    ["one row, PostgREST itself", `http://${await podAddress(platform)}:3000${ROW}`, {}],
    ["one row, through the gateway", gateway + ROW, { host: `data.localhost${suffix}` }],
    ["echo, open route", `${gateway}/`, { host: `whoami-public.localhost${suffix}` }],
    ["echo, forward auth", `${gateway}/`, { host: `service-0.localhost${suffix}`, cookie }],
  ];
  const rows: Measurement[] = [];
  for (const [what, target, headers] of cases) {
    rows.push(await progress.step(what, () => load(what, target, headers), `${SECONDS} s`));
  }
  return rows;
}

async function load(what: string, url: string, headers: Record<string, string>): Promise<Measurement> {
  const { requests, latency, non2xx } = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS });
  return {
    what,
    "requests/s": Math.round(requests.average),
    "p50 ms": latency.p50,
    "p99 ms": latency.p99,
    "not 2xx": non2xx,
  };
}

async function sessionCookie(url: string, username: string, password: string): Promise<string> {
  const client = createClient();
  try {
    await signIn(client, url, { username, password });
    return await client.cookies.getCookieString(url);
  } finally {
    await client.close();
  }
}

/** The address of PostgREST's pod: the floor has neither gateway nor Service in front. */
async function podAddress({ kubeconfig }: Platform): Promise<string> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const labelSelector = "app.kubernetes.io/name=postgrest";
  const { items } = await config.makeApiClient(CoreV1Api).listPodForAllNamespaces({ labelSelector });
  const address = items[0]?.status?.podIP;
  if (address === undefined) {
    throw new Error("no PostgREST pod has an address; deploy first");
  }
  return address;
}
