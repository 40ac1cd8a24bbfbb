/** Compares the routes and middlewares of an exposure with the plan, and finds unmanaged routes for its host. */
import type { Exposure, Route, RouteRule } from "../../../../infra/plan/types.ts";
import { protectionOf } from "../../../../protections/table.ts";
import type { DeployedRoute, DeployedRule, Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import { type Cause, type Finding, redeploy } from "./finding.ts";
import { unmanagedRule } from "./unmanagedRoute.ts";
import { middlewareProblem } from "./middleware.ts";

export interface Problem extends Pick<Finding, "problem" | "evidence"> {
  readonly hint?: string;
  /** The changed object, as kubectl names it. */
  readonly changed?: string;
}

export const route: Cause = (exposure, evidence) => {
  const routes = seen(evidence.cluster.routes);
  if (routes === undefined) return undefined;
  const planned = plannedRoutes(exposure, evidence);
  const own =
    firstOf(planned, (one) => routeProblem(exposure, one, routes)) ??
    firstOf(planned, (one) => unresolved(exposure, one, evidence));
  const isIdentityProvider = exposure.role === "identity-provider";
  const problem =
    (own && isIdentityProvider ? { ...own, hint: identityHint(planned, evidence) } : own) ??
    identityRoute(exposure, evidence, routes) ??
    unmanagedProblem(exposure, evidence, routes);
  if (problem === undefined) return undefined;
  const { changed, hint, ...rest } = problem;
  const usual = changed === undefined ? redeploy(evidence) : replaced(changed, evidence);
  return { cause: "route configuration", hint: hint ?? usual, ...rest };
};

/** The field manager that changed an object owns the changed fields, and the engine does not take them over (server-side apply). */
function replaced(changed: string, { context }: Evidence): string {
  return `delete the changed object, kubectl --context ${context} delete ${changed}, and run ./deploy ${context} --refresh`;
}

function firstOf<T, R>(list: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The routes with rules of an exposure; the outpost's path is one of its own. */
function plannedRoutes({ id }: Exposure, { plan }: Evidence): Route[] {
  const own = plan.routes.map((one) => ({ ...one, rules: one.rules.filter(({ exposure }) => exposure === id) }));
  return own.filter(({ rules }) => rules.length > 0);
}

function routeProblem({ host }: Exposure, planned: Route, routes: readonly DeployedRoute[]): Problem | undefined {
  const { namespace, name, entryPoint } = planned;
  const place = `IngressRoute ${namespace}/${name}`;
  const found = routes.find((one) => one.namespace === namespace && one.name === name);
  const path = isOutpostRoute(planned) ? `the outpost's path on ${host}` : host;
  if (found === undefined) return { problem: `the route of ${path} is missing`, evidence: [`${place} is missing`] };
  const changed = `ingressroute.traefik.io ${name} --namespace ${namespace}`;
  if (!found.entryPoints.includes(entryPoint)) {
    const has = found.entryPoints.join(", ") || "none";
    const evidence = [`${place} is on entry point ${has}, planned: ${entryPoint}`];
    return { problem: `the route of ${path} is on another entry point`, evidence, changed };
  }
  const problem = firstOf(planned.rules, (rule) => ruleProblem(rule, found, place, path));
  return problem && { ...problem, changed };
}

function isOutpostRoute({ rules }: Route): boolean {
  return rules.every(({ openBecause, match }) => openBecause === "identity-provider" && match.includes("/outpost."));
}

function ruleProblem(planned: RouteRule, found: DeployedRoute, place: string, path: string): Problem | undefined {
  const rule = found.rules.find(({ match }) => match === planned.match);
  if (rule === undefined) {
    const has = found.rules.map(({ match }) => match).join("; ");
    const problem = `the route of ${path} has no rule for ${planned.match}`;
    return { problem, evidence: [`${place} matches ${has === "" ? "nothing" : has}`] };
  }
  const wanted = planned.middlewares.map((name) => `${found.namespace}/${name}`);
  if (wanted.join() !== rule.middlewares.join()) return chainProblem(wanted, rule, place, path);
  const { name, namespace, port } = planned.backend;
  const backend = `${namespace}/${name}:${port}`;
  if (rule.backends.join() !== backend) {
    const evidence = [`${place} routes to ${rule.backends.join(", ")}, planned: ${backend}`];
    return { problem: `the route of ${path} has another backend`, evidence };
  }
  if (!rule.passHostHeader) {
    return {
      problem: `the route of ${path} does not pass the Host header`,
      evidence: [`passHostHeader of ${place} is false`],
    };
  }
  if (rule.priority === planned.priority) return undefined;
  const evidence = [`the priority of ${rule.match} in ${place} is ${rule.priority}, planned: ${planned.priority}`];
  return { problem: `the route of ${path} has another priority`, evidence };
}

function chainProblem(wanted: readonly string[], rule: DeployedRule, place: string, path: string): Problem {
  const missing = wanted.filter((one) => !rule.middlewares.includes(one));
  const more = rule.middlewares.filter((one) => !wanted.includes(one));
  const what =
    missing.length > 0
      ? `lacks ${missing.join(", ")}`
      : more.length > 0
        ? `also has ${more.join(", ")}`
        : "has its middlewares in another order";
  const consequence = missing.some((one) => one.endsWith("/gatehouse-strip"))
    ? ": forged X-idp-* headers reach the application"
    : "";
  return {
    problem: `the route of ${path} ${what}${consequence}`,
    evidence: [
      `middlewares of ${rule.match} in ${place}: ${rule.middlewares.join(", ") || "none"}; planned: ${wanted.join(", ")}`,
    ],
  };
}

function unresolved({ id }: Exposure, { namespace, rules }: Route, evidence: Evidence): Problem | undefined {
  const names = [...new Set(rules.flatMap(({ middlewares }) => middlewares))];
  return firstOf(names, (name) => middlewareProblem(id, namespace, name, evidence));
}

/** Who signs in passes the identity provider's own host, too: what is wrong there, is wrong for all. */
function identityRoute(exposure: Exposure, evidence: Evidence, routes: readonly DeployedRoute[]): Problem | undefined {
  if (!protectionOf(exposure.protection).usesIdentityProvider) return undefined;
  const { exposures, identityProviderUrl } = evidence.plan;
  const own = exposures.find(({ role, url }) => role === "identity-provider" && url === identityProviderUrl);
  if (own === undefined) return undefined;
  const planned = plannedRoutes(own, evidence);
  const problem =
    firstOf(planned, (one) => routeProblem(own, one, routes)) ??
    firstOf(planned, (one) => unresolved(own, one, evidence));
  return problem && { ...problem, hint: identityHint(planned, evidence) };
}

/**
 * The identity provider's records are read through this route, and what answers 404 counts as gone (authentik/README 4.3): a refresh of the
 * whole stack would forget them all.
 */
function identityHint([planned]: readonly Route[], { context, plan }: Evidence): string {
  const targets = `--target '**::${planned?.name}-route' --target '**::${planned?.namespace}/*-middleware'`;
  return `refresh only these, pulumi refresh --stack ${plan.stack} ${targets}, then run ./deploy ${context}; do not refresh the stack before`;
}

function unmanagedProblem(
  exposure: Exposure,
  evidence: Evidence,
  routes: readonly DeployedRoute[],
): Problem | undefined {
  const found = unmanagedRule(exposure.host, evidence.plan, routes);
  const lowest = Math.min(
    ...plannedRoutes(exposure, evidence).flatMap(({ rules }) => rules.map(({ priority }) => priority)),
  );
  if (found === undefined || found.rule.priority < lowest) return undefined;
  const chain = found.rule.middlewares.join(", ") || "none";
  return {
    problem: `an unmanaged route serves ${exposure.host}`,
    evidence: [
      `IngressRoute ${found.place} matches ${found.rule.match} (priority ${found.rule.priority}, middlewares: ${chain})`,
    ],
    hint: `delete it: kubectl --context ${evidence.context} delete ingressroute.traefik.io ${found.name} --namespace ${found.namespace}`,
  };
}
