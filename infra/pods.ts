/** Settings of all pods of the stack: the Pod Security Standard "restricted" of Kubernetes, and more than it requires. */
import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { PORT_NAME } from "./plan/objectNames.ts";

type PodSecurityContext = k8s.types.input.core.v1.PodSecurityContext;
type Container = k8s.types.input.core.v1.Container;
type Resources = k8s.types.input.core.v1.ResourceRequirements;

/** Fields of `spec.template.spec`: no service account token, not root, the runtime's seccomp profile. */
export const restrictedPod = {
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 1000,
    runAsGroup: 1000,
    fsGroup: 1000,
    seccompProfile: { type: "RuntimeDefault" },
  } satisfies PodSecurityContext,
};

/** Seconds for which a deleted pod still serves. */
const PRE_STOP_SECONDS = 5;

/** Fields of each container. The last log lines of a failed one are in its status, from which the Kubernetes provider copies them into its error. */
export const containerDefaults = {
  terminationMessagePolicy: "FallbackToLogsOnError",
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    readOnlyRootFilesystem: true,
  },
} satisfies Partial<Container>;

/**
 * Requests and limits of one container. Memory is bounded; CPU is only requested, so that an idle node serves a burst.
 * @param cpu e.g. `100m`
 * @param memory request, e.g. `64Mi`
 * @param limit memory limit, e.g. `256Mi`
 */
export function resources(cpu: string, memory: string, limit: string) {
  return { requests: { cpu, memory }, limits: { memory: limit } } satisfies Resources;
}

/**
 * Startup probe of a container with a liveness probe: 5 minutes to start. A liveness probe alone ended a catalog that had not started after 30 s on
 * a busy node, next to the first start of authentik (measured).
 */
export const STARTUP = { periodSeconds: 1, failureThreshold: 300 };

/** Returns the labels that select the pods of one workload. */
export function labelsOf(app: string): Record<string, string> {
  return { "app.kubernetes.io/name": app, "app.kubernetes.io/part-of": "gatehouse" };
}

/** Pods with one container. */
export interface Workload {
  /** Name of the Deployment, and the label that selects its pods. */
  readonly app: string;
  readonly namespace: pulumi.Input<string>;
  readonly replicas: number;
  readonly container: Omit<Container, keyof typeof containerDefaults | "lifecycle" | "volumeMounts">;
  /** Folders that the container writes to; everything else is read-only. Default: none. */
  readonly writable?: readonly Writable[];
  /** Files that it reads. Default: none. */
  readonly files?: readonly Files[];
  /** Keeps its pods on different nodes, where there are several, and all of them serving during a roll-out. */
  readonly spread?: boolean;
}

/** An empty folder with the lifetime of the pod (`emptyDir`). */
interface Writable {
  readonly path: string;
  /** Keeps the folder in memory, up to this size, e.g. `64Mi`; counts towards the container's memory limit. Default: on disk. */
  readonly memory?: string;
}

/** Files of a ConfigMap, below one folder. */
export interface Files {
  readonly folder: string;
  readonly configMap: pulumi.Input<string>;
  /** Path below the folder, by key; a key has no slashes. */
  readonly paths: Readonly<Record<string, string>>;
}

/**
 * Returns the Deployment of a workload, restricted as above. A pod that is deleted serves for 5 s more, because proxies remove its address only after it
 * was deleted: without that 1 of 6,623 requests to authentik failed during a rollout. The `sleep` action needs Kubernetes 1.30.
 */
export function deployment(workload: Workload): k8s.apps.v1.DeploymentArgs {
  const { app, namespace, replicas, container, spread = false } = workload;
  const labels = labelsOf(app);
  const { volumeMounts, volumes } = volumesOf(workload);
  const lifecycle = { preStop: { sleep: { seconds: PRE_STOP_SECONDS } } };
  const containers = [{ ...container, lifecycle, ...(volumes.length > 0 && { volumeMounts }), ...containerDefaults }];
  return {
    metadata: { name: app, namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      ...(spread ? { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } } : {}),
      template: {
        metadata: { labels },
        spec: {
          ...restrictedPod,
          containers,
          ...(volumes.length > 0 && { volumes }),
          ...(spread ? { topologySpreadConstraints: [apart(labels)] } : {}),
        },
      },
    },
  };
}

interface Volumes {
  readonly volumeMounts: k8s.types.input.core.v1.VolumeMount[];
  readonly volumes: k8s.types.input.core.v1.Volume[];
}

/** Returns the mounts of a container and the volumes of its pod; each is named after its folder. */
export function volumesOf({ writable = [], files = [] }: Pick<Workload, "writable" | "files">): Volumes {
  const nameOf = (folder: string): string => folder.slice(1).replaceAll("/", "-");
  return {
    volumeMounts: [
      ...writable.map(({ path }) => ({ name: nameOf(path), mountPath: path })),
      ...files.map(({ folder }) => ({ name: nameOf(folder), mountPath: folder, readOnly: true })),
    ],
    volumes: [
      ...writable.map(({ path, memory }) => {
        const emptyDir = memory === undefined ? {} : { medium: "Memory", sizeLimit: memory };
        return { name: nameOf(path), emptyDir };
      }),
      ...files.map(({ folder, configMap, paths }) => {
        const items = Object.entries(paths).map(([key, path]) => ({ key, path }));
        return { name: nameOf(folder), configMap: { name: configMap, items } };
      }),
    ],
  };
}

function apart(labels: Record<string, string>): k8s.types.input.core.v1.TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: "kubernetes.io/hostname",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: labels },
  };
}

/** Returns the Service of the pods of a workload, which serve HTTP. */
export function serviceOf(
  metadata: k8s.types.input.meta.v1.ObjectMeta,
  app: string,
  port: number,
  targetPort = port,
): k8s.core.v1.ServiceArgs {
  const ports = [{ name: PORT_NAME, port, targetPort }];
  return { metadata: { ...metadata, annotations: withoutAwait }, spec: { selector: labelsOf(app), ports } };
}

/** Returns a budget that keeps all pods of a workload but one, e.g. while a node is drained. */
export function disruptionBudgetOf(
  metadata: k8s.types.input.meta.v1.ObjectMeta,
  app: string,
): k8s.policy.v1.PodDisruptionBudgetArgs {
  return { metadata, spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(app) } } };
}

/**
 * Annotation of every Service. The Kubernetes provider waits for the Deployment, so it need not wait for EndpointSlices, which a cluster with
 * loopback addresses never has.
 */
export const withoutAwait = { "pulumi.com/skipAwait": "true" };
