import { traefikServiceDifferences } from "../../../policy/rules/middlewareContent.ts";
import { type AuditFinding, type Compared, deletion, finding, restore } from "./finding.ts";
import { hostsOf } from "./middlewares.ts";

/** Planned TraefikServices that are missing or have other content, such as no limits. */
export function changedTraefikServices(compared: Compared): AuditFinding[] {
  const { manifests, plan } = compared;
  return plan.traefikServices.flatMap((planned) => {
    const { namespace, name } = planned;
    const subject = `TraefikService ${namespace}/${name}`;
    const hosts = hostsOf(namespace, plan, (_, { traefikService }) => traefikService === name);
    const found = manifests.find(({ label }) => label === subject);
    const hint = restore(hosts, compared, found);
    if (found === undefined) {
      return [
        finding({
          rule: "middlewares-as-planned",
          subject,
          message: "is missing, so Traefik serves none of its hosts",
          hint,
          hosts,
        }),
      ];
    }
    const evidence = traefikServiceDifferences(found, planned);
    const message = "differs from the plan, so that limits of clients may be missing";
    return evidence.length > 0
      ? [finding({ rule: "middlewares-as-planned", subject, message, evidence, hint, hosts })]
      : [];
  });
}

/**
 * Unplanned TraefikServices in front of a planned backend. Traefik has one service for each Service and port, and keeps the last definition that it reads,
 * so that such an object can remove the limits of the data API, even if no route uses it (measured with Traefik 3.7.5).
 */
export function unmanagedTraefikServices({ manifests, plan, backends, context }: Compared): AuditFinding[] {
  const planned = new Set(plan.traefikServices.map(({ namespace, name }) => `TraefikService ${namespace}/${name}`));
  const others = manifests.filter(({ kind, label }) => kind === "TraefikService" && !planned.has(label));
  return others.flatMap((manifest) => {
    const { label, namespace, objectName = "" } = manifest;
    const reached = backends.behind({ kind: "TraefikService", namespace, name: objectName });
    if (reached === undefined) return [];
    const message = `replaces how Traefik connects to ${reached.namespace}/${reached.name}, such as the limits of clients`;
    const hint = `remove it (${deletion(manifest, context)})`;
    return [finding({ rule: "backends-behind-the-plan", subject: label, message, hint })];
  });
}
