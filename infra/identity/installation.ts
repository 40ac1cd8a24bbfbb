import assert from "node:assert";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import type { IdentityProvider, TraefikGateway } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { serviceUrl } from "../clusterIp.ts";
import { pinned } from "../images.ts";
import { gatewayPods, namespaced, allowIngressFrom } from "../network.ts";
import { AUTHENTIK_METRICS } from "../observability/targets.ts";
import { AUTHENTIK_APPS, AUTHENTIK_SERVICE } from "../plan/ownServices.ts";
import { deployment, disruptionBudgetOf, type Files, resources, serviceOf } from "../pods.ts";
import { mountedCertificates, type MountedCertificates } from "../postgres/rootCertificates.ts";
import type { Postgres } from "../postgres/postgres.ts";
import { resolveSecret } from "../secrets.ts";
import { FIRST_START_MINUTES, LISTEN, PROBES } from "./containers.ts";
import { AuthentikDatabase } from "./database.ts";
import { comparable, literalSetting } from "./secretRules.ts";
import { type BlueprintFile, BLUEPRINTS_FOLDER, serverSettings } from "./serverSettings.ts";

const { name: SERVER, port: HTTP_PORT } = AUTHENTIK_SERVICE;
/** Field of the stack file. */
const SECRET_KEY = "identity_provider.secret_key";
const HEALTHCHECK = { exec: { command: ["ak", "healthcheck"] } };

interface InstallationArgs {
  readonly provider: IdentityProvider;
  readonly cluster: Cluster;
  readonly postgres: Postgres;
  readonly gateway: TraefikGateway;
}

/** authentik in its namespace: server, worker, Service, and the database on the platform's Postgres. No Redis since 2025.10. */
export class Installation extends pulumi.ComponentResource {
  /** The Service's address; a cluster IP, so that the gateway needs no cluster DNS to reach it. */
  readonly url: pulumi.Output<string>;
  readonly workloads: readonly k8s.apps.v1.Deployment[];
  readonly service: k8s.core.v1.Service;
  readonly namespace: k8s.core.v1.Namespace;
  readonly namespaceName: string;
  /** Admits the gateway and pods of the namespace only. */
  readonly network: k8s.networking.v1.NetworkPolicy;
  /** What the worker applies. */
  readonly blueprint: BlueprintFile;

  constructor(name: string, args: InstallationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Installation", name, {}, opts);
    this.namespaceName = args.provider.namespace;
    this.namespace = args.cluster.namespace(args.provider.namespace, this);
    const { namespace } = this;
    const child = { parent: this, provider: args.cluster.provider };
    const environment = this.#environment(name, args, namespace, child);
    this.blueprint = serverSettings(args.provider.session);
    const blueprints = this.#blueprints(name, namespace, child);
    const certificates = mountedCertificates(name, args.postgres.server, namespace, child);
    this.network = this.#network(name, args, child);
    const timeout = `${FIRST_START_MINUTES}m`;
    const workload = (role: "server" | "worker"): k8s.apps.v1.Deployment => {
      const own = { namespace, environment, certificates, ...(role === "worker" && { blueprints }) };
      return new k8s.apps.v1.Deployment(`${name}-${role}`, workloadOf(role, args.provider, own), {
        ...child,
        dependsOn: this.network,
        customTimeouts: { create: timeout, update: timeout },
      });
    };

    this.workloads = [workload("server"), workload("worker")];
    this.#disruptionBudgets(name, child);
    this.service = new k8s.core.v1.Service(
      SERVER,
      serviceOf({ name: SERVER, namespace: namespace.metadata.name }, SERVER, HTTP_PORT),
      child,
    );
    this.url = serviceUrl(this.service, HTTP_PORT);
    this.registerOutputs({ url: this.url });
  }

  /** Creates the ConfigMap of blueprints, immutable and autonamed: a changed file restarts the worker, which applies changed files when it starts. */
  #blueprints(name: string, namespace: k8s.core.v1.Namespace, child: pulumi.CustomResourceOptions): Files {
    const { name: file, content } = this.blueprint;
    const configMap = new k8s.core.v1.ConfigMap(
      `${name}-blueprints`,
      { metadata: { namespace: namespace.metadata.name }, immutable: true, data: { [file]: content } },
      child,
    );
    return { folder: BLUEPRINTS_FOLDER, configMap: configMap.metadata.name, paths: { [file]: file } };
  }

  /** Creates disruption budgets: a drained node takes one pod at a time. */
  #disruptionBudgets(name: string, child: pulumi.CustomResourceOptions): void {
    for (const [role, app] of Object.entries(AUTHENTIK_APPS)) {
      new k8s.policy.v1.PodDisruptionBudget(
        `${name}-${role}-disruption`,
        disruptionBudgetOf(this.#metadata(app), app),
        child,
      );
    }
  }

  #network(
    name: string,
    { gateway, provider }: InstallationArgs,
    child: pulumi.CustomResourceOptions,
  ): k8s.networking.v1.NetworkPolicy {
    return new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      {
        metadata: this.#metadata("authentik"),
        spec: allowIngressFrom({}, HTTP_PORT, [gatewayPods(gateway), namespaced(provider.namespace)]),
      },
      child,
    );
  }

  #metadata(name: string): k8s.types.input.meta.v1.ObjectMeta {
    return { name, namespace: this.namespace.metadata.name };
  }

  /** The Secret with authentik's settings. Immutable: a changed value is a new Secret, and so a roll-out of the pods that read it. */
  #environment(
    name: string,
    { provider, postgres }: InstallationArgs,
    namespace: k8s.core.v1.Namespace,
    child: pulumi.CustomResourceOptions,
  ): k8s.core.v1.Secret {
    const { database: settings, adminPassword, secretKey } = provider;
    assert(settings && adminPassword && secretKey, "identity_provider lacks database, admin_password or secret_key");
    const database = new AuthentikDatabase(`${name}-db`, { database: settings, postgres }, { parent: this });
    const stringData = {
      AUTHENTIK_SECRET_KEY: resolveSecret(secretKey).apply((key) =>
        comparable(literalSetting(key, SECRET_KEY), SECRET_KEY),
      ),
      AUTHENTIK_BOOTSTRAP_EMAIL: provider.adminEmail,
      AUTHENTIK_BOOTSTRAP_PASSWORD: resolveSecret(adminPassword),
      AUTHENTIK_BOOTSTRAP_TOKEN: resolveSecret(provider.token),
      AUTHENTIK_POSTGRESQL__HOST: postgres.server.inCluster.host,
      AUTHENTIK_POSTGRESQL__PORT: String(postgres.server.inCluster.port),
      AUTHENTIK_POSTGRESQL__NAME: database.name,
      AUTHENTIK_POSTGRESQL__USER: database.user,
      AUTHENTIK_POSTGRESQL__PASSWORD: database.password,
      AUTHENTIK_POSTGRESQL__SSLMODE: postgres.server.inCluster.sslmode,
      ...REQUESTS_PER_WORKER,
    };
    return new k8s.core.v1.Secret(
      `${name}-environment`,
      { metadata: { namespace: namespace.metadata.name }, immutable: true, stringData },
      child,
    );
  }
}

/**
 * Number of requests after which a worker process of the server restarts, and the range of their random difference. A restart answers up to three requests
 * with 500, although their changes are in effect: 4 of 2,500 with the default of 1,000, after which a deployment fails (measured, docs/authentik.md). Each
 * outpost sends two requests a minute.
 */
const REQUESTS_PER_WORKER = { AUTHENTIK_WEB__MAX_REQUESTS: "50000", AUTHENTIK_WEB__MAX_REQUESTS_JITTER: "5000" };

/** Objects of the cluster that a pod reads. */
interface Objects {
  readonly namespace: k8s.core.v1.Namespace;
  readonly environment: k8s.core.v1.Secret;
  readonly certificates: MountedCertificates | undefined;
  readonly blueprints?: Files;
}

function workloadOf(
  role: "server" | "worker",
  provider: IdentityProvider,
  { namespace, environment, certificates, blueprints }: Objects,
): k8s.apps.v1.DeploymentArgs {
  const trust = certificates ? [{ name: "AUTHENTIK_POSTGRESQL__SSLROOTCERT", value: certificates.path }] : [];
  return deployment({
    app: AUTHENTIK_APPS[role],
    namespace: namespace.metadata.name,
    replicas: 1,
    container: {
      name: role,
      image: pinned(IMAGES.authentik(provider.version)),
      args: [role],
      envFrom: [{ secretRef: { name: environment.metadata.name } }],
      env: [...LISTEN, ...trust],
      ports: [{ name: "http", containerPort: HTTP_PORT }, AUTHENTIK_METRICS],
      ...probes(role),
      // Each uses up to 0.9 GiB, /dev/shm included (docs/authentik.md, Blueprints and start-up). A local cluster has 8 GB (docs/prerequisites.md).
      resources: resources("100m", "512Mi", "1536Mi"),
    },
    writable: [
      { path: "/dev/shm", memory: "256Mi" },
      // Compiled Python.
      { path: "/tmp" },
      // None at /data: authentik refuses uploads only where no volume is mounted (authentik 2026.5, admin/files/backends/file.py).
    ],
    files: [...(blueprints ? [blueprints] : []), ...(certificates ? [certificates.files] : [])],
  });
}

/**
 * Returns the probes of the official Helm chart, with more time for the first start. The worker's paths answer 200 to everything in 2026.5, so its
 * health is checked by `ak healthcheck`.
 */
function probes(
  role: "server" | "worker",
): Pick<k8s.types.input.core.v1.Container, `${"startup" | "readiness" | "liveness"}Probe`> {
  const ready = role === "server" ? { httpGet: { path: "/-/health/ready/", port: HTTP_PORT } } : HEALTHCHECK;
  const live = role === "server" ? { httpGet: { path: "/-/health/live/", port: HTTP_PORT } } : HEALTHCHECK;
  return {
    startupProbe: {
      ...live,
      ...PROBES.startup,
      failureThreshold: (FIRST_START_MINUTES * 60) / PROBES.startup.periodSeconds,
    },
    readinessProbe: { ...ready, ...PROBES.ready },
    livenessProbe: { ...live, ...PROBES.live },
  };
}
