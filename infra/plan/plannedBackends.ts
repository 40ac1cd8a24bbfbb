import type { Backend } from "../../config/settings.ts";
import type { Exposure, Plan } from "./types.ts";

/** A Service behind a rule of a planned route. */
export interface PlannedBackend extends Backend {
  readonly role: Exposure["role"] | "outpost" | undefined;
}

/** Returns the Services that only the planned routes may use, one for each rule: without an existing identity provider, which has routes of other stacks. */
export function plannedBackends({ exposures, routes, installsIdentityProvider }: Plan): PlannedBackend[] {
  const own = new Map(exposures.map((exposure) => [exposure.id, exposure]));
  const rules = routes.flatMap((route) => route.rules);
  const all = rules.map(({ backend, exposure }): PlannedBackend => {
    const { backend: application, role } = own.get(exposure) ?? {};
    // On a protected host the outposts and their pages have rules, too.
    const isApplication = application?.namespace === backend.namespace && application.name === backend.name;
    return { ...backend, role: isApplication ? role : "outpost" };
  });
  return all.filter(({ role }) => role !== "identity-provider" || installsIdentityProvider);
}
