/** Everything that the cluster must have before a deployment, in one list (docs/prerequisites.md). */
import { coerce, lt } from "semver";
import type { Settings } from "../../config/settings.ts";
import { MIN_KUBERNETES } from "../../config/versions.ts";
import type { Plan } from "../plan/types.ts";
import { type ClusterFacts, clusterFacts } from "./cluster.ts";
import { identityProblem } from "./identity.ts";
import { customKinds } from "./kinds.ts";
import { traefikProblems } from "./traefik.ts";

/** Returns every prerequisite that the cluster lacks, with its fix. */
export function prerequisiteProblems(settings: Settings, plan: Plan, facts: ClusterFacts): string[] {
  const { context = "" } = settings;
  const version = coerce(facts.version);
  const tooOld = version !== null && lt(version, MIN_KUBERNETES);
  const missing = customKinds(settings, plan).filter(
    ({ group, version: served, kind }) => !facts.kinds.includes(`${group}/${served}/${kind}`),
  );
  return [
    ...(tooOld
      ? [`kubernetes:context: cluster "${context}" runs Kubernetes ${facts.version}. Use ${MIN_KUBERNETES} or newer.`]
      : []),
    ...missing.map(
      ({ group, version: served, kind, entry, fix }) =>
        `${entry}: cluster "${context}" does not serve ${kind} (${group}/${served}). ${fix}.`,
    ),
    ...(facts.traefik ? traefikProblems(settings, plan, facts.traefik) : []),
  ];
}

/**
 * Refuses another cluster than that of the stack, and one that lacks a prerequisite. A cluster that does not answer is not refused in a preview,
 * and without `cluster.uid`: the first resource reports why.
 * @param isPreview whether the engine changes nothing
 * @throws Error with every problem, one per line
 */
export async function refuseWithoutPrerequisites(settings: Settings, plan: Plan, isPreview: boolean): Promise<void> {
  if (settings.context === undefined) return;
  const facts = await clusterFacts(settings.context, customKinds(settings, plan), settings.gateway);
  if (facts === undefined) {
    if (!isPreview) refuseUnidentified(settings);
    return;
  }
  const other = identityProblem(settings, facts.uid);
  const problems = other === undefined ? prerequisiteProblems(settings, plan, facts) : [other];
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/** A cluster that does not answer now may be another one when it does. */
function refuseUnidentified({ cluster, context }: Settings): void {
  if (cluster.uid === undefined) return;
  throw new Error(
    `cluster.uid: the cluster of context "${context}" does not answer, so its UID cannot be compared with ${cluster.uid}. ` +
      "Start it, connect to its network, or correct its address in the kubeconfig.",
  );
}
