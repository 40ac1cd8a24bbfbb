/** Whether a cluster holds what the plan says, and nothing that gets around it. */
import type { KubeConfig } from "@kubernetes/client-node";
import type { GatewayPods } from "../../../infra/network.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { type Finding, manifestsOf } from "../../../policy/resource.ts";
import { Backends } from "./backends.ts";
import { changedMiddlewares } from "./middlewares.ts";
import { widenedPolicies } from "./networkPolicies.ts";
import { type ClusterObjects, readObjects } from "./objects.ts";
import { changedRecords } from "./records.ts";
import { changedRoutes, unmanagedRoutes } from "./routes.ts";
import { exposedServices } from "./services.ts";

export type { Finding } from "../../../policy/resource.ts";

export interface AuditOptions {
  /** Where the gateway's pods are; without it, a NetworkPolicy may let in any one namespace by name. */
  readonly gateway?: GatewayPods;
  /** Objects to ignore, as findings name them: `IngressRoute default/legacy`. */
  readonly accepted?: readonly string[];
}

/**
 * Holds what is really in a cluster against the plan.
 * @param kubeConfig turned to the context of the plan's stack; reading is all that it needs to be allowed
 * @returns what opens a host or a backend of the plan, or changes how one is protected; none when all is as planned
 * @throws Error when the cluster cannot be reached
 */
export async function auditCluster(
  kubeConfig: KubeConfig,
  plan: Plan,
  options: AuditOptions = {},
): Promise<readonly Finding[]> {
  return audit(await readObjects(kubeConfig), plan, options);
}

/** The same for objects that were read before. Pure. */
export function audit({ resources, unread }: ClusterObjects, plan: Plan, options: AuditOptions = {}): Finding[] {
  const manifests = manifestsOf(resources);
  const backends = new Backends(manifests, plan);
  const ofReadable = (kind: string, findings: () => Finding[]): Finding[] => (unread.has(kind) ? [] : findings());
  const findings = [
    ...unreadable(unread),
    ...unmanagedRoutes(manifests, plan, backends),
    ...ofReadable("IngressRoute", () => changedRoutes(manifests, plan)),
    ...ofReadable("Middleware", () => changedMiddlewares(manifests, plan, backends)),
    ...exposedServices(manifests, backends),
    ...ofReadable("NetworkPolicy", () => widenedPolicies(manifests, backends, options.gateway)),
    ...ofReadable("DNSEndpoint", () => changedRecords(manifests, plan)),
  ];
  const accepted = new Set(options.accepted);
  return unique(findings.filter(({ object }) => !accepted.has(object)));
}

/** What was not seen cannot be called clean. */
function unreadable(unread: ClusterObjects["unread"]): Finding[] {
  return [...unread].map(([kind, reason]) => ({
    rule: "everything-is-read",
    object: `every ${kind}`,
    problem: `could not be read: ${reason}`,
    hint: "allow the user to list this kind in all namespaces (docs/policy.md, Rights)",
  }));
}

/** One object may break one rule in many places. */
function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
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
