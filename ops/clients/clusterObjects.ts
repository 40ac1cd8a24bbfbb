import { ApiException, CoreV1Api, CustomObjectsApi, type KubeConfig } from "@kubernetes/client-node";
import { MANAGED_BY, SELECTOR_CONTROLLER } from "../../manifests/endpointSlice.ts";
import { type Manifest, manifestsOf, type Resource } from "../../manifests/resource.ts";

/** The objects of a cluster that decide how a host or a backend is served. */
export interface ClusterObjects {
  readonly manifests: readonly Manifest[];
  /** Why a kind could not be read, by its name. */
  readonly unread: ReadonlyMap<string, string>;
  readonly absent: ReadonlySet<string>;
}

interface Kind {
  readonly kind: string;
  readonly group: string;
  /** Newest first. A cluster lists all objects of a kind in each version that it serves. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly labelSelector?: string;
}

const TRAEFIK = { group: "traefik.io", versions: ["v1alpha1"] };
const NETWORKING = { group: "networking.k8s.io", versions: ["v1"] };
const GATEWAY = { group: "gateway.networking.k8s.io", versions: ["v1", "v1beta1", "v1alpha3", "v1alpha2"] };

const KINDS: readonly Kind[] = [
  { ...TRAEFIK, kind: "IngressRoute", plural: "ingressroutes" },
  { ...TRAEFIK, kind: "IngressRouteTCP", plural: "ingressroutetcps" },
  { ...TRAEFIK, kind: "Middleware", plural: "middlewares" },
  { ...TRAEFIK, kind: "TraefikService", plural: "traefikservices" },
  { ...TRAEFIK, kind: "TLSOption", plural: "tlsoptions" },
  { ...TRAEFIK, kind: "TLSStore", plural: "tlsstores" },
  { ...NETWORKING, kind: "Ingress", plural: "ingresses" },
  { ...NETWORKING, kind: "NetworkPolicy", plural: "networkpolicies" },
  { ...GATEWAY, kind: "GatewayClass", plural: "gatewayclasses" },
  { ...GATEWAY, kind: "Gateway", plural: "gateways" },
  { ...GATEWAY, kind: "HTTPRoute", plural: "httproutes" },
  { ...GATEWAY, kind: "GRPCRoute", plural: "grpcroutes" },
  { ...GATEWAY, kind: "TLSRoute", plural: "tlsroutes" },
  { ...GATEWAY, kind: "TCPRoute", plural: "tcproutes" },
  // A large cluster has thousands of the others, which follow from Services and pods.
  {
    group: "discovery.k8s.io",
    versions: ["v1"],
    kind: "EndpointSlice",
    plural: "endpointslices",
    labelSelector: `${MANAGED_BY}!=${SELECTOR_CONTROLLER}`,
  },
  { group: "externaldns.k8s.io", versions: ["v1alpha1"], kind: "DNSEndpoint", plural: "dnsendpoints" },
];

export const RIGHTS_HINT = "allow the user to list this kind in all namespaces (docs/policy.md, Rights)";

/** Reads every object of these kinds, Services and pods, in all namespaces. @throws Error when the cluster cannot be reached, or rejects the credentials */
export async function readClusterObjects(kubeConfig: KubeConfig): Promise<ClusterObjects> {
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const reads = [
    ...KINDS.map(({ kind, group, versions, plural, labelSelector }) => ({
      kind,
      lists: versions.map((version) => ({
        apiVersion: `${group}/${version}`,
        list: () =>
          custom.listClusterCustomObject({
            group,
            version,
            plural,
            ...(labelSelector !== undefined && { labelSelector }),
          }) as Promise<{ items?: object[] }>,
      })),
    })),
    { kind: "Service", lists: [{ apiVersion: "core/v1", list: () => core.listServiceForAllNamespaces() }] },
    { kind: "Pod", lists: [{ apiVersion: "core/v1", list: () => core.listPodForAllNamespaces() }] },
  ];
  const unread = new Map<string, string>();
  const absent = new Set<string>();
  const lists = await Promise.all(
    reads.map(async ({ kind, lists }): Promise<Resource[]> => {
      for (const { apiVersion, list } of lists) {
        try {
          return ((await list()).items ?? []).map((item) => asResource(apiVersion, kind, item));
        } catch (error) {
          if (!(error instanceof ApiException) || ![403, 404].includes(error.code)) throw error;
          if (error.code === 404) continue;
          unread.set(kind, "forbidden");
          return [];
        }
      }
      absent.add(kind);
      return [];
    }),
  );
  return { manifests: manifestsOf(lists.flat()), unread, absent };
}

/** Returns an object as the rules of the policy pack read it. */
function asResource(apiVersion: string, kind: string, object: object): Resource {
  const { metadata } = object as { metadata?: { name?: string } };
  return { type: `kubernetes:${apiVersion}:${kind}`, name: metadata?.name ?? "", props: object as Resource["props"] };
}
