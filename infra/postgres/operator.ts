import { setTimeout as wait } from "node:timers/promises";
import type { PostgresServer } from "../../config/settings.ts";

/** The group of the operator's custom resources. */
const GROUP = "postgresql.cnpg.io";
const TIMEOUT_MS = 5_000;

/**
 * Refuses a cluster without the operator that an installation needs: the engine itself would try for a minute, and tell of a kind.
 * What else is wrong with a cluster, or with the way to it, the first resource tells.
 * @param context of the kubeconfig, which is found as kubectl finds it
 * @throws when the cluster answers, and has no such kind
 */
export async function refuseWithoutOperator(
  server: PostgresServer | undefined,
  context: string | undefined,
): Promise<void> {
  if (server?.install?.kind !== "cloudnativepg" || context === undefined) return;
  const groups = await groupsOf(context).catch(() => undefined);
  if (groups === undefined || groups.includes(GROUP)) return;
  throw new Error(
    `postgres.install.kind: cluster "${context}" has no operator CloudNativePG (${GROUP}); install it first ` +
      "(https://cloudnative-pg.io, Installation), or write kind: statefulset",
  );
}

/** The groups that a cluster serves; undefined when it does not answer in time. */
async function groupsOf(context: string): Promise<string[] | undefined> {
  // Heavy, and needed by this kind of installation alone.
  const { ApisApi, KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromDefault();
  config.setCurrentContext(context);
  const answer = config.makeApiClient(ApisApi).getAPIVersions();
  const list = await Promise.race([answer, wait(TIMEOUT_MS, undefined, { ref: false })]);
  return list?.groups.map(({ name }) => name);
}
