/** Checks that need access to the cluster: pods, the Services behind routes, Traefik, and the audit. */
import type { KubeConfig } from "@kubernetes/client-node";
import { type Backend, backendText } from "../../../config/sections/protectedServices/backend.ts";
import type { Settings } from "../../../config/settings.ts";
import { AUTHENTIK_APPS, CATALOG_SERVICE } from "../../../infra/plan/ownServices.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { upstreamDomains } from "../../../infra/prerequisites/clientAddresses.ts";
import type { Manifest } from "../../../manifests/resource.ts";
import { readTraefik } from "../../../infra/prerequisites/cluster.ts";
import { traefikPrerequisites } from "../../../infra/prerequisites/traefik.ts";
import type { StackContext } from "../../context/context.ts";
import { type ClusterObjects, readClusterObjects, RIGHTS_HINT } from "../../clients/clusterObjects.ts";
import { isReady, objectLabels, podsOf, serviceProblem } from "../../clients/services.ts";
import { matchesLabels } from "../../../infra/labels.ts";
import { audit } from "../audit/audit.ts";
import { installedPostgres } from "../audit/installedPostgres.ts";
import { DEFAULT_TLS } from "../audit/defaultTls.ts";
import { lineOf } from "../finding.ts";
import { type Check, checkOf, failed, skip } from "../check.ts";
import type { Unreachable } from "./databaseOf.ts";
import type { Probe } from "./probe.ts";
import { argument } from "../../text.ts";

type Target = Pick<StackContext, "context" | "given" | "plan" | "settings">;

/**
 * Returns the probes of the cluster, which together read its objects once.
 * @param cluster its kubeconfig, or why there is none
 */
export function clusterProbes(target: Target, cluster: KubeConfig | Unreachable, read = readClusterObjects): Probe[] {
  const { context, given, plan, settings } = target;
  const subject = `cluster ${context}`;
  if ("reason" in cluster) {
    const result = cluster.failed ? failed : skip;
    const run = (name: string) => () => Promise.resolve([result(name, cluster.reason, cluster.hint)]);
    return [
      { kind: "cluster", subject, run: run("pods") },
      { kind: "cluster", subject, run: run("backends of the routes") },
      { kind: "audit", subject, run: run("objects") },
    ];
  }
  let reading: Promise<ClusterObjects> | undefined;
  const objects = (): Promise<ClusterObjects> => (reading ??= read(cluster));
  return [
    { kind: "cluster", subject, run: async () => checkPods(await objects(), settings) },
    { kind: "cluster", subject, run: () => checkTraefik(cluster, target) },
    ...plan.exposures.map(({ id, url, host }): Probe => {
      const name = `backends of ${url}`;
      const hint = `run: npx gatehouse diagnose ${argument(given)} ${host}`;
      const run = async () => {
        const blind = unreadable(name, await objects(), ["Service", "Pod"]);
        return [blind ?? checkBackends(name, backendsOf(plan, id), (await objects()).manifests, hint)];
      };
      return { kind: "cluster", subject: url, run };
    }),
    { kind: "audit", subject, run: async () => checkObjects(await objects(), target) },
  ];
}

function unreadable(name: string, { unread }: ClusterObjects, kinds: readonly string[]): Check | undefined {
  const kind = kinds.find((one) => unread.has(one));
  return kind === undefined ? undefined : skip(name, `${kind}s cannot be listed: ${unread.get(kind)}`, RIGHTS_HINT);
}

function checkPods(objects: ClusterObjects, { identityProvider, dataApi }: Settings): Check[] {
  const ready = (app: string, least: number, namespace: string): Check => {
    const name = `pods of ${app} in namespace ${namespace}`;
    const own = podsOf(objects.manifests).filter((pod) => pod.namespace === namespace);
    const pods = own.filter((pod) => matchesLabels({ "app.kubernetes.io/name": app }, objectLabels(pod)));
    const count = pods.filter(isReady).length;
    const detail =
      count < least ? `expected at least ${least} running, got ${count} of ${pods.length}` : `${count} running`;
    return unreadable(name, objects, ["Pod"]) ?? { name, ok: count >= least, detail };
  };
  const { install, namespace } = identityProvider;
  const catalog = dataApi && dataApi.domains.length > 0 ? dataApi.catalog : undefined;
  return [
    // Outposts and the sign-in pages are in the namespace, too.
    ...Object.values(install ? AUTHENTIK_APPS : {}).map((app) => ready(app, 1, namespace)),
    ...(dataApi && catalog ? [ready(CATALOG_SERVICE.name, catalog.replicas, dataApi.namespace)] : []),
  ];
}

/** Checks the prerequisites of the running Traefik, as before a deployment. */
async function checkTraefik(config: KubeConfig, { plan, settings }: Target): Promise<Check[]> {
  const { gateway } = settings;
  const traefik = await readTraefik(config, gateway);
  if (traefik) return traefikPrerequisites(settings, plan, traefik).map(({ name, result }) => checkOf(name, result));
  const detail = `${gateway.version} as stated; no pod of Traefik in ${gateway.namespace} has a version`;
  const hint = "see docs/prerequisites.md, Client addresses behind a proxy";
  return [
    ...(gateway.version === undefined ? [] : [{ name: "version of Traefik", ok: true, detail }]),
    ...upstreamDomains(settings).map((domain) =>
      skip(`client addresses of domain ${domain}`, "the arguments of Traefik's pods are not readable", hint),
    ),
  ];
}

/** Returns the Services that the rules of an exposure name, the outpost among them. */
function backendsOf({ routes }: Plan, exposure: string): Backend[] {
  const rules = routes.flatMap((route) => route.rules).filter((rule) => rule.exposure === exposure);
  return [...new Map(rules.map(({ backend }) => [backendText(backend), backend])).values()];
}

/** Checks that the backends exist; a missing one shows as the gateway's 404, and a stopped one as its 502 or 503. */
function checkBackends(
  name: string,
  backends: readonly Backend[],
  manifests: readonly Manifest[],
  hint: string,
): Check {
  const problems = backends.flatMap((backend) => serviceProblem(backend, manifests) ?? []);
  if (problems.length === 0) return { name, ok: true, detail: backends.map(backendText).join(", ") };
  const detail = problems.map(({ problem, evidence }) => `${problem} (${evidence})`).join("; ");
  return { name, ok: false, detail, hint };
}

function checkObjects(objects: ClusterObjects, { context, given, plan, settings }: Target): Check[] {
  const { gateway, observability } = settings;
  const all = audit(objects, plan, { context, given, gateway, observability, postgres: installedPostgres(settings) });
  // Whether one is the operator's is known to the `--accept` of an audit only.
  const findings = all.filter(({ rule, severity }) => rule !== DEFAULT_TLS || severity === "error");
  if (findings.length === 0) return [{ name: "objects", ok: true, detail: "as planned" }];
  return findings.map((one) => ({
    name: one.subject,
    ok: false,
    detail: lineOf(one),
    hint: one.hint,
    // It opens nothing now, and can be the operator's: only an audit can accept it.
    ...(one.severity === "warning" && { skipped: true as const }),
  }));
}
