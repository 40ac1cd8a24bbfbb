import type { Exposure } from "../../../../infra/plan/types.ts";
import type { Evidence } from "../evidence.ts";

export type CauseName =
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
  | "application asks for no login"
  | "groups"
  | "version of Traefik";

/** A cause that holds. */
export interface Finding {
  readonly cause: CauseName;
  /** What is wrong, in one sentence. */
  readonly problem: string;
  /** What was seen that says so. */
  readonly evidence: readonly string[];
  /** What to do, with what to type. */
  readonly hint: string;
}

/** Whether a cause holds for an exposure, decided from evidence alone. Undefined: it does not, or what it needs was not seen. */
export type Cause = (exposure: Exposure, evidence: Evidence) => Finding | undefined;

/** Returns the hint for an object that was changed or deleted outside of the stack. */
export function redeploy({ context }: Evidence): string {
  return `./deploy ${context} --refresh restores the planned state`;
}
