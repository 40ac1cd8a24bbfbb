import type { KubeConfig } from "@kubernetes/client-node";
import { identityProblem, readUid } from "../../infra/prerequisites/clusterIdentity.ts";
import { openContext, type ShellEnvironment, type StackContext } from "./context.ts";
import { UserError } from "../../config/errors/userError.ts";
import { answered, kubeConfigOf } from "./kubeconfig.ts";

/**
 * Finds the stack of a cluster as {@link openContext} does, and refuses a cluster whose UID is not that of `gatehouse:cluster.uid`, before a
 * command reads or changes it. A cluster that does not answer is not refused here: {@link clusterConfigOf} does, when the command needs it.
 * @throws what openContext throws; UserError with both UIDs
 */
export async function openCluster(name: string, shell: ShellEnvironment): Promise<StackContext> {
  const target = openContext(name, shell);
  const { context, environment, settings } = target;
  if (settings.cluster.uid === undefined) return target;
  let problem: string | undefined;
  try {
    const config = kubeConfigOf(context, environment);
    problem = identityProblem(settings, await answered(config, readUid(config)));
  } catch (error) {
    if (error instanceof UserError) return { ...target, notCompared: error };
    throw error;
  }
  if (problem !== undefined) throw new UserError(problem);
  return target;
}

/** Returns the kubeconfig of an opened stack. @throws UserError as {@link kubeConfigOf}; for a cluster whose UID could not be compared, the reason */
export function clusterConfigOf({ context, environment, notCompared }: StackContext): KubeConfig {
  if (notCompared) throw notCompared;
  return kubeConfigOf(context, environment);
}
