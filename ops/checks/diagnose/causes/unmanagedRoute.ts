import type { Plan } from "../../../../infra/plan/types.ts";
import type { DeployedRoute, DeployedRule } from "../evidence.ts";

/** A rule of an unmanaged IngressRoute. */
export interface UnmanagedRule {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name`. */
  readonly place: string;
  readonly rule: DeployedRule;
}

/** Returns the rule of highest priority that matches a host and is in no planned route. */
export function unmanagedRule(host: string, plan: Plan, routes: readonly DeployedRoute[]): UnmanagedRule | undefined {
  const own = new Set(plan.routes.map(({ namespace, name }) => `${namespace}/${name}`));
  const others = routes.filter(({ namespace, name }) => !own.has(`${namespace}/${name}`));
  const rules = others.flatMap(({ namespace, name, rules }) =>
    rules
      .filter(({ match }) => takes(match, host))
      .map((rule) => ({ namespace, name, place: `${namespace}/${name}`, rule })),
  );
  return rules.sort((a, b) => b.rule.priority - a.rule.priority)[0];
}

/** Whether a rule of Traefik takes requests for a host: by name, by pattern, or because it names none. */
function takes(match: string, host: string): boolean {
  const calls = [...match.matchAll(/(!?)(Host|HostRegexp|HostSNI)\(([^)]*)\)/g)];
  if (calls.length === 0) return true;
  return calls.some(([, not, kind, list = ""]) => {
    const names = [...list.matchAll(/[`"']([^`"']+)[`"']/g)].map(([, name = ""]) => name);
    const hit = names.some((name) => (kind === "HostRegexp" ? isMatch(name, host) : name === host));
    return not === "!" ? !hit : hit;
  });
}

function isMatch(pattern: string, host: string): boolean {
  try {
    return new RegExp(pattern, "i").test(host);
  } catch {
    return false;
  }
}
