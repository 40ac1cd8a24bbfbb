/** A host that the plan does not have: which list it is absent from, and what was probably meant. */
import { suggestion } from "../../../../config/problems.ts";
import type { Domain } from "../../../../config/settings.ts";
import type { Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import type { SymptomKind } from "../symptom.ts";
import { type Finding } from "./finding.ts";
import { unmanagedRule } from "./unmanagedRoute.ts";

/**
 * Why a host is not in the plan, in the causal order of its symptom: who finds a service unprotected looks for it in the list first, who
 * finds a domain dead looks at the domains first.
 */
export function whyNotPlanned(host: string, symptom: SymptomKind, evidence: Evidence): Finding[] {
  const domain = domainOf(host, evidence.settings.domains);
  if (domain === undefined) return [unknownDomain(host, evidence)];
  const listed = absent(host, domain, evidence);
  const enabled = disabled(host, domain, evidence);
  const found = symptom === "unprotected" ? [listed, enabled] : [enabled, listed];
  return found.filter((finding) => finding !== undefined);
}

/** The domain kind whose base domain a host is below. */
export function domainOf(host: string, domains: readonly Domain[]): Domain | undefined {
  const under = domains.filter(({ baseDomain }) => host.endsWith(`.${baseDomain}`));
  return under.sort((a, b) => b.baseDomain.length - a.baseDomain.length)[0];
}

function unknownDomain(host: string, evidence: Evidence): Finding {
  const { domains } = evidence.settings;
  const known = domains.map(
    ({ kind, baseDomain, enabled }) => `${kind}: ${baseDomain}${enabled ? "" : " (not enabled)"}`,
  );
  return {
    cause: "domain not enabled",
    problem: `${host} is not below a base domain`,
    evidence: [`gatehouse:domains has ${known.join(", ")}`],
    hint:
      meant(host, evidence) ??
      `add a kind with that base domain under gatehouse:domains, and run ./deploy ${evidence.context}`,
  };
}

function disabled(host: string, { kind, enabled }: Domain, evidence: Evidence): Finding | undefined {
  if (enabled) return undefined;
  return {
    cause: "domain not enabled",
    problem: `domain "${kind}" is not enabled, so nothing is exposed on ${host}`,
    evidence: [`gatehouse:domains, ${kind}: enabled is false`, ...routed(host, evidence)],
    hint: `set enabled: true for ${kind} under gatehouse:domains, and run ./deploy ${evidence.context}${orDelete(host, evidence)}`,
  };
}

function absent(host: string, { kind, baseDomain, enabled }: Domain, evidence: Evidence): Finding | undefined {
  const label = host.slice(0, -baseDomain.length - 1);
  const { services } = evidence.settings;
  const entry = services.find(({ name }) => name === label || `whoami-${name}` === label);
  if (entry && !enabled) return undefined;
  const shared = { cause: "absent from protected_services" as const, evidence: routed(host, evidence) };
  if (entry) {
    const on = entry.domains.join(", ") || "none that is enabled";
    return {
      ...shared,
      problem: `the entry "${entry.name}" does not name domain "${kind}"`,
      evidence: [`its domains are: ${on}`, ...shared.evidence],
      hint: `add ${kind} to its domains, and run ./deploy ${evidence.context}`,
    };
  }
  const names = services.map(({ name }) => name).join(", ") || "no entries";
  const hint = `add an entry "${label}" to gatehouse:protected_services, and run ./deploy ${evidence.context}${orDelete(host, evidence)}`;
  return {
    ...shared,
    problem: `no entry of protected_services is named "${label}"`,
    evidence: [`it has ${names}`, ...shared.evidence],
    hint: meant(host, evidence) ?? hint,
  };
}

/** Returns the command that deletes an unmanaged route, as an alternative. */
function orDelete(host: string, { context, cluster, plan }: Evidence): string {
  const found = unmanagedRule(host, plan, seen(cluster.routes) ?? []);
  if (found === undefined) return "";
  return `; or delete the route: kubectl --context ${context} delete ingressroute ${found.name} --namespace ${found.namespace}`;
}

function meant(host: string, { plan }: Evidence): string | undefined {
  const near = suggestion(
    host,
    plan.exposures.map((exposure) => exposure.host),
  );
  return near === undefined ? undefined : `did you mean ${near}?`;
}

/** What serves the host nevertheless. */
function routed(host: string, { cluster, plan, engine }: Evidence): string[] {
  const routes = seen(cluster.routes);
  const foreign = routes && unmanagedRule(host, plan, routes);
  const urls = seen(engine)?.urls?.filter((url) => URL.parse(url)?.hostname === host) ?? [];
  return [
    ...(foreign
      ? [
          `IngressRoute ${foreign.place} serves it: ${foreign.rule.match}, middlewares: ${foreign.rule.middlewares.join(", ") || "none"}`,
        ]
      : []),
    ...(urls.length > 0 ? ["it is in the last deployment, but no longer in the configuration"] : []),
  ];
}
