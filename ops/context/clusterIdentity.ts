import pTimeout from "p-timeout";
import { identityProblem, readUid } from "../../infra/prerequisites/clusterIdentity.ts";
import { openContext, type ShellEnvironment, type StackContext } from "./context.ts";
import { UserError } from "../../config/errors/userError.ts";
import { kubeConfigOf } from "./kubeconfig.ts";

const TIMEOUT_MS = 10_000;

/**
 * Finds the stack of a cluster as {@link openContext} does, and refuses a cluster whose UID is not that of `gatehouse:cluster.uid`, before a
 * command reads or changes it. A cluster that does not answer is not refused here: each command reports that itself.
 * @throws what openContext throws; UserError with both UIDs
 */
export async function openCluster(name: string, shell: ShellEnvironment): Promise<StackContext> {
  const target = openContext(name, shell);
  const { context, environment, settings } = target;
  if (settings.cluster.uid === undefined) return target;
  const read = async () => ({ uid: await readUid(kubeConfigOf(context, environment)) });
  const found = await pTimeout(read(), { milliseconds: TIMEOUT_MS }).catch(() => undefined);
  const problem = found && identityProblem(settings, found.uid);
  if (problem !== undefined) throw new UserError(problem);
  return target;
}
