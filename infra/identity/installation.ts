import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityProvider, TraefikGateway } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { pinned } from "../images.ts";
import { onlyFrom } from "../network.ts";
import { AUTHENTIK_METRICS } from "../observability/targets.ts";
import { AUTHENTIK_SERVICE } from "../plan/exposures.ts";
import { outpostName } from "../plan/names.ts";
import { deployment, labelsOf, resources, serviceOf } from "../pods.ts";
import type { Postgres } from "../postgres.ts";
import { reveal } from "../secrets.ts";
import { AuthentikDatabase } from "./database.ts";

const { name: SERVER, port: HTTP_PORT } = AUTHENTIK_SERVICE;

export interface InstallationArgs {
  readonly provider: IdentityProvider;
  readonly cluster: Cluster;
  readonly postgres: Postgres;
  readonly gateway: TraefikGateway;
  /** Numbers of the dedicated outposts, which run beside the server. */
  readonly outposts: readonly number[];
}

/** authentik in its namespace: server, worker, Service, and the database on the platform's Postgres. No Redis since 2025.10. */
export class Installation extends pulumi.ComponentResource {
  /** The Service's address; a cluster IP, so that the gateway needs no cluster DNS to ask it. */
  readonly url: pulumi.Output<string>;
  readonly workloads: readonly k8s.apps.v1.Deployment[];
  readonly service: k8s.core.v1.Service;
  readonly namespace: k8s.core.v1.Namespace;
  readonly namespaceName: string;
  readonly kubernetes: k8s.Provider;
  readonly #outposts: ReadonlyMap<number, k8s.core.v1.Service>;

  constructor(name: string, args: InstallationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Installation", name, {}, opts);
    this.namespaceName = args.provider.namespace;
    this.namespace = args.cluster.namespace(args.provider.namespace, this);
    const { namespace } = this;
    const child = { parent: this, provider: args.cluster.provider };
    const environment = this.#environment(name, args, namespace, child);
    const workload = (role: "server" | "worker"): k8s.apps.v1.Deployment =>
      new k8s.apps.v1.Deployment(`${name}-${role}`, workloadOf(role, args.provider, namespace, environment), child);

    this.kubernetes = args.cluster.provider;
    this.workloads = [workload("server"), workload("worker")];
    this.#availability(name, args, child);
    const service = (app: string): k8s.core.v1.Service =>
      new k8s.core.v1.Service(app, serviceOf({ name: app, namespace: namespace.metadata.name }, app, HTTP_PORT), child);
    this.service = service(SERVER);
    this.#outposts = new Map(args.outposts.map((number) => [number, service(outpostName(number))]));
    this.url = addressOf(this.service);
    this.registerOutputs({ url: this.url });
  }

  /**
   * Where an outpost answers; 0 = the embedded one, which is the server itself.
   * @throws when the stack has no such outpost
   */
  outpostUrl(number: number): pulumi.Output<string> {
    if (number === 0) return this.url;
    const service = this.#outposts.get(number);
    if (!service) {
      throw new pulumi.InputPropertyError({ propertyPath: "outposts", reason: `there is no outpost ${number}` });
    }
    return addressOf(service);
  }

  /** A drained node takes one pod at a time, and only the gateway and what runs beside it may connect. */
  #availability(name: string, { gateway, provider }: InstallationArgs, child: pulumi.CustomResourceOptions): void {
    const { namespace } = this;
    const metadata = (of: string) => ({ name: of, namespace: namespace.metadata.name });
    for (const role of ["server", "worker"]) {
      const app = `authentik-${role}`;
      new k8s.policy.v1.PodDisruptionBudget(
        `${name}-${role}-disruption`,
        { metadata: metadata(app), spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(app) } } },
        child,
      );
    }
    new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      { metadata: metadata("authentik"), spec: onlyFrom({}, HTTP_PORT, [gateway.namespace, provider.namespace]) },
      child,
    );
  }

  /** The Secret with authentik's settings. Immutable: a changed value is a new Secret, and so a roll-out of the pods that read it. */
  #environment(
    name: string,
    { provider, postgres }: InstallationArgs,
    namespace: k8s.core.v1.Namespace,
    child: pulumi.CustomResourceOptions,
  ): k8s.core.v1.Secret {
    if (!provider.database || !provider.adminPassword || !provider.secretKey) {
      throw new pulumi.InputPropertyError({
        propertyPath: "provider",
        reason: "installing authentik needs database, admin_password and secret_key under gatehouse:identity_provider",
      });
    }
    const database = new AuthentikDatabase(`${name}-db`, { database: provider.database, postgres }, { parent: this });
    const stringData = {
      AUTHENTIK_SECRET_KEY: reveal(provider.secretKey),
      AUTHENTIK_BOOTSTRAP_EMAIL: provider.adminEmail,
      AUTHENTIK_BOOTSTRAP_PASSWORD: reveal(provider.adminPassword),
      AUTHENTIK_BOOTSTRAP_TOKEN: reveal(provider.token),
      AUTHENTIK_POSTGRESQL__HOST: postgres.server.inCluster.host,
      AUTHENTIK_POSTGRESQL__PORT: String(postgres.server.inCluster.port),
      AUTHENTIK_POSTGRESQL__NAME: database.name,
      AUTHENTIK_POSTGRESQL__USER: database.user,
      AUTHENTIK_POSTGRESQL__PASSWORD: database.password,
      AUTHENTIK_POSTGRESQL__SSLMODE: postgres.server.inCluster.sslmode,
    };
    return new k8s.core.v1.Secret(
      `${name}-environment`,
      { metadata: { namespace: namespace.metadata.name }, immutable: true, stringData },
      child,
    );
  }
}

function addressOf(service: k8s.core.v1.Service): pulumi.Output<string> {
  return pulumi.interpolate`http://${service.spec.clusterIP}:${HTTP_PORT}`;
}

function workloadOf(
  role: "server" | "worker",
  provider: IdentityProvider,
  namespace: k8s.core.v1.Namespace,
  environment: k8s.core.v1.Secret,
): k8s.apps.v1.DeploymentArgs {
  const httpGet = { path: "/-/health/ready/", port: HTTP_PORT };
  return deployment({
    app: `authentik-${role}`,
    namespace: namespace.metadata.name,
    replicas: 1,
    container: {
      name: role,
      image: pinned(`ghcr.io/goauthentik/server:${provider.version}`),
      args: [role],
      envFrom: [{ secretRef: { name: environment.metadata.name } }],
      ports: [{ name: "http", containerPort: HTTP_PORT }, AUTHENTIK_METRICS],
      readinessProbe: { httpGet, periodSeconds: 5 },
      startupProbe: { httpGet, periodSeconds: 5, failureThreshold: 60 },
      livenessProbe: { httpGet: { path: "/-/health/live/", port: HTTP_PORT }, periodSeconds: 10 },
      // 8 GB is the recommended size of a local cluster (spec 000, Limits); both together stay under 2.5.
      resources: resources("100m", "512Mi", "1280Mi"),
    },
    // The server compiles Python and keeps uploads there.
    writesTmp: true,
  });
}
