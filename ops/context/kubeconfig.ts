import type { KubeConfig } from "@kubernetes/client-node";
import type { Environment } from "../../config/variables.ts";
import { type KubeConfigFile, kubeConfigFiles, mergedKubeConfig } from "../../infra/kubeConfig.ts";
import { ContextError } from "./contextError.ts";

/** What a kubeconfig has lists of; each entry has a name. */
const LISTS = ["contexts", "clusters", "users"] as const;

/**
 * The kubeconfig of a shell, turned to one context, so that no client made from it can reach another cluster. Of several files, the first
 * entry of a name counts, as for kubectl and the Kubernetes provider.
 * @param environment its KUBECONFIG is one file or several, as kubectl takes them; default: `~/.kube/config`
 * @throws ContextError when there is no such context, with those that exist; when two files differ in the context, its cluster or its user
 */
export function kubeConfigOf(context: string, environment: Environment): KubeConfig {
  const files = kubeConfigFiles(environment);
  const config = mergedKubeConfig(files, context);
  const found = config.getContextObject(context);
  if (found === null) {
    const names = config.contexts.map(({ name }) => name);
    const existing = names.length > 0 ? `there are ${names.join(", ")}` : "there is none";
    throw new ContextError(`the kubeconfig has no context "${context}" (${existing}); set KUBECONFIG, or add it`);
  }
  refuseAmbiguous(files, { contexts: context, clusters: found.cluster, users: found.user });
  return config;
}

/** k3s calls its context, its cluster and its user `default` on each node. */
function refuseAmbiguous(
  files: readonly KubeConfigFile[],
  names: Readonly<Record<(typeof LISTS)[number], string>>,
): void {
  for (const list of LISTS) {
    const entries = files.flatMap(({ file, config }) =>
      config[list].filter(({ name }) => name === names[list]).map((entry) => ({ file, text: JSON.stringify(entry) })),
    );
    const other = entries.find(({ text }) => text !== entries[0]?.text);
    if (other === undefined) continue;
    const kind = list.slice(0, -1);
    throw new ContextError(
      `${kind} "${names[list]}" is in ${entries[0]?.file} and, with other content, in ${other.file}; ` +
        `give it another name in one of them, or set KUBECONFIG to one file`,
    );
  }
}
