/** Why the plan does not have a host: which list does not contain it, and which host was probably meant. */
import { suggestion } from "../../../../config/errors/problems.ts";
import type { Domain } from "../../../../config/settings.ts";
import { withoutValues } from "../../../../manifests/matcher.ts";
import type { RoutingRule } from "../../../../manifests/routing.ts";
import { deletion } from "../../audit/finding.ts";
import { unmanagedRulesFor } from "../../audit/routes.ts";
import type { Evidence } from "../evidence.ts";
import { observed } from "../../observation.ts";
import { NOT_ROUTED, providerAt, type SymptomKind } from "../symptom.ts";
import { type CauseFinding, causeOf } from "./cause.ts";
import { argument } from "../../../text.ts";

/** Returns the causes in the order of the symptom: for an unprotected service the list comes first, for a domain that does not work the domains. */
export function whyNotPlanned(host: string, symptom: SymptomKind, evidence: Evidence): CauseFinding[] {
  const provider = providerAt(host, evidence.plan);
  if (provider !== undefined) return symptom === "none" ? [] : [existingProvider(host, provider, evidence)];
  const domain = domainOf(host, evidence.settings.domains);
  if (domain === undefined) return [unknownDomain(host, evidence)].filter((finding) => finding !== undefined);
  const listed = absent(host, domain, evidence);
  const enabled = disabled(host, domain, evidence);
  const found = symptom === "unprotected" ? [listed, enabled] : [enabled, listed];
  return found.filter((finding) => finding !== undefined);
}

/** Returns the domain kind whose base domain a host is below. */
export function domainOf(host: string, domains: readonly Domain[]): Domain | undefined {
  const under = domains.filter(({ baseDomain }) => host.endsWith(`.${baseDomain}`));
  return under.sort((a, b) => b.baseDomain.length - a.baseDomain.length)[0];
}

/** Returns the cause for an existing identity provider whose login page is not reached: its route is not one to add to the stack, or to delete. */
function existingProvider(host: string, url: string, evidence: Evidence): CauseFinding {
  return {
    severity: "error",
    subject: "route configuration",
    message: NOT_ROUTED,
    evidence: [`gatehouse:identity_provider, url: ${url}`, ...routed(host, evidence)],
    hint: "check authentik, its route and its DNS record; if browsers use another address, correct identity_provider.url",
  };
}

function unknownDomain(host: string, evidence: Evidence): CauseFinding | undefined {
  const known = evidence.settings.domains.map(
    ({ kind, baseDomain, enabled }) => `${kind}: ${baseDomain}${enabled ? "" : " (not enabled)"}`,
  );
  const hint = `add a kind with that base domain under gatehouse:domains, and run npx gatehouse deploy ${argument(evidence.given)}`;
  return causeOf("domain not enabled", {
    message: `${host} is not below a base domain`,
    evidence: [`gatehouse:domains has ${known.join(", ")}`],
    hint: meant(host, evidence) ?? hint,
  });
}

function disabled(host: string, { kind, enabled }: Domain, evidence: Evidence): CauseFinding | undefined {
  if (enabled) return undefined;
  return causeOf("domain not enabled", {
    message: `domain "${kind}" is not enabled, so nothing is exposed on ${host}`,
    evidence: [`gatehouse:domains, ${kind}: enabled is false`, ...routed(host, evidence)],
    hint: `set enabled: true for ${kind} under gatehouse:domains, and run npx gatehouse deploy ${argument(evidence.given)}${orDelete(host, evidence)}`,
  });
}

function absent(host: string, { kind, baseDomain, enabled }: Domain, evidence: Evidence): CauseFinding | undefined {
  const label = host.slice(0, -baseDomain.length - 1);
  const { services } = evidence.settings;
  const entry = services.find(({ name }) => name === label || `whoami-${name}` === label);
  if (entry && !enabled) return undefined;
  if (entry) {
    const on = entry.domains.join(", ") || "none that is enabled";
    return causeOf("absent from protected_services", {
      message: `the entry "${entry.name}" does not name domain "${kind}"`,
      evidence: [`its domains are: ${on}`, ...routed(host, evidence)],
      hint: `add ${kind} to its domains, and run npx gatehouse deploy ${argument(evidence.given)}`,
    });
  }
  const names = services.map(({ name }) => name).join(", ") || "no entries";
  const hint = `add an entry "${label}" to gatehouse:protected_services, and run npx gatehouse deploy ${argument(evidence.given)}${orDelete(host, evidence)}`;
  return causeOf("absent from protected_services", {
    message: `no entry of protected_services is named "${label}"`,
    evidence: [`it has ${names}`, ...routed(host, evidence)],
    hint: meant(host, evidence) ?? hint,
  });
}

function unmanagedRule(host: string, { cluster, plan, settings }: Evidence): RoutingRule | undefined {
  const objects = observed(cluster.objects);
  return objects && unmanagedRulesFor(host, { ...objects, plan, gateway: settings.gateway })[0];
}

/** Returns the command that deletes an unmanaged route, as an alternative. */
function orDelete(host: string, evidence: Evidence): string {
  const found = unmanagedRule(host, evidence);
  return found === undefined ? "" : `; or delete the route: ${deletion(found.manifest, evidence.context)}`;
}

function meant(host: string, { plan }: Evidence): string | undefined {
  const near = suggestion(
    host,
    plan.exposures.map((exposure) => exposure.host),
  );
  return near === undefined ? undefined : `did you mean ${near}?`;
}

/** Returns what serves the host nevertheless. */
function routed(host: string, evidence: Evidence): string[] {
  const found = unmanagedRule(host, evidence);
  const urls = observed(evidence.engine)?.urls?.filter((url) => URL.parse(url)?.hostname === host) ?? [];
  return [
    ...(found
      ? [
          `${found.manifest.label} serves it: ${withoutValues(found.match)}, middlewares: ${found.middlewares?.join(", ") || "none"}`,
        ]
      : []),
    ...(urls.length > 0 ? ["it is in the last deployment, but no longer in the configuration"] : []),
  ];
}
