import * as k8s from "@pulumi/kubernetes";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import { pinned } from "../images.ts";
import { containerDefaults, resources, restrictedPod, withoutAwait } from "../pods.ts";
import { NAME, PODS, PORT } from "./objects.ts";
import type { Parts, Workload } from "./workload.ts";
import { MAX_CONNECTIONS } from "../../config/sections/postgres/maxConnections.ts";

/** User `postgres` of the image, which is built on Alpine. */
const USER = 70;
/**
 * Parent of the data folder. The images declare volumes: `/var/lib/postgresql`, and that of Postgres 17 `/var/lib/postgresql/data`. A container
 * runtime mounts a new, empty one there for each container, also below another mount (measured on test/cluster with containerd 1.6).
 */
const MOUNT = "/srv/postgresql";
const SUPERUSER = "/etc/superuser";
/** Writable folders of the read-only image, and shared memory for parallel queries: the default of a container is 64 MB. */
const SCRATCH = { tmp: "/tmp", run: "/var/run/postgresql", shm: "/dev/shm" };

const labels = PODS.statefulset;

/**
 * One server on one volume, for development: an update restarts it. A failing `create role … password` must not reach its log.
 * The claim is a separate resource, so that it can be resized.
 */
export function deployStatefulSet({ name, install, namespace, superuser, child, kept }: Parts): Workload {
  const claim = new k8s.core.v1.PersistentVolumeClaim(
    `${name}-data`,
    {
      // A storage class may wait for the first pod, and the pod is what the deployment waits for.
      metadata: { name: `${NAME}-data`, namespace, labels, annotations: withoutAwait },
      spec: {
        accessModes: ["ReadWriteOnce"],
        ...(install.storageClass === undefined ? {} : { storageClassName: install.storageClass }),
        resources: { requests: { storage: install.size } },
      },
    },
    kept,
  );
  const headless = new k8s.core.v1.Service(
    `${name}-pods`,
    {
      metadata: { name: `${NAME}-pods`, namespace, labels, annotations: withoutAwait },
      spec: { clusterIP: "None", selector: labels, ports: [{ name: NAME, port: PORT, targetPort: PORT }] },
    },
    child,
  );
  const ready = new k8s.apps.v1.StatefulSet(
    `${name}-server`,
    {
      metadata: { name: NAME, namespace, labels },
      spec: {
        replicas: 1,
        // With the default, Kubernetes does not replace a pod that never became ready, even after a revert (measured with kube-controller-manager 1.36.3).
        podManagementPolicy: "Parallel",
        serviceName: headless.metadata.name,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod(install.version, superuser, claim) },
      },
    },
    // Kubernetes cannot change it, and a deployed server must not be replaced.
    { ...kept, ignoreChanges: ["spec.podManagementPolicy"] },
  );
  return { ready, primary: labels };
}

function pod(
  version: string,
  superuser: string,
  claim: k8s.core.v1.PersistentVolumeClaim,
): k8s.types.input.core.v1.PodSpec {
  const scratch = Object.keys(SCRATCH).map((name) => ({
    name,
    emptyDir: name === "shm" ? { medium: "Memory", sizeLimit: "256Mi" } : {},
  }));
  const user = { runAsUser: USER, runAsGroup: USER, fsGroup: USER, fsGroupChangePolicy: "OnRootMismatch" };
  return {
    ...restrictedPod,
    securityContext: { ...restrictedPod.securityContext, ...user },
    // A shutdown writes a checkpoint first.
    terminationGracePeriodSeconds: 60,
    containers: [container(version)],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: claim.metadata.name } },
      { name: "superuser", secret: { secretName: superuser } },
      ...scratch,
    ],
  };
}

function container(version: string): k8s.types.input.core.v1.Container {
  const settings = {
    max_connections: String(MAX_CONNECTIONS),
    password_encryption: "scram-sha-256",
    log_min_error_statement: "panic",
  };
  const exec = { command: ["pg_isready", "--host=127.0.0.1", "--username=postgres", "--quiet"] };
  return {
    name: NAME,
    image: pinned(IMAGES.postgres(version)),
    args: Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
    env: [
      { name: "POSTGRES_PASSWORD_FILE", value: `${SUPERUSER}/password` },
      // Fixed, whatever the version: another major one refuses these files, instead of beginning with none.
      { name: "PGDATA", value: `${MOUNT}/data` },
      { name: "POSTGRES_HOST_AUTH_METHOD", value: "scram-sha-256" },
      {
        name: "POSTGRES_INITDB_ARGS",
        value:
          "--auth-host=scram-sha-256 --auth-local=peer --encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8",
      },
    ],
    ports: [{ name: NAME, containerPort: PORT }],
    readinessProbe: { exec, periodSeconds: 5, timeoutSeconds: 3 },
    // The first start makes the cluster, a later one may replay the log of a crash.
    startupProbe: { exec, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 120 },
    livenessProbe: { exec, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    resources: resources("100m", "256Mi", "1Gi"),
    ...containerDefaults,
    volumeMounts: [
      { name: "data", mountPath: MOUNT },
      { name: "superuser", mountPath: SUPERUSER, readOnly: true },
      ...Object.entries(SCRATCH).map(([name, mountPath]) => ({ name, mountPath })),
    ],
  };
}
