import { AppsV1Api, CoreV1Api, KubeConfig, type V1Pod } from "@kubernetes/client-node";
import type { Settings } from "../../config/settings.ts";
import { type Check, check, expectEqual, Unexpected } from "./check.ts";

/** Server and worker of the identity provider (spec 000, Limits). */
const IDENTITY_PROVIDER_PODS = 2;

export interface ClusterTarget {
  readonly settings: Settings;
  /** Path of the kubeconfig; undefined = where kubectl looks. */
  readonly kubeconfig: string | undefined;
}

/** What can only be seen inside the cluster: that the identity provider's pods run, and which Traefik does. */
export async function checkCluster({ settings, kubeconfig }: ClusterTarget): Promise<Check[]> {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  if (settings.context !== undefined) config.setCurrentContext(settings.context);
  const { identityProvider, gateway } = settings;
  const checks = identityProvider.install ? [await checkPods(config, identityProvider.namespace)] : [];
  if (gateway.version !== undefined) checks.push(await checkTraefik(config, gateway.namespace, gateway.version));
  return checks;
}

function checkPods(config: KubeConfig, namespace: string): Promise<Check> {
  return check(`pods of the identity provider in namespace ${namespace}`, async () => {
    const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace });
    const ready = items.filter(isReady).length;
    if (ready < IDENTITY_PROVIDER_PODS) {
      throw new Unexpected(`at least ${IDENTITY_PROVIDER_PODS} running`, `${ready} of ${items.length}`);
    }
    return `${ready} running`;
  });
}

function isReady({ status }: V1Pod): boolean {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  return status?.phase === "Running" && condition?.status === "True";
}

/** A Traefik that is no Deployment there (a process, a DaemonSet of one's own) cannot be looked at. */
function checkTraefik(config: KubeConfig, namespace: string, stated: string): Promise<Check> {
  return check("version of Traefik", async () => {
    const { items } = await config.makeApiClient(AppsV1Api).listNamespacedDeployment({ namespace });
    const images = items.flatMap(({ spec }) => spec?.template.spec?.containers.map(({ image }) => image ?? "") ?? []);
    const [version] = images.flatMap((image) => /(?:^|\/)[\w-]*traefik:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? []);
    if (version === undefined) return `${stated} as stated; no Deployment in ${namespace} says more`;
    expectEqual("gateway.version", stated, version);
    return version;
  });
}
