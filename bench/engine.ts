import * as k8s from "@pulumi/kubernetes";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { deploy, type LocalStack, openLocal, openProgram } from "../local/deploy.ts";
import type { Platform } from "../local/platform/platform.ts";
import { buildFor } from "../ops/engine/artifacts.ts";
import { withoutCheckpoints } from "../ops/engine/recovery/checkpoints.ts";
import type { Progress } from "../ops/terminal/progress.ts";
import { exportState } from "../ops/engine/state/state.ts";
import { identityProvider, VERIFICATION } from "../test/helpers/sections.ts";
import type { Measurement } from "./measurement.ts";
import { onPlatform } from "./platform.ts";
import { proxyServices } from "./services.ts";

const SERVICES = [30, 50, 100, 300];
/** The baseline with checkpoints is measured up to this size: their time grows with the square. */
const CHECKPOINTS_UP_TO = 30;

/** Sample users require a stack with localhost as its only domain. Hosts of the other domains are not resolved. */
const THREE_DOMAINS = {
  "gatehouse:domains": {
    localhost: { enabled: true, port: "${HTTP_PORT}" },
    mesh: { enabled: true, base_domain: "mesh.test" },
    external: { enabled: true, base_domain: "example.test" },
  },
  "gatehouse:verification": VERIFICATION,
  "gatehouse:identity_provider": identityProvider({ api_url: "http://authentik.localhost:${HTTP_PORT}" }),
};

/** The result of one size. */
interface Size {
  readonly exposures: number;
  readonly types: ReadonlyMap<string, number>;
  readonly rows: readonly Measurement[];
}

/**
 * Preview, first up and up without changes of the local stack with services on three domains, each size on a new platform, with the
 * baseline: a bare program that registers the same number of resources of one simple kind. All outposts run.
 * @returns the times, and how many resources one more exposure costs, by type
 */
export async function benchEngine(progress: Progress): Promise<{ times: Measurement[]; resources: Measurement[] }> {
  const sizes: Size[] = [];
  for (const services of SERVICES) {
    sizes.push(await onPlatform(progress, (platform) => measureSize(platform, services, progress)));
  }
  return { times: sizes.flatMap(({ rows }) => rows), resources: perExposure(sizes) };
}

async function measureSize(platform: Platform, services: number, progress: Progress): Promise<Size> {
  const local = await openLocal(platform, {
    ...THREE_DOMAINS,
    "gatehouse:protected_services": proxyServices(services),
  });
  await buildFor(local.settings, progress);
  const step = (what: string, work: () => Promise<unknown>): Promise<string> =>
    seconds(progress, `${services} services: ${what}`, work);
  const own = {
    "preview s": await step("preview", () => local.stack.preview()),
    "up s": await step("first up", () => deploy(local, progress)),
    "no-change up s": await step("up without changes", () => deploy(local, progress)),
  };
  const types = await typesOf(local);
  const resources = [...types.values()].reduce((sum, count) => sum + count, 0);
  const exposures = local.plan.exposures.length;
  const row = (what: string, times: object): Measurement => ({ services, exposures, resources, what, ...times });

  const rows = [row("Gatehouse", own)];
  for (const checkpoints of services > CHECKPOINTS_UP_TO ? [false] : [false, true]) {
    const what = checkpoints ? "baseline, with checkpoints" : "baseline";
    const stack = await openProgram(
      platform,
      checkpoints ? "baseline-checkpoints" : "baseline",
      bareProgram(platform, what, resources),
    );
    const up = (): Promise<unknown> =>
      checkpoints ? stack.up() : withoutCheckpoints(stack, (recorder) => stack.up(recorder));
    rows.push(
      row(what, {
        "preview s": await step(`${what}: preview`, () => stack.preview()),
        "up s": await step(`${what}: first up`, up),
        "no-change up s": await step(`${what}: up without changes`, up),
      }),
    );
  }
  return { exposures, types, rows };
}

async function seconds(progress: Progress, title: string, work: () => Promise<unknown>): Promise<string> {
  const since = performance.now();
  await progress.step(title, work);
  return ((performance.now() - since) / 1_000).toFixed(1);
}

async function typesOf({ stack }: LocalStack): Promise<ReadonlyMap<string, number>> {
  const { resources = [] } = (await exportState(stack)).deployment;
  return new Map(
    Array.from(
      Map.groupBy(resources, ({ type }) => type),
      ([type, { length }]) => [type, length],
    ),
  );
}

/** Compares the smallest size with the largest, so that constant resources cancel out. */
function perExposure(sizes: readonly Size[]): Measurement[] {
  const [small, large] = [sizes[0], sizes.at(-1)];
  if (!small || !large) return [];
  return [...large.types]
    .map(
      ([type, count]) => [type, (count - (small.types.get(type) ?? 0)) / (large.exposures - small.exposures)] as const,
    )
    .filter(([, grown]) => grown > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([type, grown]) => ({ type, "per exposure": grown.toFixed(2) }));
}

/** Returns a program that registers this number of resources, with the stack itself and the provider. */
function bareProgram(platform: Platform, what: string, resources: number): PulumiFn {
  const prefix = what.replaceAll(/\W+/g, "-");
  return () => {
    const provider = new k8s.Provider("cluster", { kubeconfig: platform.kubeconfig, context: platform.context });
    for (let index = 0; index < resources - 2; index += 1) {
      const metadata = { name: `${prefix}-${index}`, namespace: "default" };
      new k8s.core.v1.ConfigMap(`${prefix}-${index}`, { metadata, data: { index: String(index) } }, { provider });
    }
    return Promise.resolve();
  };
}
