import type { Settings } from "../../config/settings.ts";
import { groupPolicyName } from "./names.ts";
import type { Exposure, GroupPolicy, OAuthClient } from "./types.ts";

/**
 * Returns a policy for each combination of several groups that may use an application. An application's access then depends on one binding,
 * which a deployment updates in place. Of one binding for each group, Pulumi would delete a removed group's at the end of the deployment,
 * after the application moved to the outpost of its new groups.
 */
export function groupPolicies(
  settings: Settings,
  exposures: readonly Exposure[],
  clients: readonly OAuthClient[],
): GroupPolicy[] {
  const applications = [...exposures.filter(({ application }) => application !== undefined), ...clients];
  const combinations = applications.map(({ groups }) => [...new Set(groups)].sort()).filter(({ length }) => length > 1);
  const distinct = new Map(combinations.map((groups) => [JSON.stringify(groups), groups]));
  return [...distinct.values()]
    .map((groups) => ({ name: groupPolicyName(settings, groups), groups }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
