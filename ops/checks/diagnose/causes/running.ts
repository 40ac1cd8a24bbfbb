/** Whether what answers an exposure runs: its application, and the identity provider that is asked first. */
import type { Backend } from "../../../../config/settings.ts";
import { AUTHENTIK_SERVICE } from "../../../../infra/plan/exposures.ts";
import type { Exposure } from "../../../../infra/plan/types.ts";
import { protectionOf } from "../../../../protections/table.ts";
import { findService, serviceProblem } from "../../../clients/services.ts";
import type { Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import { type Cause, type Finding, redeploy } from "./finding.ts";

/** The application behind an exposure. */
export const application: Cause = ({ backend, role }, evidence) => {
  const problem = role === "identity-provider" ? undefined : faultOf(backend, evidence);
  return problem && { cause: "application not running", ...problem };
};

/** The outpost of the gateway, and the server with the login page. */
export const identityProvider: Cause = (exposure, evidence) => {
  const asked = askedBefore(exposure, evidence);
  for (const service of asked) {
    const problem = faultOf(service, evidence);
    if (problem) return { cause: "identity provider not running", ...problem };
  }
  return undefined;
};

/** A Service that is not there at all, of either. */
export const serviceMissing: Cause = (exposure, evidence) => {
  const services = seen(evidence.cluster.services);
  const needed = [exposure.backend, ...askedBefore(exposure, evidence)];
  const missing = services && needed.find((one) => !findService(services, one));
  const problem = missing && faultOf(missing, evidence);
  return problem && { cause: "application not running", ...problem, hint: redeploy(evidence) };
};

function askedBefore({ protection, role, outpost }: Exposure, { settings, plan }: Evidence): Backend[] {
  if (!protectionOf(protection).usesIdentityProvider && role !== "identity-provider") return [];
  const { install, namespace, service } = settings.identityProvider;
  const server = install ? AUTHENTIK_SERVICE : service;
  const asked = plan.outposts.filter(({ name }) => name === outpost);
  return [...(server ? [{ ...server, namespace }] : []), ...asked];
}

type Problem = Pick<Finding, "problem" | "evidence" | "hint">;

function faultOf(backend: Backend, evidence: Evidence): Problem | undefined {
  const services = seen(evidence.cluster.services);
  const found = services && serviceProblem(backend, services);
  if (found === undefined) return undefined;
  const { context } = evidence;
  const hints = {
    missing: `create it, or correct the entry's service: { name, namespace, port }; ${redeploy(evidence)}`,
    port: `set one of its ports in the entry's service: { name, namespace, port }, and run ./deploy ${context}`,
    "not-ready": `see kubectl --context ${context} get pods --namespace ${backend.namespace}, then describe the one that is not ready`,
  };
  return { problem: found.problem, evidence: [found.evidence], hint: hints[found.kind] };
}
