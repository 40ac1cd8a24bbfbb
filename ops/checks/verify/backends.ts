/** Whether the backends of an exposure's routes exist; a missing one shows as the gateway's 404, and a stopped one as its 502 or 503. */
import type { KubeConfig } from "@kubernetes/client-node";
import type { Backend } from "../../../config/settings.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import type { StackContext } from "../../context/context.ts";
import { type DeployedService, readServices, serviceProblem } from "../../clients/services.ts";
import { type Check, reasonOf, skip } from "./check.ts";
import type { Probe } from "./probe.ts";

/**
 * Returns one probe for each exposure; together they read the cluster once.
 * @param context is named in hints
 */
export function backendProbes(
  cluster: KubeConfig,
  { plan, context }: Pick<StackContext, "plan" | "context">,
  read: (cluster: KubeConfig) => Promise<readonly DeployedService[]> = readServices,
): Probe[] {
  let reading: Promise<readonly DeployedService[]> | undefined;
  return plan.exposures.map(({ id, url, host }) => ({
    kind: "cluster",
    subject: url,
    run: async () => {
      const name = `backends of ${url}`;
      try {
        const services = await (reading ??= read(cluster));
        return [{ name, ...found(backendsOf(plan, id), services, `run: npm run diagnose -- ${context} ${host}`) }];
      } catch (error) {
        const { code } = error as { code?: unknown };
        if (code !== 401 && code !== 403) throw error;
        const reason = `Services and pods cannot be listed: ${code === 403 ? "forbidden" : reasonOf(error)}`;
        return [skip(name, reason, "allow the user to list both in all namespaces (docs/policy.md, Rights)")];
      }
    },
  }));
}

/** Returns the Services that the rules of an exposure name, the outpost among them. */
function backendsOf({ routes }: Plan, exposure: string): Backend[] {
  const rules = routes.flatMap((route) => route.rules).filter((rule) => rule.exposure === exposure);
  return [...new Map(rules.map(({ backend }) => [placeOf(backend), backend])).values()];
}

function found(
  backends: readonly Backend[],
  services: readonly DeployedService[],
  hint: string,
): Pick<Check, "ok" | "detail" | "hint"> {
  const problems = backends.flatMap((backend) => serviceProblem(backend, services) ?? []);
  if (problems.length === 0) return { ok: true, detail: backends.map(placeOf).join(", ") };
  return { ok: false, detail: problems.map(({ problem, evidence }) => `${problem} (${evidence})`).join("; "), hint };
}

function placeOf({ namespace, name, port }: Backend): string {
  return `${namespace}/${name}:${port}`;
}
