/** Whether the pods behind an exposure run: those of its application, and of the identity provider that authenticates its users. */
import type { Backend } from "../../../../config/settings.ts";
import { AUTHENTIK_SERVICE } from "../../../../infra/plan/ownServices.ts";
import type { Exposure } from "../../../../infra/plan/types.ts";
import { protectionOf } from "../../../../protections/table.ts";
import { serviceNamed, serviceProblem } from "../../../clients/services.ts";
import { type Cause, causeOf, type ComparedEvidence, type Problem, redeploy } from "./cause.ts";
import { argument } from "../../../text.ts";

export const application: Cause = ({ backend, role }, evidence) =>
  role === "identity-provider" ? undefined : causeOf("application not running", problemOf([backend], evidence));

/** The outpost of the gateway, and the server with the login page. */
export const identityProvider: Cause = (exposure, evidence) =>
  causeOf("identity provider not running", problemOf(identityBackends(exposure, evidence), evidence));

/** A Service of either that does not exist. */
export const serviceMissing: Cause = (exposure, evidence) => {
  const { manifests } = evidence;
  const needed = [exposure.backend, ...identityBackends(exposure, evidence)];
  const missing = manifests ? needed.filter((one) => !serviceNamed(one, manifests)) : [];
  return causeOf("application not running", problemOf(missing, evidence));
};

function identityBackends({ protection, role, outpost }: Exposure, { settings, plan }: ComparedEvidence): Backend[] {
  if (!protectionOf(protection).usesIdentityProvider && role !== "identity-provider") return [];
  const { install, namespace, service } = settings.identityProvider;
  const server = install ? AUTHENTIK_SERVICE : service;
  const outposts = plan.outposts.filter(({ name }) => name === outpost);
  return [...(server ? [{ ...server, namespace }] : []), ...outposts];
}

/** Returns the problem of the first backend that has one. */
function problemOf(backends: readonly Backend[], evidence: ComparedEvidence): Problem | undefined {
  const { context, given, manifests } = evidence;
  if (manifests === undefined) return undefined;
  const [first] = backends.flatMap((backend) => {
    const problem = serviceProblem(backend, manifests);
    return problem ? [{ ...problem, namespace: backend.namespace }] : [];
  });
  if (first === undefined) return undefined;
  const hints = {
    missing: `create it, or correct the entry's service: { name, namespace, port }; ${redeploy(evidence)}`,
    port: `set one of its ports in the entry's service: { name, namespace, port }, and run npx gatehouse deploy ${argument(given)}`,
    "not-ready": `see kubectl --context ${argument(context)} get pods --namespace ${first.namespace}, then describe the one that is not ready`,
  };
  return { message: first.problem, evidence: [first.evidence], hint: hints[first.kind] };
}
