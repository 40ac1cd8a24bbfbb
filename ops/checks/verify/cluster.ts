/** Checks that need access to the cluster: pods, the Services behind routes, Traefik, and the audit. */
import type { KubeConfig } from "@kubernetes/client-node";
import type { Backend, Settings, TraefikGateway } from "../../../config/settings.ts";
import { CATALOG_SERVICE } from "../../../infra/plan/exposures.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { readTraefik, type TraefikFacts } from "../../../infra/prerequisites/cluster.ts";
import { clientAddresses, trustedAddressesHint, upstreamDomains } from "../../../infra/prerequisites/traefik.ts";
import type { StackContext } from "../../context/context.ts";
import { type ClusterObjects, readClusterObjects, RIGHTS_HINT } from "../../clients/clusterObjects.ts";
import {
  type DeployedService,
  isReady,
  matches,
  podLabels,
  podsOf,
  serviceProblem,
  servicesOf,
} from "../../clients/services.ts";
import { audit } from "../audit/audit.ts";
import { lineOf } from "../finding.ts";
import { type Check, check, expectEqual, skip } from "./check.ts";
import type { Unreachable } from "./databaseOf.ts";
import type { Probe } from "./probe.ts";

/** Server and worker of the identity provider (spec 000, Limits). */
const IDENTITY_PROVIDER_PODS = 2;

type Target = Pick<StackContext, "context" | "plan" | "settings">;

/**
 * Returns the probes of the cluster, which together read its objects once.
 * @param cluster its kubeconfig, or why there is none
 */
export function clusterProbes(target: Target, cluster: KubeConfig | Unreachable, read = readClusterObjects): Probe[] {
  const { context, plan, settings } = target;
  const subject = `cluster ${context}`;
  if ("reason" in cluster) {
    const skipped = (name: string) => () => Promise.resolve([skip(name, cluster.reason, cluster.hint)]);
    return [
      { kind: "cluster", subject, run: skipped("pods") },
      { kind: "cluster", subject, run: skipped("backends of the routes") },
      { kind: "audit", subject, run: skipped("objects") },
    ];
  }
  let reading: Promise<ClusterObjects> | undefined;
  const objects = (): Promise<ClusterObjects> => (reading ??= read(cluster));
  let found: DeployedService[] | undefined;
  const services = async (): Promise<DeployedService[]> => (found ??= servicesOf(await objects()));
  return [
    { kind: "cluster", subject, run: async () => checkPods(await objects(), settings) },
    { kind: "cluster", subject, run: () => checkTraefik(cluster, settings) },
    ...plan.exposures.map(({ id, url, host }): Probe => {
      const name = `backends of ${url}`;
      const hint = `run: npx gatehouse diagnose ${context} ${host}`;
      const run = async () => {
        const blind = unreadable(name, await objects(), ["Service", "Pod"]);
        return [blind ?? checkBackends(name, backendsOf(plan, id), await services(), hint)];
      };
      return { kind: "cluster", subject: url, run };
    }),
    { kind: "audit", subject, run: async () => checkObjects(await objects(), target) },
  ];
}

/** Returns a skipped check if one of the kinds could not be read. */
function unreadable(name: string, { unread }: ClusterObjects, kinds: readonly string[]): Check | undefined {
  const kind = kinds.find((one) => unread.has(one));
  return kind === undefined ? undefined : skip(name, `${kind}s cannot be listed: ${unread.get(kind)}`, RIGHTS_HINT);
}

/** The identity provider's and the catalog's pods are ready. */
function checkPods(objects: ClusterObjects, { identityProvider, dataApi }: Settings): Check[] {
  const ready = (of: string, least: number, namespace: string, labels = {}): Check => {
    const name = `pods of ${of} in namespace ${namespace}`;
    const own = podsOf(objects.manifests).filter((pod) => pod.namespace === namespace);
    const pods = own.filter((pod) => matches(labels, podLabels(pod)));
    const count = pods.filter(isReady).length;
    const detail =
      count < least ? `expected at least ${least} running, got ${count} of ${pods.length}` : `${count} running`;
    return unreadable(name, objects, ["Pod"]) ?? { name, ok: count >= least, detail };
  };
  const { install, namespace } = identityProvider;
  const catalog = dataApi && dataApi.domains.length > 0 ? dataApi.catalog : undefined;
  const labels = { "app.kubernetes.io/name": CATALOG_SERVICE.name };
  return [
    ...(install ? [ready("the identity provider", IDENTITY_PROVIDER_PODS, namespace)] : []),
    ...(dataApi && catalog ? [ready("the catalog", catalog.replicas, dataApi.namespace, labels)] : []),
  ];
}

async function checkTraefik(config: KubeConfig, settings: Settings): Promise<Check[]> {
  const { gateway } = settings;
  const traefik = await readTraefik(config, gateway);
  return [
    ...(gateway.version === undefined ? [] : [await checkVersion(gateway, gateway.version, traefik?.version)]),
    ...upstreamDomains(settings).map((domain) => checkClientAddresses(settings, domain, traefik)),
  ];
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

/** Returns the Services that the rules of an exposure name, the outpost among them. */
function backendsOf({ routes }: Plan, exposure: string): Backend[] {
  const rules = routes.flatMap((route) => route.rules).filter((rule) => rule.exposure === exposure);
  return [...new Map(rules.map(({ backend }) => [placeOf(backend), backend])).values()];
}

/** The backends exist; a missing one shows as the gateway's 404, and a stopped one as its 502 or 503. */
function checkBackends(
  name: string,
  backends: readonly Backend[],
  services: readonly DeployedService[],
  hint: string,
): Check {
  const problems = backends.flatMap((backend) => serviceProblem(backend, services) ?? []);
  if (problems.length === 0) return { name, ok: true, detail: backends.map(placeOf).join(", ") };
  const detail = problems.map(({ problem, evidence }) => `${problem} (${evidence})`).join("; ");
  return { name, ok: false, detail, hint };
}

function placeOf({ namespace, name, port }: Backend): string {
  return `${namespace}/${name}:${port}`;
}

function checkObjects(objects: ClusterObjects, { context, plan, settings }: Target): Check[] {
  const findings = audit(objects, plan, { context, gateway: settings.gateway });
  if (findings.length === 0) return [{ name: "objects", ok: true, detail: "as planned" }];
  return findings.map((one) => ({ name: one.subject, ok: false, detail: lineOf(one), hint: one.hint }));
}
