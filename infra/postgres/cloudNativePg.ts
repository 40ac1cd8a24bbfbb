import * as k8s from "@pulumi/kubernetes";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import type { PostgresInstallation } from "../../config/settings.ts";
import type { ClusterSpec } from "../../sdks/cloudnativepg/index.d.ts";
import { pinned } from "../images.ts";
import { CLOUDNATIVEPG_METRICS } from "../observability/targets.ts";
import { resources } from "../pods.ts";
import { NAME, PODS } from "./objects.ts";
import type { Parts, Workload } from "./workload.ts";
import { MAX_CONNECTIONS } from "../../config/sections/postgres/maxConnections.ts";

const LABELS = PODS.cloudnativepg;

/**
 * A primary and its read replicas, by the operator CloudNativePG, which must be installed. The operator creates restricted pods,
 * volumes, Services, certificates and disruption budgets, and replaces a failed primary.
 */
export function deployCloudNativePg({ name, install, namespace, superuser, child, kept }: Parts): Workload {
  const ready = new k8s.apiextensions.CustomResource(
    `${name}-server`,
    {
      apiVersion: "postgresql.cnpg.io/v1",
      kind: "Cluster",
      metadata: { name: NAME, namespace, annotations: { "pulumi.com/waitFor": "condition=Ready" } },
      spec: { ...clusterSpec(install), superuserSecret: { name: superuser } },
    },
    kept,
  );
  if (install.monitoring !== undefined) {
    new k8s.apiextensions.CustomResource(
      `${name}-metrics`,
      {
        apiVersion: "monitoring.coreos.com/v1",
        kind: "PodMonitor",
        metadata: { name: NAME, namespace },
        spec: { selector: { matchLabels: LABELS }, podMetricsEndpoints: [{ port: CLOUDNATIVEPG_METRICS.name }] },
      },
      child,
    );
  }
  const host = (service: string): string => `${NAME}-${service}.${install.namespace}.svc`;
  return {
    ready,
    primary: { ...LABELS, "cnpg.io/instanceRole": "primary" },
    hosts: { primary: host("rw"), replicas: install.instances > 1 ? host("ro") : undefined },
  };
}

/** Returns `spec` of the Cluster without the Secret of its superuser. */
export function clusterSpec({
  instances,
  version,
  size,
  storageClass,
}: Pick<PostgresInstallation, "instances" | "version" | "size" | "storageClass">): ClusterSpec {
  return {
    instances,
    imageName: pinned(IMAGES.cloudNativePg(version)),
    enableSuperuserAccess: true,
    storage: { size, ...(storageClass === undefined ? {} : { storageClass }) },
    bootstrap: { initdb: { dataChecksums: true, localeProvider: "builtin", builtinLocale: "C.UTF-8", locale: "C" } },
    postgresql: {
      parameters: {
        max_connections: String(MAX_CONNECTIONS),
        password_encryption: "scram-sha-256",
        log_min_error_statement: "panic",
      },
      // After the operator's first rules, before its last one, which accepts passwords without TLS.
      // A port forward of kubectl ends in the pod, at its loopback address.
      pg_hba: [
        "hostnossl all all 127.0.0.1/32 scram-sha-256",
        "hostnossl all all all reject",
        "hostssl all all all scram-sha-256",
      ],
      // With all replicas, a commit that waits until they have applied it (remote_apply) is visible to the next read. With fewer
      // replicas available, the operator reduces the number.
      ...(instances > 1 && { synchronous: { method: "any", number: instances - 1, dataDurability: "preferred" } }),
    },
    affinity: {
      enablePodAntiAffinity: true,
      podAntiAffinityType: "preferred",
      topologyKey: "kubernetes.io/hostname",
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: LABELS },
      },
    ],
    resources: resources("250m", "512Mi", "2Gi"),
    // For one instance, the budget permits no eviction: a drain of its node would wait without end.
    enablePDB: instances > 1,
    // A smart shutdown refuses new connections and waits for the pools of authentik and PostgREST, which never disconnect: 180 s by default.
    smartShutdownTimeout: 0,
  };
}
