import { routeSpec } from "../../infra/gateway/specs.ts";
import { authenticates } from "../../infra/plan/middleware.ts";
import type { Exposure, Middleware, Plan, Route, RouteRule } from "../../infra/plan/types.ts";
import { differences } from "../../manifests/differences.ts";
import { withoutValues } from "../../manifests/matcher.ts";
import { listOf, type Manifest, manifestsOf, textAt, UNKNOWN } from "../../manifests/resource.ts";
import { type RoutingRule, rulesOf } from "../../manifests/routing.ts";
import type { Problem, Rule, Violation } from "../rule.ts";

/**
 * Identity headers of the client are removed before any middleware reads them, and a request without authentication is refused, unless the plan
 * exposes the path without authentication.
 */
export const protectedRoutes: Rule = {
  name: "routes-are-protected",
  description:
    "Every route removes forged identity headers first, requires authentication unless the plan declares it open, and routes to the planned backend. A planned route differs in nothing from the plan.",
  scope: "resource",
  check: (resources, { plan }) =>
    manifestsOf(resources).flatMap((manifest) => {
      const findings = [...unprotected(manifest, plan), ...otherBackends(manifest, plan)];
      return findings.length > 0 ? findings : otherContent(manifest, plan);
    }),
};

/** Reports planned rules with another backend, which an open rule would open. */
function otherBackends(manifest: Manifest, plan: Plan): Violation[] {
  return rulesOf(manifest).flatMap((rule) => {
    const planned = plannedRule(rule, plan);
    if (planned === undefined) return [];
    const { traefikService, backend } = planned;
    const expected = traefikService ? { namespace: manifest.namespace, name: traefikService } : backend;
    const others = rule.backends.filter(
      // An unknown name is empty; the up checks it again.
      ({ namespace, name }) => name !== "" && (namespace !== expected.namespace || name !== expected.name),
    );
    return others.map(({ namespace, name }) => ({
      rule: protectedRoutes.name,
      subject: manifest.label,
      message: `${rule.match}: routes to ${namespace}/${name} instead of ${expected.namespace}/${expected.name}`,
      hint: "change the service in gatehouse:protected_services instead of the route",
    }));
  });
}

/** Reports other differences of a planned route: another port or entry point, or a further middleware, which could set identity headers. */
function otherContent(manifest: Manifest, plan: Plan): Violation[] {
  const planned = plannedRoute(manifest, plan);
  if (planned === undefined || manifest.props["spec"] === UNKNOWN) return [];
  const { routes: rules, ...fields } = routeSpec(planned);
  const { routes, ...foundFields } = manifest.spec;
  const found = routes === UNKNOWN ? rules : listOf(routes);
  const problems = [
    ...differences(fields, foundFields),
    ...rules.flatMap((rule, index) =>
      index < found.length
        ? differences(rule, found[index]).map((difference) => `${rule.match}: ${difference}`)
        : [`${rule.match}: is missing`],
    ),
    ...found
      .slice(rules.length)
      .map((rule) => `${withoutValues(textAt(rule, "match") ?? "(unknown)")}: is not in the plan`),
  ];
  return problems.map((message) => ({
    rule: protectedRoutes.name,
    subject: manifest.label,
    message,
    hint: "change the service in gatehouse:protected_services instead of the route",
  }));
}

/** Returns the missing middlewares of one object. */
export function unprotected(manifest: Manifest, plan: Plan): Violation[] {
  if (["IngressRouteTCP", "TLSRoute", "TCPRoute"].includes(manifest.kind)) return [];
  return rulesOf(manifest).flatMap((rule) => {
    const { match, middlewares } = rule;
    if (match === "(unknown)" || middlewares === undefined) return [];
    const shown = plannedRule(rule, plan) ? match : withoutValues(match);
    const problems = [...stripProblems(middlewares, plan), ...authenticationProblems(rule, middlewares, plan)];
    return problems.map(({ message, hint }) => ({
      rule: protectedRoutes.name,
      subject: manifest.label,
      message: `${shown}: ${message}`,
      hint,
    }));
  });
}

function stripProblems(middlewares: readonly string[], plan: Plan): Problem[] {
  const kinds = middlewares.map((name) => kindOf(name, plan));
  const strip = kinds.indexOf("strip");
  if (strip < 0) {
    return [
      {
        message: "does not remove forged identity headers",
        hint: "add the service to gatehouse:protected_services instead of a separate route, or add gatehouse-strip as the first middleware",
      },
    ];
  }
  const authentication = kinds.findIndex((kind) => kind !== undefined && authenticates(kind));
  if (authentication >= 0 && authentication < strip) {
    const message = `authenticates (${middlewares[authentication] ?? ""}) before it removes forged headers`;
    return [{ message, hint: `put ${middlewares[strip] ?? ""} before it` }];
  }
  return [];
}

function authenticationProblems(rule: RoutingRule, middlewares: readonly string[], plan: Plan): Problem[] {
  const planned = plannedRule(rule, plan);
  if (planned?.authentication === "none") return [];
  const hint = "add the path to public_paths if it is public; else add the middleware of the service's authentication";
  if (planned) {
    const { namespace } = rule.manifest;
    const demanded = planned.middlewares
      .map((name) => `${namespace}/${name}`)
      .filter((name) => isAuthentication(name, plan));
    const missing = demanded.filter((name) => !middlewares.includes(name));
    return missing.map((name) => ({ message: `is open to everyone: ${name} is missing`, hint }));
  }
  const served = plan.exposures.filter(({ host }) => rule.serves(host));
  const closed = served.filter(({ authentication }) => authentication !== "none");
  const refused =
    served.length === 0
      ? middlewares.some((name) => isAuthentication(name, plan))
      : closed.every((exposure) => middlewares.some((name) => isAuthenticationOf(name, exposure, plan)));
  return refused ? [] : [{ message: "is open to everyone, which the plan does not declare", hint }];
}

/** Returns whether a middleware is the authentication of an exposure. Another outpost has other allowed groups. */
function isAuthenticationOf(name: string, { entry, outpost }: Exposure, plan: Plan): boolean {
  return plan.middlewares.some((middleware) => {
    if (`${middleware.namespace}/${middleware.name}` !== name) return false;
    if (middleware.kind === "forward-auth") return middleware.outpost === outpost;
    return authenticates(middleware.kind) && "service" in middleware && middleware.service === entry;
  });
}

/** Returns the rule of the plan that one of a cluster or program is meant to be. */
export function plannedRule({ manifest, match }: RoutingRule, plan: Plan): RouteRule | undefined {
  return plannedRoute(manifest, plan)?.rules.find((rule) => rule.match === match);
}

function plannedRoute({ kind, namespace, objectName }: Manifest, { routes }: Plan): Route | undefined {
  if (kind !== "IngressRoute") return undefined;
  return routes.find((route) => route.namespace === namespace && route.name === objectName);
}

function isAuthentication(name: string, plan: Plan): boolean {
  const kind = kindOf(name, plan);
  return kind !== undefined && authenticates(kind);
}

/** @param name `<namespace>/<name>` */
function kindOf(name: string, plan: Plan): Middleware["kind"] | undefined {
  return plan.middlewares.find((one) => `${one.namespace}/${one.name}` === name)?.kind;
}
