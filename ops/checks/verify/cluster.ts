import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import type { Settings, TraefikGateway } from "../../../config/settings.ts";
import { CATALOG_SERVICE } from "../../../infra/plan/exposures.ts";
import { readTraefik, type TraefikFacts } from "../../../infra/prerequisites/cluster.ts";
import { clientAddresses, trustedAddressesHint, upstreamDomains } from "../../../infra/prerequisites/traefik.ts";
import { isReady } from "../../clients/services.ts";
import { type Check, check, expectEqual, skip, Unexpected } from "./check.ts";

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
  const traefik = await readTraefik(config, gateway);
  if (gateway.version !== undefined) checks.push(await checkVersion(gateway, gateway.version, traefik?.version));
  checks.push(...upstreamDomains(settings).map((domain) => checkClientAddresses(settings, domain, traefik)));
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

function checkVersion({ namespace }: TraefikGateway, stated: string, running: string | undefined): Promise<Check> {
  return check("version of Traefik", () => {
    if (running !== undefined) expectEqual("gateway.version", stated, running);
    return Promise.resolve(running ?? `${stated} as stated; no pod of Traefik in ${namespace} has a version`);
  });
}

/** Whether the limits per client have the client's address behind the proxy of a domain with `tls: upstream`. */
export function checkClientAddresses(settings: Settings, domain: string, traefik: TraefikFacts | undefined): Check {
  const name = `client addresses of domain ${domain}`;
  const hint = trustedAddressesHint(settings);
  const found = traefik && clientAddresses(settings, traefik);
  if (found === undefined) {
    return skip(name, "the arguments of Traefik's pods are not readable, or state no entry point", hint);
  }
  if ("problem" in found) return { name, ok: false, detail: found.problem, hint };
  return { name, ok: true, detail: `from X-Forwarded-For of ${found.trusted.join(", ")}` };
}
