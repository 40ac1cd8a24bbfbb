import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import type { DataApi, TraefikGateway } from "../../config/settings.ts";
import { pinned } from "../images.ts";
import { gatewayPods, allowEgressTo, allowIngressFrom } from "../network.ts";
import { POSTGREST_ADMIN } from "../observability/targets.ts";
import { DATA_API_SERVICE } from "../plan/ownServices.ts";
import { OPENAPI_SCHEMA } from "../plan/grants.ts";
import { type PostgresConnection, readingUri } from "../postgres/connection.ts";
import { libpqEnvironment, type MountedCertificates } from "../postgres/rootCertificates.ts";
import { resolveSecret } from "../secrets.ts";
import { deployment, disruptionBudgetOf, labelsOf, resources, serviceOf, STARTUP, type Workload } from "../pods.ts";

const { name: APP, port: PORT } = DATA_API_SERVICE;
/** Never in a Service: it shows its settings and the whole schema cache without authentication (docs/postgrest.md). */
const ADMIN_PORT = POSTGREST_ADMIN.containerPort;

interface PostgrestArgs {
  readonly dataApi: DataApi;
  readonly gateway: TraefikGateway;
  readonly server: PostgresConnection;
  readonly certificates: MountedCertificates | undefined;
  readonly namespace: k8s.core.v1.Namespace;
  readonly database: pulumi.Output<string>;
  /** The address that the API's own description names. */
  readonly publicUrl: string | undefined;
}

/** PostgREST over the exposed schemas, as the anonymous role. */
export class Postgrest extends pulumi.ComponentResource {
  constructor(name: string, args: PostgrestArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:Postgrest", name, {}, opts);
    const metadata = { namespace: args.namespace.metadata.name };
    const labels = labelsOf(APP);
    const own = { ...metadata, name: APP, labels };
    const child = { parent: this };
    const connection = new k8s.core.v1.Secret(
      `${name}-connection`,
      // The password is separate from the address, since `/config` of the admin port shows the address (libpq, "Environment Variables").
      {
        metadata,
        immutable: true,
        stringData: {
          PGRST_DB_URI: connectionUri(args),
          PGPASSWORD: resolveSecret(args.dataApi.authenticatorPassword),
        },
      },
      child,
    );
    const workload = {
      app: APP,
      namespace: args.namespace.metadata.name,
      replicas: args.dataApi.replicas,
      container: container(args, connection),
      ...(args.certificates && { files: [args.certificates.files] }),
      spread: true,
    };
    const gatewayOnly = allowIngressFrom(labels, PORT, [gatewayPods(args.gateway)]);
    const network = new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      { metadata: own, spec: allowEgressTo(gatewayOnly, args.server.inCluster) },
      child,
    );
    // The autoscaler changes the number of replicas.
    new k8s.apps.v1.Deployment(`${name}-deployment`, deployment(workload), {
      ...child,
      dependsOn: network,
      ignoreChanges: ["spec.replicas"],
    });
    new k8s.autoscaling.v2.HorizontalPodAutoscaler(
      `${name}-autoscaler`,
      { metadata: own, spec: autoscaler(args) },
      child,
    );
    new k8s.policy.v1.PodDisruptionBudget(`${name}-disruption`, disruptionBudgetOf(own, APP), child);
    new k8s.core.v1.Service(`${name}-service`, serviceOf(own, APP, PORT), child);
    this.registerOutputs({});
  }
}

/** Returns a spec that adds pods while those that run use most of their CPU. */
function autoscaler({ dataApi }: PostgrestArgs): k8s.types.input.autoscaling.v2.HorizontalPodAutoscalerSpec {
  return {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: APP },
    minReplicas: dataApi.replicas,
    maxReplicas: dataApi.maxReplicas,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } }],
  };
}

function container(args: PostgrestArgs, connection: k8s.core.v1.Secret): Workload["container"] {
  const settings = Object.entries(postgrestSettings(args.dataApi, args.publicUrl));
  return {
    name: APP,
    image: pinned(IMAGES.postgrest(args.dataApi.version)),
    env: [...settings.map(([name, value]) => ({ name, value })), ...libpqEnvironment(args.certificates)],
    envFrom: [{ secretRef: { name: connection.metadata.name } }],
    ports: [{ name: "http", containerPort: PORT }, POSTGREST_ADMIN],
    startupProbe: { httpGet: { path: "/live", port: ADMIN_PORT }, ...STARTUP },
    readinessProbe: { httpGet: { path: "/ready", port: ADMIN_PORT }, periodSeconds: 2 },
    livenessProbe: { httpGet: { path: "/live", port: ADMIN_PORT }, periodSeconds: 10 },
    resources: resources("100m", "64Mi", "512Mi"),
  };
}

/**
 * Returns the settings of PostgREST, without the connection. The setting for CORS is not among them: without it, every origin may read; with `*`,
 * PostgREST sends no headers for CORS.
 */
function postgrestSettings(dataApi: DataApi, publicUrl: string | undefined): Record<string, string> {
  return {
    // The gateway names the schema of each request, and the last one for its own path alone.
    PGRST_DB_SCHEMAS: [...dataApi.exposed, OPENAPI_SCHEMA].join(","),
    PGRST_DB_ANON_ROLE: dataApi.roles.anonymous,
    PGRST_DB_PRE_REQUEST: "gatehouse.pre_request",
    // Relations resolve in the selected schema alone: the default would add public. pg_catalog is searched first, unless it is named here: a relation
    // `date` would then hide the type.
    PGRST_DB_EXTRA_SEARCH_PATH: OPENAPI_SCHEMA,
    PGRST_DB_MAX_ROWS: String(dataApi.limits.maxRows),
    PGRST_DB_POOL: String(dataApi.limits.connections),
    // Seconds to wait for a free connection before 504: clients that wait longer only make the queue longer.
    PGRST_DB_POOL_ACQUISITION_TIMEOUT: "5",
    // The database must not be able to override any of this.
    PGRST_DB_CONFIG: "false",
    PGRST_DB_AGGREGATES_ENABLED: "false",
    PGRST_DB_PLAN_ENABLED: "false",
    PGRST_OPENAPI_MODE: "follow-privileges",
    PGRST_SERVER_PORT: String(PORT),
    PGRST_ADMIN_SERVER_PORT: String(ADMIN_PORT),
    ...(publicUrl === undefined ? {} : { PGRST_OPENAPI_SERVER_PROXY_URI: publicUrl }),
  };
}

function connectionUri({ server, dataApi, database }: PostgrestArgs): pulumi.Output<string> {
  return readingUri(server, dataApi.version, { user: dataApi.roles.authenticator, database });
}
