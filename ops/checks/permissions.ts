import { AuthorizationV1Api, type KubeConfig } from "@kubernetes/client-node";
import type { Settings } from "../../config/settings.ts";
import { targets } from "../../infra/observability/targets.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { listed } from "../text.ts";

/** A kind of object, in one namespace or, without one, in the whole cluster. */
interface Kind {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  /** {@link VERBS} by default. */
  readonly verbs?: readonly string[];
}

/** Verbs of the engine for every object: a preview reads and applies with dry-run, an update applies, a change may replace. */
const VERBS = ["get", "create", "patch", "delete"] as const;

const CORE = "";
const ROUTING = ["traefik.io/ingressroutes", "traefik.io/middlewares"];
const WORKLOAD = [
  "apps/deployments",
  "/services",
  "/secrets",
  "policy/poddisruptionbudgets",
  "networking.k8s.io/networkpolicies",
];
const OUTPOSTS = ["apps/deployments", "/services", "/secrets", "/configmaps", "networking.k8s.io/networkpolicies"];
const ECHO = ["apps/deployments", "/services", "networking.k8s.io/networkpolicies"];
const DATA = [...WORKLOAD, "/configmaps", "batch/jobs", "autoscaling/horizontalpodautoscalers"];
const VERIFICATION = ["/configmaps", "/serviceaccounts", "networking.k8s.io/networkpolicies", "batch/cronjobs"];
const OBSERVABILITY = ["monitoring.coreos.com/podmonitors", "monitoring.coreos.com/prometheusrules"];
const OWN_POSTGRES = ["/secrets", "/services", "networking.k8s.io/networkpolicies"];
const POSTGRES = {
  statefulset: [...OWN_POSTGRES, "/persistentvolumeclaims", "apps/statefulsets"],
  cloudnativepg: [...OWN_POSTGRES, "postgresql.cnpg.io/clusters"],
};

/** Returns every kind of object that the stack deploys, once per namespace. */
export function deployedKinds(settings: Settings, plan: Plan): Kind[] {
  const kinds = [
    ...routingKinds(settings, plan),
    ...identityKinds(settings, plan),
    ...dataKinds(settings),
    ...testKinds(settings),
    ...(settings.verification ? owned(settings.verification.namespace, VERIFICATION) : []),
    ...observabilityKinds(settings, plan),
  ];
  return [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
}

function routingKinds({ domains }: Settings, { routes, traefikServices, middlewares, records }: Plan): Kind[] {
  const hasRecords = records.some(({ targets }) => targets.length > 0);
  const hasLocalhost = domains.some(({ kind, enabled }) => kind === "localhost" && enabled);
  return [
    ...routes.flatMap(({ namespace }) => inNamespace(namespace, ROUTING)),
    ...traefikServices.flatMap(({ namespace }) => inNamespace(namespace, ["traefik.io/traefikservices"])),
    ...middlewares.filter(({ kind }) => kind === "basic-auth").flatMap(secretIn),
    ...(hasRecords ? inNamespace("default", ["externaldns.k8s.io/dnsendpoints"]) : []),
    ...(hasLocalhost ? inNamespace("kube-system", ["/configmaps"]) : []),
  ];
}

function identityKinds({ identityProvider }: Settings, { clients, outposts }: Plan): Kind[] {
  const { install, namespace, service, serviceAccounts } = identityProvider;
  return [
    ...clients.flatMap(secretIn),
    ...serviceAccounts.flatMap(secretIn),
    ...(install
      ? owned(namespace, [...WORKLOAD, "/configmaps"])
      : outposts.flatMap((outpost) => owned(outpost.namespace, OUTPOSTS))),
    ...(service ? inNamespace(namespace, ["/services"]).map((kind) => ({ ...kind, verbs: ["get"] })) : []),
  ];
}

function dataKinds({ dataApi, postgres }: Settings): Kind[] {
  const install = postgres?.install;
  return [
    ...(dataApi ? owned(dataApi.namespace, DATA) : []),
    ...(install ? owned(install.namespace, POSTGRES[install.kind]) : []),
    ...(install?.monitoring === undefined ? [] : inNamespace(install.namespace, ["monitoring.coreos.com/podmonitors"])),
  ];
}

function testKinds({ testEnvironments: { enabled, install, backend } }: Settings): Kind[] {
  return enabled && install ? inNamespace(backend.namespace, ECHO) : [];
}

/** Returns the kinds for metrics. The namespace of Prometheus is read to allow its connections in a NetworkPolicy. */
function observabilityKinds(settings: Settings, plan: Plan): Kind[] {
  const { observability } = settings;
  if (!observability) return [];
  const read = targets(settings, plan).filter(({ number }) => number !== undefined);
  return [
    ...inNamespace(observability.namespace, [...OBSERVABILITY, ...(observability.dashboard ? ["/configmaps"] : [])]),
    ...read.flatMap(({ namespace }) => inNamespace(namespace, ["networking.k8s.io/networkpolicies"])),
  ];
}

/** Returns a namespace that the stack creates, and the kinds in it. */
function owned(namespace: string, kinds: readonly string[]): Kind[] {
  return [{ group: CORE, resource: "namespaces", namespace: undefined }, ...inNamespace(namespace, kinds)];
}

function secretIn({ namespace }: { readonly namespace: string }): Kind[] {
  return inNamespace(namespace, ["/secrets"]);
}

function inNamespace(namespace: string, kinds: readonly string[]): Kind[] {
  return kinds.map((kind) => {
    const [group = CORE, resource = ""] = kind.split("/");
    return { group, resource, namespace };
  });
}

/**
 * Asks the API server (SelfSubjectAccessReview) which of these permissions the user lacks. One request suffices for an administrator.
 * @returns one line for each kind, with the verbs: `create and delete secrets in namespace data`
 * @throws when the server does not answer, or does not accept the user
 */
export async function refusedPermissions(config: KubeConfig, kinds: readonly Kind[]): Promise<string[]> {
  const api = config.makeApiClient(AuthorizationV1Api);
  const mayDo = async (verb: string, { group, resource, namespace }: Partial<Kind>): Promise<boolean> => {
    const resourceAttributes = { verb, group, resource, ...(namespace !== undefined && { namespace }) };
    const body = { spec: { resourceAttributes } } as Parameters<typeof api.createSelfSubjectAccessReview>[0]["body"];
    return (await api.createSelfSubjectAccessReview({ body })).status?.allowed ?? false;
  };
  if (await mayDo("*", { group: "*", resource: "*" })) return [];
  const lines = await Promise.all(
    kinds.map(async (kind) => {
      const answers = await Promise.all(
        (kind.verbs ?? VERBS).map(async (verb) => ((await mayDo(verb, kind)) ? [] : [verb])),
      );
      return describe(answers.flat(), kind);
    }),
  );
  return lines.filter((line) => line !== "");
}

function describe(verbs: readonly string[], { group, resource, namespace }: Kind): string {
  if (verbs.length === 0) return "";
  const what = group === CORE ? resource : `${resource}.${group}`;
  return `${listed(verbs)} ${what}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}
