import type { KubeConfig, V1Container, V1JSONSchemaProps } from "@kubernetes/client-node";
import pTimeout from "p-timeout";
import type { Settings, TraefikGateway } from "../../config/settings.ts";
import { MAX_API_RETRY_MS } from "../apiRetry.ts";
import { labelTexts, matchesLabels } from "../labels.ts";
import { readUid } from "./clusterIdentity.ts";
import { type IdentityService, readIdentityService } from "./identityService.ts";
import type { CustomKind } from "./kinds.ts";
import { readable } from "./readable.ts";

/** Facts that a cluster reports about itself. */
export interface ClusterFacts {
  /** Version of the API server, e.g. `v1.36.4+k3s1`. */
  readonly version: string;
  /** UID of the namespace kube-system; undefined = the user may not read it. */
  readonly uid: string | undefined;
  /** Those of the requested kinds that it serves, as `<group>/<version>/<Kind>`. */
  readonly kinds: readonly string[];
  /** undefined = no pod has the gateway's labels (Traefik is a process elsewhere), or the user may not read pods. */
  readonly traefik: TraefikFacts | undefined;
  /** That of `identity_provider.service`; null = it does not exist; undefined = there is none, or the user may not read it. */
  readonly identityService: IdentityService | null | undefined;
}

export interface TraefikFacts {
  /** Names of its pods. */
  readonly pods: readonly string[];
  /** Whether one of them has the address of its node (`hostNetwork`). */
  readonly hostNetwork: boolean;
  /** Of its image's tag, e.g. `3.7.8`; undefined = the tag contains no version. */
  readonly version: string | undefined;
  /** Arguments of its container. */
  readonly args: readonly string[];
  /** Fields of `forwardAuth` in the definition of Middleware; undefined = the user may not read definitions. */
  readonly forwardAuthFields: readonly string[] | undefined;
  /** Fields of the Service of a failover in the definition of TraefikService; undefined = the user may not read definitions. */
  readonly failoverFields: readonly string[] | undefined;
  /**
   * Its Services of type LoadBalancer or NodePort with `externalTrafficPolicy: Cluster`, the default: a node that forwards a connection to another one
   * replaces the client's address (https://kubernetes.io, "Preserving the client source IP"); undefined = the user may not read Services.
   */
  readonly nodePortServices: readonly string[] | undefined;
}

type Gateway = Pick<TraefikGateway, "namespace" | "podLabels">;
/** What is read of the stack. */
interface Read {
  readonly gateway: Gateway;
  readonly identityProvider: Pick<Settings["identityProvider"], "namespace" | "service">;
}

/**
 * Reads the facts of the cluster of a kubeconfig's context, which is found as kubectl finds it.
 * @returns undefined when the cluster does not answer in time; the first resource reports why
 */
export async function clusterFacts(
  context: string,
  kinds: readonly CustomKind[],
  stack: Read,
): Promise<ClusterFacts | undefined> {
  const read = async (): Promise<ClusterFacts> => {
    const { kubeConfigFiles, mergedKubeConfig } = await import("../kubeConfig.ts");
    return readFacts(mergedKubeConfig(kubeConfigFiles(process.env), context), kinds, stack);
  };
  return pTimeout(
    read().catch(() => undefined),
    { milliseconds: MAX_API_RETRY_MS, message: false },
  );
}

/** Reads the facts that prerequisites compare. @throws Error of the client when the API server does not answer */
export async function readFacts(config: KubeConfig, kinds: readonly CustomKind[], stack: Read): Promise<ClusterFacts> {
  const { VersionApi } = await client();
  const groups = [...new Map(kinds.map(({ group, version }) => [group, version]))];
  const [{ gitVersion }, uid, served, traefik, identityService] = await Promise.all([
    config.makeApiClient(VersionApi).getCode(),
    readUid(config),
    Promise.all(groups.map(([group, version]) => kindsOf(config, group, version))),
    readTraefik(config, stack.gateway),
    readIdentityService(config, stack.identityProvider),
  ]);
  return { version: gitVersion, uid, kinds: served.flat(), traefik, identityService };
}

async function kindsOf(config: KubeConfig, group: string, version: string): Promise<string[]> {
  const { CustomObjectsApi } = await client();
  const list = await readable(config.makeApiClient(CustomObjectsApi).getAPIResources({ group, version }));
  return list?.resources.map(({ kind }) => `${group}/${version}/${kind}`) ?? [];
}

/** Returns the Traefik whose pods have the gateway's labels; undefined as in {@link ClusterFacts}. */
export async function readTraefik(
  config: KubeConfig,
  { namespace, podLabels }: Gateway,
): Promise<TraefikFacts | undefined> {
  const { CoreV1Api } = await client();
  const core = config.makeApiClient(CoreV1Api);
  const pods = await readable(core.listNamespacedPod({ namespace, labelSelector: selectorOf(podLabels) }));
  const containers = pods?.items.flatMap(({ spec }) => spec?.containers ?? []) ?? [];
  const container = containers.find(({ image = "" }) => /traefik/i.test(image)) ?? containers[0];
  if (container === undefined) return undefined;
  const [middleware, service, services] = await Promise.all([
    specSchema(config, "middlewares"),
    specSchema(config, "traefikservices"),
    readable(core.listNamespacedService({ namespace })),
  ]);
  const labels = pods?.items[0]?.metadata?.labels;
  const selects = (selector: Record<string, string> = {}): boolean =>
    Object.keys(selector).length > 0 && matchesLabels(selector, labels);
  return {
    pods: pods?.items.map(({ metadata }) => metadata?.name ?? "") ?? [],
    hostNetwork: pods?.items.some(({ spec }) => spec?.hostNetwork === true) ?? false,
    version: versionOf(container),
    args: container.args ?? [],
    forwardAuthFields: fieldNames(middleware?.["forwardAuth"]),
    failoverFields: fieldNames(service?.["failover"]?.properties?.["service"]),
    nodePortServices: services?.items
      .filter(({ spec }) => spec?.externalTrafficPolicy === "Cluster" && selects(spec.selector))
      .map(({ metadata }) => metadata?.name ?? ""),
  };
}

/** Returns the version of an image of the repository `traefik`, also of a mirror, e.g. `rancher/mirrored-library-traefik:3.7.8`. */
function versionOf({ image = "" }: Pick<V1Container, "image">): string | undefined {
  return /(?:^|\/)[\w-]*traefik:v?(\d+\.\d+\.\d+)/.exec(image)?.[1];
}

/** Returns the schemas of the fields of `spec` in a definition of Traefik. @param plural e.g. `middlewares` */
async function specSchema(config: KubeConfig, plural: string): Promise<V1JSONSchemaProps["properties"]> {
  const { ApiextensionsV1Api } = await client();
  const api = config.makeApiClient(ApiextensionsV1Api);
  const definition = await readable(api.readCustomResourceDefinition({ name: `${plural}.traefik.io` }));
  const schema = definition?.spec.versions.find(({ name }) => name === "v1alpha1")?.schema?.openAPIV3Schema;
  return schema?.properties?.["spec"]?.properties;
}

/** Returns the names of the fields of an object, or of each object of a list. */
function fieldNames(schema: V1JSONSchemaProps | undefined): string[] | undefined {
  const fields = schema?.properties ?? (schema?.items as V1JSONSchemaProps | undefined)?.properties;
  return fields && Object.keys(fields);
}

/** Returns the labels as the API's `labelSelector`. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  return labelTexts(labels).join(",");
}

/** Loads the client only when a cluster is read, since that takes long. */
function client(): Promise<typeof import("@kubernetes/client-node")> {
  return import("@kubernetes/client-node");
}
