import { ApiException, type KubeConfig } from "@kubernetes/client-node";
import pTimeout from "p-timeout";
import { MAX_API_RETRY_MS } from "../../infra/apiRetry.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { type KubeConfigFile, kubeConfigFiles, mergedKubeConfig } from "../../infra/kubeConfig.ts";
import { errorText, withoutCredentials } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";

const LISTS = ["contexts", "clusters", "users"] as const;

const UNREACHABLE_HINT = "start it, connect to its network, or correct its address in the kubeconfig";
const CREDENTIALS_HINT = "sign in to the cluster again, or correct the user in the kubeconfig";

/**
 * Returns the kubeconfig of a shell with one current context, so that no client of it reaches another cluster. Of several files, the first
 * entry of a name applies, as in kubectl and the Kubernetes provider.
 * @param environment its KUBECONFIG is one file or several, as kubectl takes them; default: `~/.kube/config`
 * @throws UserError when there is no such context, with those that exist; when two files differ in the context, its cluster or its user
 */
export function kubeConfigOf(context: string, environment: Environment): KubeConfig {
  const files = kubeConfigFiles(environment);
  const config = mergedKubeConfig(files, context);
  const found = config.getContextObject(context);
  if (found === null) {
    const names = config.contexts.map(({ name }) => name);
    const existing = names.length > 0 ? `existing contexts: ${names.join(", ")}` : "it has no contexts";
    throw new UserError(`the kubeconfig has no context "${context}" (${existing})`, "set KUBECONFIG, or add it");
  }
  refuseAmbiguous(files, { contexts: context, clusters: found.cluster, users: found.user });
  return config;
}

/** Rejects entries of the same name that differ: k3s names its context, cluster and user `default` on each node. */
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
    throw new UserError(
      `${kind} "${names[list]}" is in ${entries[0]?.file} and, with other content, in ${other.file}`,
      `give it another name in one of them, or set KUBECONFIG to one file`,
    );
  }
}

/** Returns the error of a command whose cluster cannot be read; that of a kubeconfig whose credentials cannot be used is returned unchanged. */
export function unreachableCluster(config: KubeConfig, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const server = withoutCredentials(config.getCurrentCluster()?.server ?? "");
  const cluster = `the cluster of context "${config.currentContext}" at ${server}`;
  return error instanceof ApiException && error.code === 401
    ? new UserError(`${cluster} rejects the credentials of its user`, CREDENTIALS_HINT)
    : new UserError(`${cluster} does not answer (${errorText(error)})`, UNREACHABLE_HINT);
}

/** How long a cluster may take to answer, in milliseconds: requests are repeated for most of it. */
const TIMEOUT_MS = MAX_API_RETRY_MS + 10_000;
/** The same with a credential program, which can ask the user to sign in. */
const SIGN_IN_MS = 120_000;

/** Waits for work that reads a cluster. @throws UserError as {@link unreachableCluster} returns it */
export function answered<T>(config: KubeConfig, work: Promise<T>): Promise<T> {
  const milliseconds = config.getCurrentUser()?.exec ? SIGN_IN_MS : TIMEOUT_MS;
  const timeout = { milliseconds, message: `no answer within ${milliseconds / 1000} s` };
  return pTimeout(work, timeout).catch((error: unknown) => Promise.reject(unreachableCluster(config, error)));
}
