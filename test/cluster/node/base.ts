import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type KubernetesObject, KubernetesObjectApi } from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";
import { traefikArguments } from "../../../local/platform/traefikArguments.ts";
import { RetryingKubeConfig } from "../../../infra/kubeConfig.ts";
import { applyYaml } from "../../../local/platform/api.ts";
import { COREDNS, TRAEFIK } from "../images/images.ts";
import type { Paths } from "../paths.ts";
import { DNS_IP, NODE_IP, NODE_NAME } from "./addresses.ts";

/** Values of the base that differ between runs. */
interface BaseOptions {
  /** Files with custom resource definitions. */
  readonly definitions: readonly string[];
  /** Versions of the images. */
  readonly coredns: string;
  readonly traefik: string;
}

/** Creates the objects of a cluster before the stack is deployed. Does not wait for them. */
export async function createBase({ kubeconfig, state }: Paths, options: BaseOptions): Promise<void> {
  const files = [...options.definitions, path.join(import.meta.dirname, "definitions.yaml")];
  await applyYaml(kubeconfig, files.map((file) => readFileSync(file, "utf8")).join("\n---\n"));
  const values: Readonly<Record<string, string>> = {
    DNS_IP,
    NODE_IP,
    NODE_NAME,
    VOLUME: volumeIn(state),
    COREDNS: `${COREDNS}:${options.coredns}`,
    TRAEFIK: `${TRAEFIK}:${options.traefik}`,
  };
  const config = RetryingKubeConfig.fromFile(kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(config);
  for (const object of objects(values)) await api.create(object);
}

/** Creates a volume that any user may write to, like local-path-provisioner: the kubelet does not change the owner of a `hostPath`. */
function volumeIn(state: string): string {
  const folder = path.join(state, "volume");
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  return folder;
}

interface Traefik extends KubernetesObject {
  readonly spec: { readonly template: { readonly spec: { readonly containers: { args: string[] }[] } } };
}

function objects(values: Readonly<Record<string, string>>): KubernetesObject[] {
  const text = readFileSync(path.join(import.meta.dirname, "base.yaml"), "utf8");
  const filled = text.replace(/\$\{([A-Z_]+)\}/g, (match, name: string) => values[name] ?? match);
  const found = parseAllDocuments(filled).map((document) => document.toJS() as KubernetesObject);
  const traefik = found.find(({ kind, metadata }) => kind === "Deployment" && metadata?.name === "traefik") as Traefik;
  traefik.spec.template.spec.containers[0]?.args.push(...traefikArguments());
  return found;
}
