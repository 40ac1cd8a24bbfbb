import type { Plan, Route } from "../../infra/plan/types.ts";
import { traefikName } from "../../infra/plan/traefikName.ts";
import { withoutValues } from "../../manifests/matcher.ts";
import { listOf, type Manifest, manifestsOf, objectLabel, textAt } from "../../manifests/resource.ts";
import { type RoutingRule, rulesOf } from "../../manifests/routing.ts";
import type { Rule, Violation } from "../rule.ts";
import { plannedRule } from "./protectedRoutes.ts";

/**
 * With two routes for one host, the one without protection may be the one that answers. A rule for each resource: a match that a preview does not know is
 * refused before the route exists.
 */
export const singleRoutes: Rule = {
  name: "one-route-per-host",
  description: "No route but the planned one serves a planned host.",
  scope: "resource",
  check: (resources, { plan }) =>
    manifestsOf(resources).flatMap((manifest) => [
      ...childRoutes(manifest, plan),
      ...rulesOf(manifest).flatMap((rule) => duplicateRoutes(rule, plan)),
    ]),
};

/** Of two objects with the same match, Traefik decides by their order. */
export const singleObjects: Rule = {
  name: "one-object-per-match",
  description: "No two objects have the same match.",
  scope: "stack",
  check: (resources) => twice(manifestsOf(resources).flatMap(rulesOf)),
};

/**
 * Returns a violation for each planned route that a route has as its parent. Traefik sends the requests of the parent to its children only, after
 * its middlewares, and answers 404 if none matches (v3.7, pkg/server/router, `buildHTTPHandler`).
 */
export function childRoutes(
  { kind, label, namespace, objectName, spec }: Manifest,
  plan: Plan,
): (Violation & { readonly parent: Route })[] {
  if (kind !== "IngressRoute") return [];
  const parents = listOf(spec["parentRefs"]).flatMap((ref) => {
    const name = traefikName(textAt(ref, "namespace") ?? namespace, textAt(ref, "name") ?? "");
    return plan.routes.filter((route) => traefikName(route.namespace, route.name) === name);
  });
  return parents.map((parent) => ({
    parent,
    rule: singleRoutes.name,
    subject: label,
    message: `is a child of ${objectLabel("IngressRoute", parent)}, so that Traefik sends its requests to other services than the planned ones, or answers 404`,
    hint: `remove its parentRefs, or the route (kubectl delete ingressroute ${objectName ?? ""} --namespace ${namespace})`,
  }));
}

/** Hosts of the plan that a rule serves which is not of the plan. */
export function duplicateRoutes(rule: RoutingRule, plan: Plan): Violation[] {
  if (rule.match === "(unknown)" || plannedRule(rule, plan)) return [];
  const served = plan.routes.flatMap(({ rules }) => rules).filter(({ host }) => rule.serves(host));
  const first = served[0];
  if (first === undefined) return [];
  const hosts = [...new Set(served.map(({ host }) => host))];
  const others = hosts.length > 1 ? ` and ${hosts.length - 1} more hosts of the plan` : "";
  return [
    {
      rule: singleRoutes.name,
      subject: rule.manifest.label,
      message: `${withoutValues(rule.match)}: serves ${first.host}${others}, ${precedence(rule, served)}`,
      hint: removal(rule),
    },
  ];
}

function precedence({ priority }: RoutingRule, served: readonly { readonly priority: number }[]): string {
  const highest = Math.max(...served.map((rule) => rule.priority));
  if (priority === undefined) return "next to the planned route";
  const order = priority >= highest ? "before every" : "next to the";
  return `with priority ${priority} ${order} planned route`;
}

/** Returns the hint for a route that is not planned: a command, or what to change. */
function removal({ manifest: { kind, namespace, objectName } }: RoutingRule): string {
  const object = `${kind.toLowerCase()} ${objectName ?? ""} --namespace ${namespace}`;
  return `remove it (kubectl delete ${object}), or name another host in it`;
}

/** Returns findings for rules of two objects with the same match at one entry point. */
function twice(rules: readonly RoutingRule[]): Violation[] {
  const first = new Map<string, RoutingRule>();
  return rules.flatMap((rule) => {
    if (rule.match === "(unknown)") return [];
    const key = JSON.stringify([rule.match, rule.entryPoints]);
    const other = first.get(key);
    if (other === undefined) first.set(key, rule);
    if (other === undefined || other.manifest.label === rule.manifest.label) return [];
    const message = `${withoutValues(rule.match)}: ${other.manifest.label} serves the same`;
    return [{ rule: singleObjects.name, subject: rule.manifest.label, message, hint: "use one host for each service" }];
  });
}
