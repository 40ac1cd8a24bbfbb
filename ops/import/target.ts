import { parseStack, type RawStack } from "../../config/load.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { StackContext } from "../context/context.ts";

/** The stack that imported entries are for. */
export type TargetStack = Pick<StackContext, "raw" | "environment" | "settings" | "plan">;

/** Returns a stack for a cluster that has none yet: without domains and services, with an existing identity provider. */
export function newStack(context: string, environment: Environment): TargetStack {
  const identityProvider = { install: false, url: "https://authentik.invalid", token: "${AUTHENTIK_TOKEN}" };
  const config = {
    "kubernetes:context": { value: context },
    "gatehouse:domains": { value: {} },
    "gatehouse:protected_services": { value: [] },
    "gatehouse:identity_provider": { value: identityProvider },
  };
  const raw: RawStack = { stack: "imported", config };
  const settings = parseStack(raw, environment, { secretsRequired: false });
  return { raw, environment, settings, plan: computePlan(settings) };
}
