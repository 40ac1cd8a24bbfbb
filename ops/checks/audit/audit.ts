/** Compares the objects of a cluster with the plan. Pure. */
import type { Plan } from "../../../infra/plan/types.ts";
import { type ClusterObjects, RIGHTS_HINT } from "../../clients/clusterObjects.ts";
import { Backends } from "./backends.ts";
import { defaultTls } from "./defaultTls.ts";
import { type AuditFinding, type Compared, finding } from "./finding.ts";
import { changedMiddlewares, exposingMiddlewares, sameNamedMiddlewares } from "./middlewares.ts";
import { type Clients, widenedPolicies } from "./networkPolicies.ts";
import type { InstalledPostgres } from "./installedPostgres.ts";
import { databaseServices, widenedDatabasePolicies } from "./postgres.ts";
import { changedRecords } from "./records.ts";
import { changedRoutes, unmanagedRoutes } from "./routes.ts";
import { addedEndpoints, exposedServices } from "./services.ts";
import { exposedApi } from "./traefikApi.ts";
import { changedTraefikServices, unmanagedTraefikServices } from "./traefikServices.ts";

interface AuditOptions extends Clients {
  /** Context of the cluster, for kubectl in hints. */
  readonly context: string;
  /** Its name on the command line, for commands of Gatehouse in hints. */
  readonly given: string;
  /** The server that the stack installs. */
  readonly postgres?: InstalledPostgres | undefined;
  /** Objects to ignore, as findings name them: `IngressRoute default/legacy`. */
  readonly accepted?: readonly string[];
}

/** Returns what opens a host or a backend of the plan, or changes how one is protected; none when all is as planned. */
export function audit({ manifests, unread }: ClusterObjects, plan: Plan, options: AuditOptions): AuditFinding[] {
  const { context, given, gateway, postgres } = options;
  const compared: Compared = {
    manifests,
    plan,
    context,
    given,
    backends: new Backends(manifests, plan, gateway?.namespace, postgres && databaseServices(postgres)),
    postgres,
    gateway,
  };
  const ofReadable = (kind: string, findings: () => AuditFinding[]): AuditFinding[] =>
    unread.has(kind) ? [] : findings();
  const findings = [
    ...unreadable(unread),
    ...ofReadable("IngressRoute", () => changedRoutes(compared)),
    ...ofReadable("Middleware", () => changedMiddlewares(compared)),
    ...ofReadable("TraefikService", () => changedTraefikServices(compared)),
    ...unmanagedRoutes(compared),
    ...exposedServices(compared),
    ...addedEndpoints(compared),
    ...exposedApi(compared),
    ...unmanagedTraefikServices(compared),
    ...exposingMiddlewares(compared),
    ...sameNamedMiddlewares(compared),
    ...defaultTls(compared, gateway),
    ...ofReadable("NetworkPolicy", () => [
      ...widenedPolicies(compared, options),
      ...widenedDatabasePolicies(compared, options),
    ]),
    ...ofReadable("DNSEndpoint", () => changedRecords(compared)),
  ];
  const accepted = new Set(options.accepted);
  return unique(findings.filter(({ subject }) => !accepted.has(subject)));
}

/** Returns a finding for each kind that could not be read. */
function unreadable(unread: ClusterObjects["unread"]): AuditFinding[] {
  return [...unread].map(([kind, reason]) =>
    finding({
      severity: "warning",
      rule: "everything-is-read",
      subject: `every ${kind}`,
      message: `could not be read: ${reason}`,
      hint: RIGHTS_HINT,
    }),
  );
}

/** Returns each finding once: an object may violate a rule in many places. */
function unique(findings: readonly AuditFinding[]): AuditFinding[] {
  return [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
}

/** Returns the number of planned objects that the audit compares. */
export function auditedObjects(plan: Plan): Readonly<Record<string, number>> {
  const { exposures, routes, middlewares } = plan;
  return {
    hosts: new Set(exposures.map(({ host }) => host)).size,
    routes: routes.length,
    middlewares: middlewares.length,
  };
}
