/** What the cluster has, part by part: who may not list one kind of object may list another. */
import { AppsV1Api, CoreV1Api, CustomObjectsApi, type KubeConfig } from "@kubernetes/client-node";
import type { V1Deployment } from "@kubernetes/client-node";
import type { Settings } from "../../../../config/settings.ts";
import { readTraefik } from "../../../../infra/prerequisites/cluster.ts";
import { readServices } from "../../../clients/services.ts";
import type { Cluster, ClusterNames, DeployedMiddleware, Observation, ServerSettings } from "../evidence.ts";
import { look, seen } from "../observation.ts";
import { type Custom, middlewareOf, routeOf } from "./traefikObjects.ts";

const TRAEFIK = { group: "traefik.io", version: "v1alpha1" };
/** Of all settings of authentik, the ones that are read; none is a secret. */
const TRUSTED_PROXIES = "AUTHENTIK_LISTEN__TRUSTED_PROXY_CIDRS";

/** @param open gives the kubeconfig of the one context, or throws */
export async function observeCluster(open: () => KubeConfig, settings: Settings): Promise<Cluster> {
  const part = <T>(what: string, work: (config: KubeConfig) => Promise<T>): Promise<Observation<T>> =>
    look(`the cluster's ${what}`, async () => work(open()));
  const custom = async (config: KubeConfig, resourcePlural: string): Promise<Custom[]> => {
    const api = config.makeApiClient(CustomObjectsApi);
    return itemsOf(await api.listCustomObjectForAllNamespaces({ ...TRAEFIK, resourcePlural }));
  };
  const [routes, middlewares, services, dns, deployments, traefik] = await Promise.all([
    part("routes", async (config) => (await custom(config, "ingressroutes")).map(routeOf)),
    part("middlewares", async (config) => (await custom(config, "middlewares")).map(middlewareOf)),
    part("Services and pods", readServices),
    part("DNS configuration", (config) => readDnsConfiguration(config, settings)),
    part("settings of the identity provider", (config) => readServerSettings(config, settings)),
    part("Traefik", (config) => readTraefikVersion(config, settings)),
  ]);
  const named = seen(middlewares);
  const secrets = named
    ? await part("Secrets of basic auth", (config) => readSecretNames(config, named))
    : { unseen: "unseen" in middlewares ? middlewares.unseen : "" };
  return { routes, middlewares, services, secrets, dns, serverSettings: deployments, traefik };
}

function itemsOf(list: unknown): Custom[] {
  return (list as { items?: Custom[] }).items ?? [];
}

async function readSecretNames(config: KubeConfig, middlewares: readonly DeployedMiddleware[]): Promise<Set<string>> {
  const api = config.makeApiClient(CoreV1Api);
  const found = new Set<string>();
  for (const { namespace, basicAuth } of middlewares) {
    if (basicAuth === undefined) continue;
    // Listed by name, so that a missing one is no error; only its name is kept.
    const fieldSelector = `metadata.name=${basicAuth}`;
    const { items } = await api.listNamespacedSecret({ namespace, fieldSelector });
    if (items.length > 0) found.add(`${namespace}/${basicAuth}`);
  }
  return found;
}

async function readDnsConfiguration(config: KubeConfig, { stack }: Settings): Promise<ClusterNames> {
  const fieldSelector = "metadata.name=coredns-custom";
  const maps = await config
    .makeApiClient(CoreV1Api)
    .listNamespacedConfigMap({ namespace: "kube-system", fieldSelector });
  const rewrite = maps.items[0]?.data?.["gatehouse.override"];
  const kind = { group: "externaldns.k8s.io", version: "v1alpha1", resourcePlural: "dnsendpoints" };
  const labelSelector = `gatehouse.dev/owner=gatehouse-${stack}`;
  const list = await config
    .makeApiClient(CustomObjectsApi)
    .listCustomObjectForAllNamespaces({ ...kind, labelSelector })
    .then(itemsOf, () => undefined);
  const hostsOf = ({ spec }: Custom): string[] =>
    ((spec["endpoints"] ?? []) as { dnsName: string }[]).map(({ dnsName }) => dnsName);
  const endpoints = list && new Map(list.map((item) => [item.metadata.name, hostsOf(item)]));
  return { rewrite, endpoints };
}

async function readServerSettings(config: KubeConfig, { identityProvider }: Settings): Promise<ServerSettings[]> {
  const { namespace } = identityProvider;
  const { items } = await config.makeApiClient(AppsV1Api).listNamespacedDeployment({ namespace });
  return items.map((deployment) => ({
    deployment: deployment.metadata?.name ?? "",
    trustedProxies: settingOf(deployment, TRUSTED_PROXIES),
  }));
}

function settingOf({ spec }: V1Deployment, name: string): string | undefined {
  const variables = spec?.template.spec?.containers.flatMap(({ env }) => env ?? []) ?? [];
  return variables.find((variable) => variable.name === name)?.value;
}

async function readTraefikVersion(config: KubeConfig, { gateway }: Settings): Promise<string | undefined> {
  return (await readTraefik(config, gateway))?.version;
}
