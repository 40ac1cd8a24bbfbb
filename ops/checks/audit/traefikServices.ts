import { objectLabel } from "../../../manifests/resource.ts";
import { traefikServiceDifferences } from "../../../policy/rules/middlewareContent.ts";
import { replacedPage } from "../../../policy/replacedServices.ts";
import { type AuditFinding, comparePlanned, type Compared, deletion, finding } from "./finding.ts";
import { hostsOf } from "./middlewares.ts";

/** Returns findings for planned TraefikServices that are missing or have other content, such as no limits. */
export function changedTraefikServices(compared: Compared): AuditFinding[] {
  const { plan } = compared;
  return plan.traefikServices.flatMap((planned) => {
    const { namespace, name } = planned;
    const hosts = hostsOf(namespace, plan, (_, { traefikService }) => traefikService === name);
    const about = { rule: "middlewares-as-planned", subject: objectLabel("TraefikService", planned), hosts };
    return comparePlanned(about, compared, "is missing, so Traefik serves none of its hosts", (found) => ({
      message: "differs from the plan, so that limits of clients and queries may be missing",
      evidence: traefikServiceDifferences(found, planned),
    }));
  });
}

/**
 * Returns findings for unplanned TraefikServices in front of a planned backend. Traefik has one service for each Service and port, and keeps the last
 * definition that it reads, so that such an object can remove the limits of the data API, even if no route uses it (measured with Traefik 3.7.5).
 */
export function unmanagedTraefikServices({ manifests, plan, backends, context }: Compared): AuditFinding[] {
  const planned = new Set(plan.traefikServices.map((one) => objectLabel("TraefikService", one)));
  const others = manifests.filter(({ kind, label }) => kind === "TraefikService" && !planned.has(label));
  return others.flatMap((manifest) => {
    const { label, namespace, objectName = "" } = manifest;
    const page = replacedPage(manifest, plan);
    if (page !== undefined) {
      const message = `replaces the page of ${objectLabel("Middleware", page)}, whose server receives the cookies of the visitor`;
      const hint = `remove it (${deletion(manifest, context)})`;
      return [finding({ rule: "backends-behind-the-plan", subject: label, message, hint })];
    }
    const reached = backends.behind({ kind: "TraefikService", namespace, name: objectName });
    if (reached === undefined) return [];
    const message = `replaces how Traefik connects to ${reached.namespace}/${reached.name}, such as the limits of clients and queries`;
    const hint = `remove it (${deletion(manifest, context)})`;
    return [finding({ rule: "backends-behind-the-plan", subject: label, message, hint })];
  });
}
