/** Compares a middleware of a route with the plan. */
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../../../../infra/identity/headers.ts";
import type { ForwardAuth, Middleware } from "../../../../infra/plan/types.ts";
import { findService } from "../../../clients/services.ts";
import type { DeployedMiddleware, Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import { redeploy } from "./finding.ts";
import type { Problem } from "./route.ts";

/** Request headers that the outpost needs to identify the session and the refused request. */
const NEEDED = { login: ["Cookie"], unauthorized: ["Cookie", "X-Original-URI"] };

/** @returns what is wrong with one middleware of an exposure; undefined when all is well, or it was not seen */
export function middlewareProblem(
  exposure: string,
  namespace: string,
  name: string,
  evidence: Evidence,
): Problem | undefined {
  const all = seen(evidence.cluster.middlewares);
  const planned = evidence.plan.middlewares.find((one) => one.namespace === namespace && one.name === name);
  if (all === undefined || planned === undefined) return undefined;
  const place = `Middleware ${namespace}/${name}`;
  const found = all.find((one) => one.namespace === namespace && one.name === name);
  if (found === undefined) {
    const problem = `a middleware of ${exposure} is missing, so Traefik drops its routes`;
    return { problem, evidence: [`${place} is missing`] };
  }
  const problem = contentProblem(planned, found, place, evidence);
  return problem && { changed: `middleware.traefik.io ${name} --namespace ${namespace}`, ...problem };
}

function contentProblem(
  planned: Middleware,
  found: DeployedMiddleware,
  place: string,
  evidence: Evidence,
): Problem | undefined {
  switch (planned.kind) {
    case "strip":
      return stripProblem(found, place);
    case "forward-auth":
      return forwardAuthProblem(planned, found, place, evidence);
    case "basic-auth":
      return basicAuthProblem(found, place, evidence);
    default:
      return undefined;
  }
}

function stripProblem({ requestHeaders }: DeployedMiddleware, place: string): Problem | undefined {
  const left = identityHeaderSpellings().filter((name) => requestHeaders.get(name.toLowerCase()) !== "removed");
  const more = [...requestHeaders].filter(([name, change]) => change === "set" || name === "cookie");
  if (left.length === 0) {
    if (more.length === 0) return undefined;
    const names = more.map(([name]) => name).join(", ");
    return {
      problem: `${place} changes other headers than planned`,
      evidence: [`it also ${more[0]?.[1] === "set" ? "sets" : "removes"} ${names}`],
    };
  }
  const problem = `${place} does not remove forged identity headers`;
  return {
    problem,
    evidence: [
      `it does not remove ${left.slice(0, 3).join(", ")}${left.length > 3 ? ` and ${left.length - 3} more` : ""}`,
    ],
  };
}

function forwardAuthProblem(
  { outpost, refusal, upstream }: ForwardAuth,
  { forwardAuth }: DeployedMiddleware,
  place: string,
  evidence: Evidence,
): Problem | undefined {
  if (forwardAuth === undefined)
    return { problem: `${place} does not require a session`, evidence: ["it has no forwardAuth"] };
  const { address, requestHeaders, responseHeaders, trustForwardHeader } = forwardAuth;
  const endpoint = `/outpost.goauthentik.io/auth/${refusal === "login" ? "traefik" : "nginx"}`;
  const expected = outpostAddress(outpost, evidence);
  const is = URL.parse(address);
  if (is?.pathname !== endpoint || (expected !== undefined && is.origin !== expected)) {
    const planned = `${expected ?? "the outpost's Service"}${endpoint}`;
    return { problem: `${place} has a wrong address`, evidence: [`its address is ${address}, and not ${planned}`] };
  }
  const kept = new Set(requestHeaders?.map((name) => name.toLowerCase()));
  const lacking = requestHeaders === undefined ? [] : NEEDED[refusal].filter((name) => !kept.has(name.toLowerCase()));
  if (lacking.length > 0) {
    const says = `authRequestHeaders is ${requestHeaders?.join(", ") || "empty"}; ${lacking.join(", ")} is not among them`;
    return {
      problem: `${place} does not forward the session to the outpost, so no user is ever signed in`,
      evidence: [says],
    };
  }
  const missing = IDENTITY_HEADERS.filter((name) => !responseHeaders.includes(name));
  if (missing.length > 0) {
    const problem = `${place} does not copy ${missing.join(", ")} from the outpost, so a client can forge it`;
    return { problem, evidence: [`authResponseHeaders is ${responseHeaders.join(", ") || "empty"}`] };
  }
  if (trustForwardHeader === upstream) return undefined;
  const says = `trustForwardHeader is ${trustForwardHeader}, planned: ${upstream}`;
  return { problem: `${place} trusts other X-Forwarded-* headers than planned`, evidence: [says] };
}

/** Address of an outpost inside the cluster; undefined for a Service that was not observed. */
function outpostAddress(outpost: string, { plan, cluster }: Evidence): string | undefined {
  const planned = plan.outposts.find(({ name }) => name === outpost);
  const services = seen(cluster.services);
  const found = planned && services && findService(services, planned);
  return found?.clusterIP === undefined ? undefined : new URL(`http://${found.clusterIP}:${planned?.port}`).origin;
}

function basicAuthProblem(
  { namespace, basicAuth }: DeployedMiddleware,
  place: string,
  evidence: Evidence,
): Problem | undefined {
  if (basicAuth === undefined)
    return { problem: `${place} does not require a password`, evidence: ["it has no basicAuth with a Secret"] };
  const secrets = seen(evidence.cluster.secrets);
  if (secrets === undefined || secrets.has(`${namespace}/${basicAuth}`)) return undefined;
  const problem = `the Secret with the password of ${place} is missing, so Traefik drops its routes`;
  return { problem, evidence: [`Secret ${namespace}/${basicAuth} is not there`], hint: redeploy(evidence) };
}
