import { type AppsV1Api, PatchStrategy, setHeaderOptions, type V1Deployment } from "@kubernetes/client-node";

/** Restarts the pods of a Deployment, as `kubectl rollout restart` does. */
export async function restartRollout(
  apps: AppsV1Api,
  location: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const annotations = { "kubectl.kubernetes.io/restartedAt": new Date().toISOString() };
  const body = { spec: { template: { metadata: { annotations } } } };
  const options = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch);
  await apps.patchNamespacedDeployment({ ...location, body }, options);
}

/** Returns whether all pods of a Deployment are of its current template and available, and no other is left. */
export function isRolledOut({ metadata, spec, status }: V1Deployment): boolean {
  const replicas = spec?.replicas ?? 1;
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  return status?.observedGeneration === metadata?.generation && counts.every((count) => (count ?? 0) === replicas);
}
