import type { Observability } from "../../config/settings.ts";
import { apiGroups } from "../apiGroups.ts";

/** The group of PodMonitor and PrometheusRule. */
const GROUP = "monitoring.coreos.com";

/**
 * Refuses a cluster that has no Prometheus operator although the stack counts on its alerts: to leave them out would be a silent lie.
 * @param context of the kubeconfig, which is found as kubectl finds it
 * @throws when the cluster answers, and has no such kinds
 */
export async function refuseWithoutPrometheus(
  observability: Observability | undefined,
  context: string | undefined,
): Promise<void> {
  if (observability === undefined || context === undefined) return;
  const groups = await apiGroups(context);
  if (groups === undefined || groups.includes(GROUP)) return;
  throw new Error(
    `observability: cluster "${context}" has no Prometheus operator (${GROUP}), so nobody would read metrics or send alerts; ` +
      "install it first (https://prometheus-operator.dev, Installation), or remove gatehouse:observability",
  );
}
