import { CoreV1Api } from "@kubernetes/client-node";
import { isReadyPod } from "../../../manifests/pod.ts";
import { type Check, failed, passed } from "../check.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";
import { ifAllowed, prerequisiteChecks } from "./prerequisite.ts";

/** Labels of the operator's pods in its release manifest and its Helm chart. */
const CLOUD_NATIVE_PG = "app.kubernetes.io/name=cloudnative-pg";

/** Checks the operators that the stack uses, and their pods. */
export async function operators(inputs: Inputs, reached: ReachedCluster): Promise<Check[]> {
  return [...prerequisiteChecks(inputs, reached, "Operators"), ...(await cloudNativePg(inputs, reached))];
}

/** Checks that the operator has a ready pod, without which its webhook refuses every Cluster, in the namespace that the NetworkPolicy of Postgres admits. */
async function cloudNativePg({ target: { settings } }: Inputs, { config }: ReachedCluster): Promise<Check[]> {
  const install = settings.postgres?.install;
  if (install?.kind !== "cloudnativepg") return [];
  const name = "CloudNativePG";
  const namespace = install.operatorNamespace;
  const reason = `the user may not list pods in namespace ${namespace}`;
  const check = ifAllowed(name, reason, "check that the operator runs there", async () => {
    const list = { namespace, labelSelector: CLOUD_NATIVE_PG };
    const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod(list);
    if (items.some(isReadyPod)) return passed(name, `runs in namespace ${namespace}`);
    const problem = `postgres.install.operator_namespace: no pod of the operator is ready in namespace ${namespace}`;
    const hint =
      "install CloudNativePG (https://cloudnative-pg.io, Installation), or set the namespace of the operator";
    return failed(name, problem, hint);
  });
  return [await check];
}
