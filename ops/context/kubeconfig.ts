import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { existsSync } from "node:fs";
import { KubeConfig } from "@kubernetes/client-node";
import type { Environment } from "../../config/variables.ts";
import { ContextError } from "./contextError.ts";

/**
 * The kubeconfig of a shell, turned to one context, so that no client made from it can reach another cluster.
 * @param environment its KUBECONFIG is one file or several, as kubectl takes them; default: `~/.kube/config`
 * @throws ContextError when there is no such context, with those that there are
 */
export function kubeConfigOf(context: string, environment: Environment): KubeConfig {
  const files = (environment["KUBECONFIG"] || join(homedir(), ".kube", "config")).split(delimiter).filter(existsSync);
  const config = new KubeConfig();
  for (const file of files) {
    const one = new KubeConfig();
    one.loadFromFile(file);
    if (config.clusters === undefined) config.loadFromOptions({ ...one, currentContext: context });
    else config.mergeConfig(one, true);
  }
  const names = (config.contexts ?? []).map(({ name }) => name);
  if (!names.includes(context)) {
    const there = names.length > 0 ? `there are ${names.join(", ")}` : "there is none";
    throw new ContextError(`the kubeconfig has no context "${context}" (${there}); set KUBECONFIG, or add it`);
  }
  config.setCurrentContext(context);
  return config;
}
