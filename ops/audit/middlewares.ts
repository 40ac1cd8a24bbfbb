import { authPath } from "../../infra/gateway/specs.ts";
import { outpostName } from "../../infra/plan/names.ts";
import type { ForwardAuth, Plan } from "../../infra/plan/types.ts";
import { type Finding, type Manifest, textAt } from "../../policy/resource.ts";
import { changedMiddleware } from "../../policy/rules/middlewareContent.ts";
import type { Backends } from "./backends.ts";

/** Middlewares of the plan that are missing, or no longer do what their names say. */
export function changedMiddlewares(manifests: readonly Manifest[], plan: Plan, backends: Backends): Finding[] {
  const address = (asked: ForwardAuth): string | undefined => authAddress(asked, plan, backends);
  return plan.middlewares.flatMap(({ namespace, name }) => {
    const label = `Middleware ${namespace}/${name}`;
    const found = manifests.find((manifest) => manifest.label === label);
    if (found) return changedMiddleware(found, plan, address);
    const fault = "is not there, so the routes that name it serve nothing";
    const cure = "deploy the stack again (./deploy CONTEXT --refresh)";
    return [{ rule: "middlewares-are-whole", object: label, fault, cure }];
  });
}

/** Where forward auth has to ask: the Service of the outpost by its cluster IP, or an identity provider outside of the cluster. */
function authAddress({ outpost, refusal }: ForwardAuth, plan: Plan, backends: Backends): string | undefined {
  const here = plan.exposures.find(({ role }) => role === "identity-provider")?.backend;
  if (here === undefined) return plan.identityProviderUrl && plan.identityProviderUrl + authPath(refusal);
  const service = backends.service({ ...here, name: outpost > 0 ? outpostName(outpost) : here.name });
  const address = textAt(service?.spec, "clusterIP");
  return address === undefined ? undefined : `http://${address}:${here.port}${authPath(refusal)}`;
}
