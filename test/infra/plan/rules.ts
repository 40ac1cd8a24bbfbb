/** The rules of a plan's routes, as tests compare them. */
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { shell, stack } from "../../config/stacks.ts";

/** Match, priority, authentication and reason of every rule, by route. */
export const rulesOf = (plan: Plan, name: string) =>
  rules(plan, name).map(({ match, priority, authentication, openBecause }) => [
    match,
    priority,
    authentication,
    openBecause,
  ]);
/** Match and middlewares of every rule, by route. */
export const chainsOf = (plan: Plan, name: string) =>
  rules(plan, name).map(({ match, middlewares }) => [match, middlewares.map(withoutHash)]);

/** A middleware's name without the hash of its outpost. */
export const withoutHash = (name: string) => name.replace(/-[0-9a-f]{8}(?=-forward-auth)/, "");

/** The rules of the one route of that name. */
export function rules(plan: Plan, name: string) {
  const [route, ...others] = plan.routes.filter((candidate) => candidate.name === name);
  if (!route || others.length > 0) throw new Error(`expected one route ${name}`);
  return route.rules;
}

/** The plan of a stack whose one domain is `mesh`, with these fields. */
export function onMesh(fields: Record<string, unknown>, ...list: Record<string, unknown>[]): Plan {
  const mesh = { enabled: true, base_domain: "mesh.example.org", ...fields };
  return computePlan(parseStack(stack({ domains: { mesh }, protected_services: list }), shell));
}
