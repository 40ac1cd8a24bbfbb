import { type RawStack, parseStack } from "../config/load.ts";
import { computePlan } from "../infra/plan/plan.ts";
import type { Measurement } from "./measurement.ts";
import { proxyServices } from "./services.ts";

const ROUNDS = 5;

/** Time from a stack file's content to its plan: the checks and the computation, without the process's start. */
export function benchPlan(): Measurement[] {
  return [10, 100, 1_000].map((services) => {
    const raw = stackOf(services);
    const times = Array.from({ length: ROUNDS }, () =>
      timed(() => computePlan(parseStack(raw, {}, { secretsRequired: false }))),
    );
    const { exposures } = computePlan(parseStack(raw, {}, { secretsRequired: false }));
    return {
      services,
      domains: 3,
      exposures: exposures.length,
      "best ms": Math.min(...times).toFixed(1),
      "worst ms": Math.max(...times).toFixed(1),
    };
  });
}

function stackOf(services: number): RawStack {
  const domain = (base_domain: string) => ({ enabled: true, base_domain });
  const config = {
    "kubernetes:context": "bench",
    "gatehouse:domains": { localhost: { enabled: true }, mesh: domain("mesh.test"), external: domain("example.test") },
    "gatehouse:protected_services": proxyServices(services),
    "gatehouse:identity_provider": { install: false, url: "https://id.example.test", token: "${TOKEN}" },
  };
  return { stack: "bench", config: Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value }])) };
}

function timed(work: () => unknown): number {
  const since = performance.now();
  work();
  return performance.now() - since;
}
