/** Namespaces of applications, which the stack does not create. A preview does not miss them: Kubernetes' plugin accepts an object in a namespace that is not there yet. */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import type { Settings } from "../../config/settings.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { readable } from "../../infra/prerequisites/readable.ts";

/** Returns the namespaces of services and service accounts that must exist before a deployment, in the order of their names. */
export function requiredNamespaces(
  { identityProvider, dataApi, postgres, verification }: Settings,
  { exposures, outposts }: Pick<Plan, "exposures" | "outposts">,
): string[] {
  const created = [
    dataApi?.namespace,
    identityProvider.install ? identityProvider.namespace : undefined,
    postgres?.install?.namespace,
    verification?.namespace,
    ...outposts.map(({ namespace }) => namespace),
  ];
  const named = [
    ...exposures.flatMap(({ entry, backend }) => (entry === undefined ? [] : [backend.namespace])),
    ...identityProvider.serviceAccounts.flatMap(({ namespace }) => namespace ?? []),
  ];
  return [...new Set(named)].filter((name) => !created.includes(name)).sort();
}

/** Returns those that do not exist. One that the user may not read counts as existing. */
export async function missingNamespaces(config: KubeConfig, names: readonly string[]): Promise<string[]> {
  const core = config.makeApiClient(CoreV1Api);
  const found = await Promise.all(
    names.map(async (name) => {
      const namespace = await readable(
        readable(core.readNamespace({ name }), [403]).then((one) => one ?? name),
        [404],
      );
      return namespace === undefined ? [name] : [];
    }),
  );
  return found.flat();
}

/** Returns what is wrong with a missing namespace, and what to do. */
export function missingNamespace(name: string): { readonly problem: string; readonly hint: string } {
  return {
    problem: `namespace "${name}" does not exist, and a service or a service account is in it`,
    hint: `correct service.namespace, or run: kubectl create namespace ${name}`,
  };
}
