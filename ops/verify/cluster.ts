import { AppsV1Api, CoreV1Api, type KubeConfig, type V1Pod } from "@kubernetes/client-node";
import type { Settings } from "../../config/settings.ts";
import { CATALOG_SERVICE } from "../../infra/plan/exposures.ts";
import { type Check, check, expectEqual, Unexpected } from "./check.ts";

/** Server and worker of the identity provider (spec 000, Limits). */
const IDENTITY_PROVIDER_PODS = 2;

/** What can only be seen inside the cluster: that the identity provider's and the catalogue's pods run, and which Traefik does. */
export async function checkCluster(config: KubeConfig, settings: Settings): Promise<Check[]> {
  const { identityProvider, gateway, dataApi } = settings;
  const checks: Check[] = [];
  if (identityProvider.install) {
    const { namespace } = identityProvider;
    const pods = { what: "the identity provider", namespace, least: IDENTITY_PROVIDER_PODS };
    checks.push(await checkPods(config, pods));
  }
  if (dataApi?.catalog && dataApi.domains.length > 0) {
    const { namespace, catalog } = dataApi;
    const pods = { what: "the catalogue", namespace, app: CATALOG_SERVICE.name, least: catalog.replicas };
    checks.push(await checkPods(config, pods));
  }
  if (gateway.version !== undefined) checks.push(await checkTraefik(config, gateway.namespace, gateway.version));
  return checks;
}

interface Pods {
  /** How messages call them. */
  readonly what: string;
  readonly namespace: string;
  /** Label of the workload; undefined = the namespace has no others. */
  readonly app?: string;
  readonly least: number;
}

function checkPods(config: KubeConfig, { what, namespace, app, least }: Pods): Promise<Check> {
  return check(`pods of ${what} in namespace ${namespace}`, async () => {
    const labels = app === undefined ? {} : { labelSelector: `app.kubernetes.io/name=${app}` };
    const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace, ...labels });
    const ready = items.filter(isReady).length;
    if (ready < least) throw new Unexpected(`at least ${least} running`, `${ready} of ${items.length}`);
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
