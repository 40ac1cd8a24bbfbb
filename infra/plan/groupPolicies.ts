import type { Settings } from "../../config/settings.ts";
import { applicationsOf } from "./applications.ts";
import { groupPolicyName } from "./objectNames.ts";
import type { Exposure, GroupPolicy, OAuthClient } from "./types.ts";

/** Returns groups in the one form in which combinations are compared: sorted, each once. */
export function combinationOf(groups: readonly string[]): string[] {
  return [...new Set(groups)].sort();
}

/**
 * Returns a policy for each combination of groups that may use an application, which has one binding, to its policy (measured,
 * docs/authentik.md):
 * - A deployment updates the binding in place. Of one binding for each group, Pulumi would delete a removed group's at the end of the
 *   deployment, after the application moved to the outpost of its new groups.
 * - A group that someone deletes takes its bindings along, and an application without a binding admits every user. The policy stays.
 */
export function groupPolicies(
  settings: Settings,
  exposures: readonly Exposure[],
  clients: readonly OAuthClient[],
): GroupPolicy[] {
  const applications = applicationsOf({ exposures, clients });
  const combinations = applications.map(({ groups }) => combinationOf(groups)).filter(({ length }) => length > 0);
  const distinct = new Map(combinations.map((groups) => [JSON.stringify(groups), groups]));
  return [...distinct.values()]
    .map((groups) => ({ name: groupPolicyName(settings, groups), groups }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
