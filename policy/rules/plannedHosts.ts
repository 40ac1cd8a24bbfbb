import type { Plan } from "../../infra/plan/types.ts";
import { withoutValues } from "../../manifests/matcher.ts";
import { manifestsOf } from "../../manifests/resource.ts";
import { type RoutingRule, rulesOf } from "../../manifests/routing.ts";
import type { Rule, Violation } from "../rule.ts";

/** A host that is not in the configuration was not reviewed. */
export const plannedHosts: Rule = {
  name: "hosts-are-planned",
  description: "No route serves a host that is not in the plan.",
  scope: "resource",
  check: (resources, { plan }) =>
    manifestsOf(resources)
      .flatMap(rulesOf)
      .flatMap((rule) => unplanned(rule, plan)),
};

function unplanned(rule: RoutingRule, plan: Plan): Violation[] {
  const found = { rule: plannedHosts.name, subject: rule.manifest.label };
  if (rule.match === "(unknown)") return [];
  const match = withoutValues(rule.match);
  if (rule.hosts === undefined) {
    const message = `${match}: matches hosts that are not in the rule`;
    return [{ ...found, message, hint: "start the rule with Host(`…`) of one host" }];
  }
  const planned = new Set(plan.exposures.map(({ host }) => host));
  return [...rule.hosts.difference(planned)].map((host) => ({
    ...found,
    message: `${match}: ${host} is not in the plan`,
    hint: "add the service to gatehouse:protected_services, and its domain to gatehouse:domains",
  }));
}
