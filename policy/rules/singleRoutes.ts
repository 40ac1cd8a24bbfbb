import type { Plan } from "../../infra/plan/types.ts";
import { manifestsOf } from "../../manifests/resource.ts";
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
    manifestsOf(resources)
      .flatMap(rulesOf)
      .flatMap((rule) => duplicateRoutes(rule, plan)),
};

/** Of two objects with the same match, Traefik decides by their order. */
export const singleObjects: Rule = {
  name: "one-object-per-match",
  description: "No two objects have the same match.",
  scope: "stack",
  check: (resources) => twice(manifestsOf(resources).flatMap(rulesOf)),
};

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
      message: `${rule.match}: serves ${first.host}${others}, ${precedence(rule, served)}`,
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
    const message = `${rule.match}: ${other.manifest.label} serves the same`;
    return [{ rule: singleObjects.name, subject: rule.manifest.label, message, hint: "use one host for each service" }];
  });
}
