import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityProvider } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { labelsOf, resources, restrictedContainer, restrictedPod, withoutAwait } from "../pods.ts";
import type { Postgres } from "../postgres.ts";
import { reveal } from "../secrets.ts";
import { AuthentikDatabase } from "./database.ts";

/** authentik's HTTP listener (authentik docs, "Ports"). */
export const HTTP_PORT = 9000;
/** Name of the Service in the identity provider's namespace; routes point at it. */
export const SERVICE_NAME = "authentik-server";

export interface InstallationArgs {
  readonly provider: IdentityProvider;
  readonly cluster: Cluster;
  readonly postgres: Postgres;
}

/** authentik in its namespace: server, worker, Service, and the database on the platform's Postgres. No Redis since 2025.10. */
export class Installation extends pulumi.ComponentResource {
  /** The Service's address; a cluster IP, so that the gateway needs no cluster DNS to ask it. */
  readonly url: pulumi.Output<string>;
  readonly workloads: readonly k8s.apps.v1.Deployment[];
  readonly service: k8s.core.v1.Service;
  readonly namespace: k8s.core.v1.Namespace;
  readonly namespaceName: string;

  constructor(name: string, args: InstallationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Installation", name, {}, opts);
    this.namespaceName = args.provider.namespace;
    this.namespace = args.cluster.namespace(args.provider.namespace, this);
    const { namespace } = this;
    const child = { parent: this, provider: args.cluster.provider };
    const environment = this.#environment(name, args, namespace, child);
    const workload = (role: "server" | "worker"): k8s.apps.v1.Deployment =>
      new k8s.apps.v1.Deployment(`${name}-${role}`, deployment(role, args.provider, namespace, environment), child);

    this.workloads = [workload("server"), workload("worker")];
    this.service = new k8s.core.v1.Service(
      SERVICE_NAME,
      {
        metadata: { name: SERVICE_NAME, namespace: namespace.metadata.name, annotations: withoutAwait },
        spec: {
          selector: labelsOf("authentik-server"),
          ports: [{ name: "http", port: HTTP_PORT, targetPort: HTTP_PORT }],
        },
      },
      child,
    );
    this.url = pulumi.interpolate`http://${this.service.spec.clusterIP}:${HTTP_PORT}`;
    this.registerOutputs({ url: this.url });
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
      AUTHENTIK_POSTGRESQL__HOST: postgres.server.host,
      AUTHENTIK_POSTGRESQL__PORT: String(postgres.server.port),
      AUTHENTIK_POSTGRESQL__NAME: database.name,
      AUTHENTIK_POSTGRESQL__USER: database.user,
      AUTHENTIK_POSTGRESQL__PASSWORD: database.password,
      AUTHENTIK_POSTGRESQL__SSLMODE: postgres.server.sslmode,
    };
    return new k8s.core.v1.Secret(
      `${name}-environment`,
      { metadata: { namespace: namespace.metadata.name }, immutable: true, stringData },
      child,
    );
  }
}

function deployment(
  role: "server" | "worker",
  provider: IdentityProvider,
  namespace: k8s.core.v1.Namespace,
  environment: k8s.core.v1.Secret,
): k8s.apps.v1.DeploymentArgs {
  const app = `authentik-${role}`;
  const labels = labelsOf(app);
  const httpGet = { path: "/-/health/ready/", port: HTTP_PORT };
  return {
    metadata: { name: app, namespace: namespace.metadata.name, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...restrictedPod,
          containers: [
            {
              name: role,
              image: `ghcr.io/goauthentik/server:${provider.version}`,
              args: [role],
              envFrom: [{ secretRef: { name: environment.metadata.name } }],
              ports: [{ name: "http", containerPort: HTTP_PORT }],
              readinessProbe: { httpGet, periodSeconds: 5 },
              startupProbe: { httpGet, periodSeconds: 5, failureThreshold: 60 },
              // 8 GB is the recommended size of a local cluster (spec 000, Limits); both together stay under 2.5.
              resources: resources("100m", "512Mi", "1280Mi"),
              // The server compiles Python and keeps uploads: it needs a writable /tmp, and nothing else.
              securityContext: restrictedContainer,
              volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
            },
          ],
          volumes: [{ name: "tmp", emptyDir: {} }],
        },
      },
    },
  };
}
