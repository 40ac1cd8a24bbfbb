import { routeSpec } from "../../../infra/gateway/specs.ts";
import type { Plan, Route } from "../../../infra/plan/types.ts";
import { differences } from "../../../manifests/differences.ts";
import { CLASS, isOtherClass } from "../../../manifests/ingressClass.ts";
import { withoutValues } from "../../../manifests/matcher.ts";
import { listOf, type Manifest, objectLabel, textAt, type Value } from "../../../manifests/resource.ts";
import { type RoutingRule, rulesOf } from "../../../manifests/routing.ts";
import { unprotected } from "../../../policy/rules/protectedRoutes.ts";
import { childRoutes, duplicateRoutes } from "../../../policy/rules/singleRoutes.ts";
import { objectLabels } from "../../clients/services.ts";
import { type AuditFinding, type Compared, deletion, finding, restore } from "./finding.ts";
import { podsOfGateway } from "./gatewayPods.ts";
import { admitted } from "./listeners.ts";
import { isGatewaysOwn, openApi } from "./traefikApi.ts";

const RULE = "routes-as-planned";

type RoutingObjects = Pick<Compared, "manifests" | "plan" | "gateway">;

/** Returns findings for unmanaged routes for a planned host or a planned backend. */
export function unmanagedRoutes(compared: Compared): AuditFinding[] {
  const children = compared.manifests.flatMap((manifest) => childrenOf(manifest, compared));
  const isChild = new Set(children.map(({ subject }) => subject));
  const rules = unmanagedRules(compared).filter(({ manifest }) => !isChild.has(manifest.label));
  return [
    ...children,
    ...rules.flatMap((rule) => {
      const hosts = duplicates(rule, compared);
      return hosts.length > 0 ? hosts : [...exposedBackend(rule, compared), ...openApi(rule, compared)];
    }),
  ];
}

/** Returns findings for a route whose parent is a planned one. */
function childrenOf(manifest: Manifest, { plan, context }: Compared): AuditFinding[] {
  return childRoutes(manifest, plan).map(({ rule, subject, message, parent }) =>
    finding({
      rule,
      subject,
      message,
      hosts: [...new Set(parent.rules.map(({ host }) => host))],
      hint: `remove it (${deletion(manifest, context)}), or its parentRefs`,
    }),
  );
}

/** Returns the rules of unmanaged routes that match a host, the one with the highest priority first. */
export function unmanagedRulesFor(host: string, compared: RoutingObjects): RoutingRule[] {
  const rules = unmanagedRules(compared).filter((rule) => takesConnections(rule, compared.plan) && rule.serves(host));
  return rules.sort((a, b) => priorityOf(b) - priorityOf(a));
}

function unmanagedRules({ manifests, plan, gateway }: RoutingObjects): RoutingRule[] {
  const own = new Set(plan.routes.map((route) => objectLabel("IngressRoute", route)));
  const others = manifests.filter(({ label }) => !own.has(label));
  const [used, pods] = [usedEntryPoints(plan), podsOfGateway(manifests, gateway)];
  const rules = others.flatMap(rulesOf).map((rule) => admitted(rule, manifests, used, pods));
  return rules.filter((rule) => !isGatewaysOwn(rule));
}

/**
 * Returns whether a TCP route receives connections to planned hosts: Traefik evaluates TCP routes before HTTP routes. A TCP route for every
 * name on another entry point, e.g. of a database, does not.
 */
function takesConnections({ manifest, hosts, entryPoints }: RoutingRule, plan: Plan): boolean {
  // Without entry points, its listener is not known; most are of databases.
  if (manifest.kind === "TCPRoute") return entryPoints.length > 0;
  if (manifest.kind !== "IngressRouteTCP" || hosts !== undefined || entryPoints.length === 0) return true;
  const used = usedEntryPoints(plan);
  return entryPoints.some((name) => used.includes(name));
}

/** Returns the entry points that can have connections to planned hosts. */
function usedEntryPoints({ routes }: Plan): string[] {
  return [...new Set(["web", "websecure", ...routes.map(({ entryPoint }) => entryPoint)])];
}

/** Returns Traefik's priority of a rule; the highest for routes of TCP, and if it is unknown. */
function priorityOf({ manifest, priority }: RoutingRule): number {
  return manifest.kind === "IngressRouteTCP" || priority === undefined ? Infinity : priority;
}

/** Returns findings for a rule of planned hosts: a warning if each planned rule has a higher priority, else an error. */
function duplicates(rule: RoutingRule, { plan, context }: Compared): AuditFinding[] {
  if (!takesConnections(rule, plan)) return [];
  const planned = plan.routes.flatMap(({ rules }) => rules).filter(({ host }) => rule.serves(host));
  const hosts = planned.filter(({ priority }) => priority <= priorityOf(rule)).map(({ host }) => host);
  return duplicateRoutes(rule, plan).map(({ rule: name, subject, message }) =>
    finding({
      severity: hosts.length > 0 && !isChallenge(rule) ? "error" : "warning",
      rule: name,
      subject,
      message,
      hosts,
      evidence: [`its middlewares: ${rule.middlewares?.join(", ") || "none"}`],
      hint: `remove it (${deletion(rule.manifest, context)}), or name another host in it`,
    }),
  );
}

/**
 * Returns whether a rule answers a challenge of an ACME server only, like that of cert-manager while it gets a certificate (acme.cert-manager.io, HTTP-01): one
 * path, whose content its owner can choose.
 */
function isChallenge({ manifest, match }: RoutingRule): boolean {
  const isSolver = objectLabels(manifest)["acme.cert-manager.io/http01-solver"] === "true";
  return manifest.kind === "Ingress" && isSolver && /^[^/*]+\/\.well-known\/acme-challenge\/[\w-]+$/.test(match);
}

function exposedBackend({ manifest, match, backends: refs }: RoutingRule, compared: Compared): AuditFinding[] {
  const [first] = refs.flatMap((ref) => compared.backends.behindRule(ref, refs.length) ?? []);
  if (first === undefined) return [];
  const isDatabase = compared.postgres !== undefined && first.namespace === compared.postgres.install.namespace;
  return [
    finding({
      rule: "backends-behind-the-plan",
      subject: manifest.label,
      message: `${withoutValues(match)}: routes to ${first.namespace}/${first.name} without the planned protection`,
      hint: `remove it (${deletion(manifest, compared.context)})${isDatabase ? "" : ", or add the service to gatehouse:protected_services"}`,
    }),
  ];
}

/** Returns findings for each planned route that is missing or has other rules. */
export function changedRoutes(compared: Compared): AuditFinding[] {
  return compared.plan.routes.flatMap((route) => {
    const subject = objectLabel("IngressRoute", route);
    const hosts = route.rules.map(({ host }) => host);
    const found = compared.manifests.find(({ label }) => label === subject);
    if (found !== undefined) return changesOf(route, found, compared);
    const message = `is missing, so another route may serve ${[...new Set(hosts)].join(", ")}`;
    return [finding({ rule: RULE, subject, message, hosts, hint: restore(hosts, compared) })];
  });
}

function changesOf(route: Route, found: Manifest, compared: Compared): AuditFinding[] {
  const { plan } = compared;
  const { routes: expected, ...fields } = routeSpec(route);
  const { routes: actual, ...actualFields } = found.spec;
  const about = (hosts: readonly string[], message: string, evidence: readonly string[] = [], rule = RULE) =>
    finding({ rule, subject: found.label, message, evidence, hosts, hint: restore(hosts, compared, found) });
  const open = (hosts: readonly string[], rule: Value): AuditFinding[] => {
    const only = { ...found, spec: { ...found.spec, routes: [rule] } };
    return unprotected(only, plan).map(({ rule: name, message }) => about(hosts, message, [], name));
  };
  const otherFields = differences(fields, actualFields);
  const changedRules = route.rules.flatMap(({ host, match }, index): AuditFinding[] => {
    const same = listOf(actual).filter((rule) => textAt(rule, "match") === match);
    if (same.length === 0) return [about([host], `has no rule for ${match}`)];
    return same.flatMap((rule) => {
      const findings = open([host], rule);
      if (findings.length > 0) return findings;
      const changes = differences(listOf(expected)[index], rule);
      return changes.length === 0 ? [] : [about([host], `${match}: was changed`, changes)];
    });
  });
  const planned = new Set(route.rules.map(({ match }) => match));
  const unplanned = rulesOf(found).flatMap((rule, index): AuditFinding[] => {
    if (planned.has(rule.match)) return [];
    const hosts = plan.exposures.map(({ host }) => host).filter((host) => rule.serves(host));
    return [
      about(hosts, `has an unplanned rule for ${withoutValues(rule.match)}`),
      ...open(hosts, listOf(actual)[index]),
    ];
  });
  const hosts = route.rules.map(({ host }) => host);
  const classes = otherClass(found);
  return [
    ...(classes.length > 0 ? [about(hosts, "has another class, so Traefik does not read it", classes)] : []),
    ...(otherFields.length > 0 ? [about(hosts, "was changed", otherFields)] : []),
    ...changedRules,
    ...unplanned,
  ];
}

/** Returns how the annotation of a class differs from the plan, which has none. */
function otherClass({ props }: Manifest): string[] {
  const value = textAt(props, "metadata", "annotations", CLASS);
  if (!isOtherClass(value)) return [];
  return differences({}, { [CLASS]: value }).map((difference) => `metadata.annotations.${difference}`);
}
