import * as k8s from "@pulumi/kubernetes";
import type { PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import { openLocal, openProgram } from "../local/deploy.ts";
import type { Platform } from "../local/platform/platform.ts";
import type { Progress } from "../ops/progress.ts";
import type { Measurement } from "./main.ts";
import { proxyServices } from "./services.ts";

const SERVICES = 50;

/**
 * Preview and up of a stack with 50 services, beside the floor: a bare program that registers as many resources of one simple kind.
 * Leaves the 50 services deployed.
 */
export async function benchEngine(platform: Platform, progress: Progress): Promise<Measurement[]> {
  const { stack } = await openLocal(platform, { "gatehouse:protected_services": proxyServices(SERVICES) });
  const own = await measure(`${SERVICES} services`, stack, progress);
  const floor = await openProgram(platform, "floor", bareProgram(platform, Number(own["resources"])));
  return [own, await measure("floor: ConfigMaps", floor, progress)];
}

async function measure(what: string, stack: Stack, progress: Progress): Promise<Measurement> {
  const preview = await timed(progress, `Preview, ${what}`, () => stack.preview());
  const up = await timed(progress, `Up, ${what}`, () => stack.up());
  const again = await timed(progress, `Up without changes, ${what}`, () => stack.up());
  const resources = Object.values(up.result.summary.resourceChanges ?? {}).reduce((sum, count) => sum + count, 0);
  return { what, resources, "preview s": preview.seconds, "up s": up.seconds, "no-change up s": again.seconds };
}

async function timed<T>(
  progress: Progress,
  title: string,
  work: () => Promise<T>,
): Promise<{ result: T; seconds: string }> {
  const since = performance.now();
  const result = await progress.step(title, work);
  return { result, seconds: ((performance.now() - since) / 1_000).toFixed(1) };
}

/** The stack itself and the provider are resources, too. */
function bareProgram(platform: Platform, resources: number): PulumiFn {
  return () => {
    const provider = new k8s.Provider("cluster", { kubeconfig: platform.kubeconfig, context: platform.context });
    for (let index = 0; index < resources - 2; index += 1) {
      const metadata = { name: `floor-${index}`, namespace: "default" };
      new k8s.core.v1.ConfigMap(`floor-${index}`, { metadata, data: { index: String(index) } }, { provider });
    }
    return Promise.resolve();
  };
}
