import { routeSpec } from "../../../infra/gateway/specs.ts";
import type { Plan, Route } from "../../../infra/plan/types.ts";
import { differences } from "../../../policy/differences.ts";
import type { Finding, Manifest } from "../../../policy/resource.ts";
import { type RoutingRule, rulesOf } from "../../../policy/routing.ts";
import { unprotected } from "../../../policy/rules/protectedRoutes.ts";
import { duplicateRoutes } from "../../../policy/rules/singleRoutes.ts";
import type { Backends } from "./backends.ts";

const REDEPLOY = "deploy the stack again (./deploy CONTEXT --refresh)";

/** Routes that are not of the plan, and lead a request to a host or a backend of it. */
export function unmanagedRoutes(manifests: readonly Manifest[], plan: Plan, backends: Backends): Finding[] {
  const own = new Set(plan.routes.map(({ namespace, name }) => `IngressRoute ${namespace}/${name}`));
  return manifests
    .filter(({ label }) => !own.has(label))
    .flatMap(rulesOf)
    .filter((rule) => !isGatewaysOwn(rule))
    .flatMap((rule) => {
      const hosts = takesConnections(rule, plan) ? duplicateRoutes(rule, plan) : [];
      return hosts.length > 0 ? hosts : exposedBackend(rule, backends);
    });
}

/** Traefik's dashboard and the like, on the entry point that is for nothing else and that no Service leads to. */
function isGatewaysOwn({ manifest, entryPoints, backends }: RoutingRule): boolean {
  if (manifest.kind !== "IngressRoute" || entryPoints.length !== 1 || entryPoints[0] !== "traefik") return false;
  return backends.every(({ kind, name }) => kind === "TraefikService" && name.endsWith("@internal"));
}

/**
 * A route for TCP takes whole connections, and before any route for HTTP. One for every name, on an entry point of its own, is how databases
 * are reached; it takes nothing from the plan's hosts.
 */
function takesConnections({ manifest, hosts, entryPoints }: RoutingRule, plan: Plan): boolean {
  if (manifest.kind !== "IngressRouteTCP" || hosts !== undefined || entryPoints.length === 0) return true;
  const used = new Set(["web", "websecure", ...plan.routes.map(({ entryPoint }) => entryPoint)]);
  return entryPoints.some((name) => used.has(name));
}

function exposedBackend(rule: RoutingRule, backends: Backends): Finding[] {
  const { manifest, match } = rule;
  const opened = rule.backends.flatMap((ref) => backends.behind(ref) ?? []);
  const [first] = opened;
  if (first === undefined) return [];
  const { kind, namespace, objectName = "" } = manifest;
  return [
    {
      rule: "backends-behind-the-plan",
      object: manifest.label,
      problem: `${match}: routes to ${first.namespace}/${first.name} without the planned protection`,
      hint: `remove it (kubectl delete ${kind.toLowerCase()} ${objectName} --namespace ${namespace}), or state the service in gatehouse:protected_services`,
    },
  ];
}

/** Routes of the plan that are missing, or are no longer what the plan says. */
export function changedRoutes(manifests: readonly Manifest[], plan: Plan): Finding[] {
  return plan.routes.flatMap((route) => {
    const label = `IngressRoute ${route.namespace}/${route.name}`;
    const found = manifests.find((manifest) => manifest.label === label);
    if (found === undefined) {
      const problem = `is missing, so another route may serve ${hostsOf(route)}`;
      return [{ rule: "routes-as-planned", object: label, problem, hint: REDEPLOY }];
    }
    const open = unprotected(found, plan).map((finding) => ({ ...finding, hint: REDEPLOY }));
    if (open.length > 0) return open;
    return differences(routeSpec(route), found.spec).map((difference) => ({
      rule: "routes-as-planned",
      object: label,
      problem: `was changed: ${difference}`,
      hint: REDEPLOY,
    }));
  });
}

function hostsOf({ rules }: Route): string {
  return [...new Set(rules.map(({ host }) => host))].join(", ");
}
