import type { KubeConfig } from "@kubernetes/client-node";
import pTimeout from "p-timeout";
import { identityProblem, readUid } from "../../infra/prerequisites/identity.ts";
import type { StackContext } from "./context.ts";
import { UserError } from "../../config/userError.ts";
import { kubeConfigOf } from "./kubeconfig.ts";

const TIMEOUT_MS = 10_000;

/**
 * Refuses a cluster whose UID is not that of `gatehouse:cluster.uid`, before a command reads or changes it. A cluster that does not answer is not
 * refused here: each command reports that itself.
 * @throws UserError with both UIDs
 */
export async function refuseOtherCluster({ context, environment, settings }: StackContext): Promise<void> {
  if (settings.cluster.uid === undefined) return;
  const reading = readUidOf(() => kubeConfigOf(context, environment));
  const found = await pTimeout(reading, { milliseconds: TIMEOUT_MS }).catch(() => undefined);
  const problem = found && identityProblem(settings, found.uid);
  if (problem !== undefined) throw new UserError(problem);
}

async function readUidOf(open: () => KubeConfig): Promise<{ readonly uid: string | undefined }> {
  return { uid: await readUid(open()) };
}
