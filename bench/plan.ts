import { type RawStack, parseStack } from "../config/load.ts";
import { computePlan } from "../infra/plan/plan.ts";
import type { Plan } from "../infra/plan/types.ts";
import { accessDiff } from "../ops/checks/diff/diff.ts";
import type { Measurement } from "./measurement.ts";
import { proxyServices } from "./services.ts";

const ROUNDS = 5;

/**
 * Time from a stack file's content to its plan, i.e. the checks and the computation, and of the comparison with a plan in which every service has
 * another group. Without the process's start.
 */
export function benchPlan(): Measurement[] {
  return [10, 100, 1_000].map((services) => {
    const plan = (group: string): Plan =>
      computePlan(parseStack(stackOf(services, group), {}, { secretsRequired: false }));
    const [before, after] = [plan("a"), plan("b")];
    return {
      services,
      domains: 3,
      exposures: before.exposures.length,
      "plan, best ms": best(() => plan("a")),
      "access diff, best ms": best(() => accessDiff(before, after)),
    };
  });
}

function stackOf(services: number, group: string): RawStack {
  const domain = (base_domain: string) => ({ enabled: true, base_domain });
  const config = {
    "kubernetes:context": "bench",
    "gatehouse:domains": { localhost: { enabled: true }, mesh: domain("mesh.test"), external: domain("example.test") },
    "gatehouse:protected_services": proxyServices(services).map((service) => ({ ...service, groups: [group] })),
    "gatehouse:identity_provider": { install: false, url: "https://id.example.test", token: "${TOKEN}" },
  };
  return { stack: "bench", config: Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value }])) };
}

function best(work: () => unknown): string {
  const times = Array.from({ length: ROUNDS }, () => {
    const since = performance.now();
    work();
    return performance.now() - since;
  });
  return Math.min(...times).toFixed(1);
}
