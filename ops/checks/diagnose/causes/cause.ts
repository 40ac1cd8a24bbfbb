import type { Exposure } from "../../../../infra/plan/types.ts";
import type { Manifest } from "../../../../manifests/resource.ts";
import { audit } from "../../audit/audit.ts";
import { installedPostgres } from "../../audit/installedPostgres.ts";
import type { AuditFinding } from "../../audit/finding.ts";
import type { Finding } from "../../finding.ts";
import type { Evidence } from "../evidence.ts";
import { observed } from "../../observation.ts";
import { argument } from "../../../text.ts";

type CauseName =
  | "trusted origins"
  | "provider configuration"
  | "route configuration"
  | "absent from protected_services"
  | "domain not enabled"
  | "deployment"
  | "DNS resolution"
  | "names inside the cluster"
  | "identity provider not running"
  | "application not running"
  | "application requires no login"
  | "groups";

export interface CauseFinding extends Finding {
  readonly subject: CauseName;
}

/** Evidence, and the result of the comparison of the cluster's objects with the plan. */
export interface ComparedEvidence extends Evidence {
  /** Errors only: a warning has no effect yet. */
  readonly differences: readonly AuditFinding[];
  /** Undefined if Services or pods could not be read. */
  readonly manifests: readonly Manifest[] | undefined;
}

/** Adds the findings of the audit to the evidence. Without objects of the cluster there are none. */
export function compareObjects(evidence: Evidence): ComparedEvidence {
  const { context, given, plan, cluster } = evidence;
  const { gateway, observability } = evidence.settings;
  const objects = observed(cluster.objects);
  const findings = objects
    ? audit(objects, plan, { context, given, gateway, observability, postgres: installedPostgres(evidence.settings) })
    : [];
  const isReadable = objects && !objects.unread.has("Service") && !objects.unread.has("Pod");
  return {
    ...evidence,
    differences: findings.filter(({ severity }) => severity === "error"),
    manifests: isReadable ? objects.manifests : undefined,
  };
}

/** Decides from evidence alone whether a cause applies to an exposure. Undefined: it does not, or its evidence is missing. */
export type Cause = (exposure: Exposure, evidence: ComparedEvidence) => CauseFinding | undefined;

export type Problem = Pick<Finding, "message" | "evidence" | "hint">;

/** Returns the finding of a cause, if there is a problem. */
export function causeOf(subject: CauseName, problem: Problem | undefined): CauseFinding | undefined {
  return problem && { severity: "error", subject, ...problem };
}

/** Message and evidence of a problem. */
export type Statement = readonly [message: string, ...evidence: string[]];

/** Returns the same for a statement. */
export function causeFrom(
  subject: CauseName,
  statement: Statement | undefined,
  hint: string,
): CauseFinding | undefined {
  if (statement === undefined) return undefined;
  const [message, ...evidence] = statement;
  return causeOf(subject, { message, evidence, hint });
}

/** Returns the hint for an object that was changed or deleted outside of the stack. */
export function redeploy({ given }: Evidence): string {
  return `npx gatehouse deploy ${argument(given)} --refresh restores the planned state`;
}
