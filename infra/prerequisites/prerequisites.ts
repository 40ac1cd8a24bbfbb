/** Everything that the cluster must have before a deployment, in one list (docs/prerequisites.md). */
import { coerce, lt } from "semver";
import type { Settings } from "../../config/settings.ts";
import { MIN_KUBERNETES } from "../../config/rules/versions.ts";
import type { Plan } from "../plan/types.ts";
import type { ClusterFacts, clusterFacts } from "./cluster.ts";
import { identityProblem } from "./clusterIdentity.ts";
import { identityService } from "./identityService.ts";
import { type CustomKind, customKinds } from "./kinds.ts";
import { type Prerequisite, problemsOf, type PrerequisiteResult } from "./prerequisite.ts";
import { traefikPrerequisites } from "./traefik.ts";

/** Returns every prerequisite of the stack in the cluster. Those of Traefik are missing if its pods cannot be read. */
export function prerequisites(settings: Settings, plan: Plan, facts: ClusterFacts): Prerequisite[] {
  return [
    { subject: "Cluster", name: "version of Kubernetes", result: kubernetesVersion(settings, facts) },
    ...customKinds(settings, plan).map((kind) => ({
      subject: SUBJECTS.get(kind.group) ?? "Operators",
      name: `kind ${kind.kind}`,
      result: servedKind(settings, facts, kind),
    })),
    ...(facts.traefik ? traefikPrerequisites(settings, plan, facts.traefik) : []).map((one) => ({
      subject: "Traefik" as const,
      ...one,
    })),
    ...identityService(settings.identityProvider, facts.identityService).map((one) => ({
      subject: "Identity provider" as const,
      ...one,
    })),
  ];
}

/** Subjects of kinds by their group. */
const SUBJECTS: ReadonlyMap<string, Prerequisite["subject"]> = new Map([
  ["traefik.io", "Traefik"],
  ["externaldns.k8s.io", "DNS"],
]);

function kubernetesVersion({ context = "" }: Settings, facts: ClusterFacts): PrerequisiteResult {
  const version = coerce(facts.version);
  if (version === null || !lt(version, MIN_KUBERNETES)) return { observed: facts.version };
  const problem = `cluster "${context}" runs Kubernetes ${facts.version}`;
  return { entry: "kubernetes:context", problem, hint: `use ${MIN_KUBERNETES} or newer` };
}

function servedKind({ context = "" }: Settings, { kinds }: ClusterFacts, kind: CustomKind): PrerequisiteResult {
  const version = `${kind.group}/${kind.version}`;
  if (kinds.includes(`${version}/${kind.kind}`)) return { observed: version };
  return {
    entry: kind.entry,
    problem: `cluster "${context}" does not serve ${kind.kind} (${version})`,
    hint: kind.hint,
  };
}

/**
 * Refuses another cluster than that of the stack, and one that lacks a prerequisite. A cluster that does not answer is not refused in a preview,
 * and without `cluster.uid`: the first resource reports why.
 * @param isPreview whether the engine changes nothing
 * @param read reads the facts of the cluster
 * @returns UID of the cluster; undefined if the cluster does not answer, or its user may not read the UID
 * @throws Error with every problem, one per line
 */
export async function refuseWithoutPrerequisites(
  settings: Settings,
  plan: Plan,
  isPreview: boolean,
  read: typeof clusterFacts,
): Promise<string | undefined> {
  if (settings.context === undefined) return undefined;
  const facts = await read(settings.context, customKinds(settings, plan), settings);
  if (facts === undefined) {
    if (!isPreview) refuseUnidentified(settings);
    return undefined;
  }
  const other = identityProblem(settings, facts.uid);
  const problems = other === undefined ? problemsOf(prerequisites(settings, plan, facts)) : [other];
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return facts.uid;
}

/** Refuses a cluster that does not answer if its UID is stated: it may be another one later. */
function refuseUnidentified({ cluster, context }: Settings): void {
  if (cluster.uid === undefined) return;
  throw new Error(
    `cluster.uid: the cluster of context "${context}" does not answer, so its UID cannot be compared with ${cluster.uid}. ` +
      "Start it, connect to its network, or correct its address in the kubeconfig.",
  );
}
