/** Whether what answers an exposure runs: its application, and the identity provider that is asked first. */
import type { Backend } from "../../../config/settings.ts";
import { AUTHENTIK_SERVICE } from "../../../infra/plan/exposures.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import type { DeployedService, Evidence } from "../evidence.ts";
import { seen } from "../look.ts";
import { type Cause, type Finding, redeploy } from "./finding.ts";

/** The application behind an exposure. */
export const application: Cause = ({ backend, role }, evidence) => {
  const fault = role === "identity-provider" ? undefined : faultOf(backend, evidence);
  return fault && { cause: "application not running", ...fault };
};

/** The outpost that the gateway asks, and the server that people sign in at. */
export const identityProvider: Cause = (exposure, evidence) => {
  const asked = askedBefore(exposure, evidence);
  for (const service of asked) {
    const fault = faultOf(service, evidence);
    if (fault) return { cause: "identity provider not running", ...fault };
  }
  return undefined;
};

/** A Service that is not there at all, of either. */
export const serviceMissing: Cause = (exposure, evidence) => {
  const services = seen(evidence.cluster.services);
  const needed = [exposure.backend, ...askedBefore(exposure, evidence)];
  const missing = services && needed.find((one) => !find(services, one));
  return missing && { cause: "application not running", ...missingFault(missing, evidence) };
};

function askedBefore({ authentication, protection, role, outpost }: Exposure, { settings, plan }: Evidence): Backend[] {
  if (authentication !== "forward-auth" && protection !== "oauth2" && role !== "identity-provider") return [];
  const { install, namespace, service } = settings.identityProvider;
  const server = install ? AUTHENTIK_SERVICE : service;
  const asked = plan.outposts.filter(({ name }) => name === outpost);
  return [...(server ? [{ ...server, namespace }] : []), ...asked];
}

function find(services: readonly DeployedService[], { namespace, name }: Backend): DeployedService | undefined {
  return services.find((one) => one.namespace === namespace && one.name === name);
}

type Fault = Pick<Finding, "fault" | "evidence" | "cure">;

function missingFault({ namespace, name }: Backend, evidence: Evidence): Fault {
  const place = `Service ${namespace}/${name}`;
  return { fault: `${place} is missing`, evidence: [`${place} is not there`], cure: redeploy(evidence) };
}

function faultOf(backend: Backend, evidence: Evidence): Fault | undefined {
  const services = seen(evidence.cluster.services);
  if (services === undefined) return undefined;
  const { namespace, name, port } = backend;
  const found = find(services, backend);
  if (found === undefined) {
    const cure = `create it, or write what runs there into the entry's service: { name, namespace, port }; ${redeploy(evidence)}`;
    return { ...missingFault(backend, evidence), cure };
  }
  const place = `Service ${namespace}/${name}`;
  if (!found.ports.includes(port)) {
    const fault = `${place} has no port ${port}`;
    const cure = `write one of its ports into the entry's service: { name, namespace, port }, and run ./deploy ${evidence.context}`;
    return { fault, evidence: [`its ports are ${found.ports.join(", ")}`], cure };
  }
  if (found.ready !== 0) return undefined;
  return {
    fault: `no pod behind ${place} is ready`,
    evidence: ["0 ready pods match its selector"],
    cure: `look at them: kubectl --context ${evidence.context} get pods --namespace ${namespace}, then describe the one that is not ready`,
  };
}
