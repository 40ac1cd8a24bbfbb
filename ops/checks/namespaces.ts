/** Namespaces that the stack uses and does not create. A preview does not report that one is missing (pulumi-kubernetes, `IsNamespaceNotFoundErr`). */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import type { Settings } from "../../config/settings.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { readable } from "../../infra/prerequisites/readable.ts";

/** Returns the namespaces of services, service accounts, the echo service and Prometheus that must exist before a deployment, in the order of their names. */
export function requiredNamespaces(
  { identityProvider, verification, testEnvironments, observability }: Settings,
  { exposures, outposts }: Pick<Plan, "exposures" | "outposts">,
): string[] {
  // The stack creates these; config/rules/namespaces.ts refuses applications in the others that it creates.
  const created = [verification?.namespace, ...outposts.map(({ namespace }) => namespace)];
  const named = [
    ...exposures.flatMap(({ entry, backend }) => (entry === undefined ? [] : [backend.namespace])),
    ...identityProvider.serviceAccounts.flatMap(({ namespace }) => namespace ?? []),
    ...(testEnvironments.enabled && testEnvironments.install ? [testEnvironments.backend.namespace] : []),
    ...(observability ? [observability.namespace] : []),
  ];
  return [...new Set(named)].filter((name) => !created.includes(name)).sort();
}

/** Returns those that do not exist. One that the user may not read counts as existing. */
export async function missingNamespaces(config: KubeConfig, names: readonly string[]): Promise<string[]> {
  const core = config.makeApiClient(CoreV1Api);
  const isMissing = (name: string): Promise<boolean> =>
    readable(core.readNamespace({ name }), [404]).then((namespace) => namespace === undefined);
  const found = await Promise.all(names.map(async (name) => ((await readable(isMissing(name), [403])) ? [name] : [])));
  return found.flat();
}

/** Returns what is wrong with a missing namespace, and what to do. */
export function missingNamespace(name: string): { readonly problem: string; readonly hint: string } {
  return {
    problem: `namespace "${name}" does not exist, and the stack file names it`,
    hint: `correct the stack file, or run: kubectl create namespace ${name}`,
  };
}
