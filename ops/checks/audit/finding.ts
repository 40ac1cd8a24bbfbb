import type { GatewayPods } from "../../../infra/network.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import type { Manifest } from "../../../manifests/resource.ts";
import type { Finding } from "../finding.ts";
import type { Backends } from "./backends.ts";
import type { InstalledPostgres } from "./installedPostgres.ts";
import { signInExposure } from "../../../infra/plan/exposure.ts";
import { argument } from "../../text.ts";

/** An object that is not as the plan describes it, or that the plan does not have. */
export interface AuditFinding extends Finding {
  readonly rule: string;
  /** Planned hosts that are served in another way because of it. */
  readonly hosts: readonly string[];
}

export interface Compared {
  readonly manifests: readonly Manifest[];
  readonly plan: Plan;
  readonly backends: Backends;
  /** Undefined if its labels are not known. */
  readonly gateway: GatewayPods | undefined;
  /** Undefined for an existing server. */
  readonly postgres: InstalledPostgres | undefined;
  /** Context of the cluster, for kubectl in hints. */
  readonly context: string;
  /** Its name on the command line, for commands of Gatehouse in hints. */
  readonly given: string;
}

type Given = Pick<AuditFinding, "rule" | "subject" | "message" | "hint"> & Partial<AuditFinding>;

/** Returns a finding: an error, without evidence and hosts, unless they are given. */
export function finding(given: Given): AuditFinding {
  const { hosts = [], ...rest } = given;
  return { severity: "error", evidence: [], ...rest, hosts: [...new Set(hosts)] };
}

/**
 * Returns how a planned object differs from that of the cluster.
 * @param about its label as subject, and the hosts that need it
 * @param missing what is wrong if the cluster does not have it
 * @param compare without evidence, it is as planned
 */
export function comparePlanned(
  about: Pick<AuditFinding, "rule" | "subject" | "hosts">,
  compared: Compared,
  missing: string,
  compare: (found: Manifest) => Pick<AuditFinding, "message" | "evidence">,
): AuditFinding[] {
  const found = compared.manifests.find(({ label }) => label === about.subject);
  const hint = restore(about.hosts, compared, found);
  if (found === undefined) return [finding({ ...about, message: missing, hint })];
  const { message, evidence } = compare(found);
  return evidence.length === 0 ? [] : [finding({ ...about, message, evidence, hint })];
}

/** Returns the hint for a planned object that is missing, or, with `changed`, differs from the plan. */
export function restore(hosts: readonly string[], { plan, context, given }: Compared, changed?: Manifest): string {
  const { exposures, identityProviderUrl, routes, stack } = plan;
  const own = signInExposure(exposures, identityProviderUrl);
  if (own && hosts.includes(own.host)) {
    // The Terraform provider reads the identity provider's records through this route, and counts a record that answers 404 as deleted:
    // a refresh of the whole stack would remove them all from the state.
    const route = routes.find(({ rules }) => rules.some(({ exposure }) => exposure === own.id));
    const targets = `--target '**::${route?.name}-route' --target '**::${route?.namespace}/*-middleware'`;
    return `refresh only these, pulumi refresh --stack ${stack} ${targets}, then run npx gatehouse deploy ${argument(given)}; do not refresh the stack before`;
  }
  if (changed === undefined) return `run npx gatehouse deploy ${argument(given)} --refresh`;
  // The field manager that changed an object owns the changed fields, and the engine does not take them over (server-side apply).
  return `delete the changed object, ${deletion(changed, context)}, and run npx gatehouse deploy ${argument(given)} --refresh`;
}

/** Returns the `kubectl` command that deletes an object. @param context that of the cluster */
export function deletion({ type, kind, namespace, objectName = "" }: Manifest, context: string): string {
  const group = /^kubernetes:([^/]+\.[^/]+)\//.exec(type)?.[1];
  const resource = [kind.toLowerCase(), group].filter((part) => part !== undefined).join(".");
  return `kubectl --context ${argument(context)} delete ${resource} ${objectName} --namespace ${namespace}`;
}
