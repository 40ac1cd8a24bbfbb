import { setTimeout as wait } from "node:timers/promises";
import { MAX_API_RETRY_MS } from "./apiRetry.ts";

const TIMEOUT_MS = MAX_API_RETRY_MS;

/**
 * The API groups that a cluster serves.
 * @param context of the kubeconfig, which is found as kubectl finds it
 * @returns undefined when the cluster does not answer in time; what is wrong with the way to it, the first resource tells
 */
export async function apiGroups(context: string): Promise<readonly string[] | undefined> {
  return groupsOf(context).catch(() => undefined);
}

async function groupsOf(context: string): Promise<string[] | undefined> {
  // Heavy, and needed by few stacks.
  const [{ ApisApi }, { RetryingKubeConfig }] = await Promise.all([
    import("@kubernetes/client-node"),
    import("./kubeConfig.ts"),
  ]);
  const config = new RetryingKubeConfig();
  config.loadFromDefault();
  config.setCurrentContext(context);
  const answer = config.makeApiClient(ApisApi).getAPIVersions();
  const list = await Promise.race([answer, wait(TIMEOUT_MS, undefined, { ref: false })]);
  return list?.groups.map(({ name }) => name);
}
