/** The stack that imported entries are for, if the cluster has none yet. */
import { parseStack, type RawStack } from "../../config/load.ts";
import type { Environment } from "../../config/variables.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { TargetStack } from "./import.ts";

/** Returns a stack without domains and services, which uses an existing identity provider. */
export function newStack(context: string, environment: Environment): TargetStack {
  const identityProvider = { install: false, url: "https://authentik.invalid", token: "${AUTHENTIK_TOKEN}" };
  const config = {
    "kubernetes:context": { value: context },
    "gatehouse:domains": { value: {} },
    "gatehouse:identity_provider": { value: identityProvider },
  };
  const raw: RawStack = { stack: "imported", config };
  const settings = parseStack(raw, environment, { secretsRequired: false });
  return { raw, environment, settings, plan: computePlan(settings) };
}
