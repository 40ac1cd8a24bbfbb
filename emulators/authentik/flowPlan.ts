import type { Flow, FlowPlan, StageName } from "./objects.ts";

/** The stages of authentik's default flows, in order; every other flow has none. */
const STAGES: Record<string, StageName[]> = {
  "default-authentication-flow": ["identification", "password", "mfa-validation", "user-login"],
  "default-source-authentication": ["identification", "password", "mfa-validation", "user-login"],
  "default-invalidation-flow": ["user-logout"],
};

/** What a browser has to go through in a flow. */
export function planOf({ slug }: Flow): FlowPlan {
  return { slug, stages: [...(STAGES[slug] ?? [])], failures: 0 };
}
