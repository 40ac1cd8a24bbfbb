import type { PostgresServer } from "../../config/settings.ts";
import { apiGroups } from "../apiGroups.ts";

/** The group of the operator's custom resources. */
const GROUP = "postgresql.cnpg.io";

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
  const groups = await apiGroups(context);
  if (groups === undefined || groups.includes(GROUP)) return;
  throw new Error(
    `postgres.install.kind: cluster "${context}" has no operator CloudNativePG (${GROUP}); install it first ` +
      "(https://cloudnative-pg.io, Installation), or write kind: statefulset",
  );
}
