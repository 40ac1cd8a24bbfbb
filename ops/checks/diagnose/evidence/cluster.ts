/** What the cluster has, part by part: a user who may not list one kind of object may list another. */
import { AppsV1Api, CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import type { Settings } from "../../../../config/settings.ts";
import type { Plan } from "../../../../infra/plan/types.ts";
import { readTraefik } from "../../../../infra/prerequisites/cluster.ts";
import { readClusterObjects } from "../../../clients/clusterObjects.ts";
import { type Observation, observe } from "../observation.ts";

/** Of all settings of authentik, the one that is read; it is no secret. */
export const TRUSTED_PROXIES = "AUTHENTIK_LISTEN__TRUSTED_PROXY_CIDRS";

/** @param open returns the kubeconfig of the one context, or throws */
export async function observeCluster(open: () => KubeConfig, settings: Settings, plan: Plan) {
  const part = <T>(what: string, work: (config: KubeConfig) => Promise<T>): Promise<Observation<T>> =>
    observe(`the cluster's ${what}`, async () => work(open()));
  const [objects, secrets, rewrite, trustedProxies, traefik] = await Promise.all([
    part("objects", readClusterObjects),
    part("Secrets of basic auth", (config) => readSecretNames(config, plan)),
    part("DNS configuration", readRewrite),
    part("settings of the identity provider", (config) => readTrustedProxies(config, settings)),
    part("Traefik", async (config) => (await readTraefik(config, settings.gateway))?.version),
  ]);
  return { objects, secrets, rewrite, trustedProxies, traefik };
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

/** Returns by Deployment of authentik the networks whose `X-Forwarded-*` count; undefined = its default, loopback and private networks. */
async function readTrustedProxies(
  config: KubeConfig,
  { identityProvider: { namespace } }: Settings,
): Promise<ReadonlyMap<string, string | undefined>> {
  const { items } = await config.makeApiClient(AppsV1Api).listNamespacedDeployment({ namespace });
  const settings = items.map(({ metadata, spec }) => {
    const variables = spec?.template.spec?.containers.flatMap(({ env }) => env ?? []) ?? [];
    return [metadata?.name ?? "", variables.find(({ name }) => name === TRUSTED_PROXIES)?.value] as const;
  });
  return new Map(settings);
}
