import { authPath } from "../../../protections/forwardAuth.ts";
import type { ForwardAuth, Plan } from "../../../infra/plan/types.ts";
import { type Finding, type Manifest, textAt } from "../../../policy/resource.ts";
import { changedMiddleware } from "../../../policy/rules/middlewareContent.ts";
import type { Backends } from "./backends.ts";

/** Middlewares of the plan that are missing, or no longer do what their names say. */
export function changedMiddlewares(manifests: readonly Manifest[], plan: Plan, backends: Backends): Finding[] {
  const address = (asked: ForwardAuth): string | undefined => authAddress(asked, plan, backends);
  return plan.middlewares.flatMap(({ namespace, name }) => {
    const label = `Middleware ${namespace}/${name}`;
    const found = manifests.find((manifest) => manifest.label === label);
    if (found) return changedMiddleware(found, plan, address);
    const problem = "is missing, so Traefik drops the routers that use it";
    const hint = "deploy the stack again (./deploy CONTEXT --refresh)";
    return [{ rule: "middlewares-are-whole", object: label, problem, hint }];
  });
}

/** The address that forward auth has to ask: the cluster IP of the outpost's Service. */
function authAddress({ outpost, refusal }: ForwardAuth, plan: Plan, backends: Backends): string | undefined {
  const planned = plan.outposts.find(({ name }) => name === outpost);
  const address = planned && textAt(backends.service(planned)?.spec, "clusterIP");
  return address === undefined ? undefined : `http://${address}:${planned?.port}${authPath(refusal)}`;
}
