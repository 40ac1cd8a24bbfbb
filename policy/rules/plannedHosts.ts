import type { Plan } from "../../infra/plan/types.ts";
import { type Finding, manifestsOf } from "../resource.ts";
import { type RoutingRule, rulesOf } from "../routing.ts";
import type { Rule } from "../rule.ts";

/** A host that is not in the configuration was not reviewed. */
export const plannedHosts: Rule = {
  name: "hosts-are-planned",
  description: "No route serves a host that the plan does not name.",
  scope: "resource",
  check: (resources, { plan }) =>
    manifestsOf(resources)
      .flatMap(rulesOf)
      .flatMap((rule) => unplanned(rule, plan)),
};

function unplanned(rule: RoutingRule, plan: Plan): Finding[] {
  const found = { rule: plannedHosts.name, object: rule.manifest.label };
  if (rule.match === "(unknown)") return [];
  if (rule.hosts === undefined) {
    const problem = `${rule.match}: serves hosts that it does not name`;
    return [{ ...found, problem, hint: "begin the rule with Host(`…`) of one host" }];
  }
  const planned = new Set(plan.exposures.map(({ host }) => host));
  return [...rule.hosts.difference(planned)].map((host) => ({
    ...found,
    problem: `${rule.match}: ${host} is no host of the plan`,
    hint: "state the service in gatehouse:protected_services, and its domain under gatehouse:domains",
  }));
}
