/** Checks that the reached cluster is the one of the stack (config/sections/cluster.ts). */
import type { KubeConfig } from "@kubernetes/client-node";
import type { Settings } from "../../config/settings.ts";
import { readable } from "./readable.ts";

type Bound = Pick<Settings, "cluster" | "context" | "stack">;

/** The namespace that exists in every cluster and cannot be deleted; its UID identifies the cluster. */
const IDENTITY_NAMESPACE = "kube-system";

/** Variable that names one of the stack's contexts for `pulumi up`; each command sets it. */
export const CONTEXT_VARIABLE = "GATEHOUSE_CONTEXT";

/**
 * Returns the name of the stack's cluster in a kubeconfig: the wanted one if it is in there, else the first of the stack's names that is.
 * @param wanted one of the stack's names; undefined, or another name: its first
 * @param known names of the contexts in the kubeconfig
 */
export function contextName(
  { contexts }: Settings["cluster"],
  wanted: string | undefined,
  known: readonly string[],
): string | undefined {
  const first = contexts.find((name) => name === wanted) ?? contexts[0];
  return [first, ...contexts].find((name) => name !== undefined && known.includes(name)) ?? first;
}

/** Returns the settings with the context that `pulumi up` uses: that of `GATEHOUSE_CONTEXT`, or else the first in the kubeconfig. */
export async function withContext(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  if (settings.cluster.contexts.length < 2) return settings;
  const { contextNames } = await import("../kubeConfig.ts");
  return {
    ...settings,
    context: contextName(settings.cluster, environment[CONTEXT_VARIABLE], contextNames(environment)),
  };
}

/**
 * Returns the UID of a cluster; undefined if its user may not read it.
 * @throws Error of the client when the API server does not answer
 */
export async function readUid(config: KubeConfig): Promise<string | undefined> {
  const { CoreV1Api } = await import("@kubernetes/client-node");
  const core = config.makeApiClient(CoreV1Api);
  const namespace = await readable(core.readNamespace({ name: IDENTITY_NAMESPACE }));
  return namespace?.metadata?.uid;
}

/** Returns why a cluster is not that of the stack, with a hint; undefined if it is, or if the stack states no UID. */
export function identityProblem({ cluster, context = "", stack }: Bound, uid: string | undefined): string | undefined {
  if (cluster.uid === undefined || cluster.uid === uid) return undefined;
  if (uid === undefined) {
    return (
      `cluster.uid: the user of context "${context}" may not read namespace ${IDENTITY_NAMESPACE}, so its cluster cannot be compared with ` +
      `${cluster.uid}. Allow the user to get this namespace.`
    );
  }
  return (
    `cluster.uid: context "${context}" is another cluster: its UID is ${uid}, and that of stack "${stack}" is ${cluster.uid}. ` +
    `Set KUBECONFIG to the kubeconfig of the stack's cluster, or correct cluster.uid.`
  );
}
