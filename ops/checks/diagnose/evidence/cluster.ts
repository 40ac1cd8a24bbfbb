/** What the cluster has, part by part: a user who may not list one kind of object may list another. */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import type { Plan } from "../../../../infra/plan/types.ts";
import { readClusterObjects } from "../../../clients/clusterObjects.ts";
import { type Observation, observe } from "../../observation.ts";

/** Reads the objects of the cluster. @param open returns the kubeconfig of the one context, or throws */
export async function observeCluster(open: () => KubeConfig, plan: Plan) {
  const part = <T>(what: string, work: (config: KubeConfig) => Promise<T>): Promise<Observation<T>> =>
    observe(`the cluster's ${what}`, async () => work(open()));
  const [objects, secrets, rewrite] = await Promise.all([
    part("objects", readClusterObjects),
    part("Secrets of basic auth", (config) => readSecretNames(config, plan)),
    part("DNS configuration", readRewrite),
  ]);
  return { objects, secrets, rewrite };
}

/** Returns `namespace/name` of the planned Secrets of basic auth that exist. */
async function readSecretNames(config: KubeConfig, { middlewares }: Plan): Promise<ReadonlySet<string>> {
  const api = config.makeApiClient(CoreV1Api);
  const found = new Set<string>();
  for (const { kind, namespace, name } of middlewares) {
    if (kind !== "basic-auth") continue;
    // Listed by name, so that a missing one is no error; only its name is kept.
    const { items } = await api.listNamespacedSecret({ namespace, fieldSelector: `metadata.name=${name}` });
    if (items.length > 0) found.add(`${namespace}/${name}`);
  }
  return found;
}

/** Returns the stack's key in CoreDNS's configuration. */
async function readRewrite(config: KubeConfig): Promise<string | undefined> {
  const named = { namespace: "kube-system", fieldSelector: "metadata.name=coredns-custom" };
  const { items } = await config.makeApiClient(CoreV1Api).listNamespacedConfigMap(named);
  return items[0]?.data?.["gatehouse.override"];
}
