import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { DataApi, PostgresServer } from "../../config/settings.ts";
import { labelsOf, resources, restrictedContainer, restrictedPod, withoutAwait } from "../pods.ts";
import { reveal } from "../secrets.ts";

const APP = "postgrest";
/** Never in a Service: its answers print the whole schema cache (field.md 3.1). */
const ADMIN_PORT = 3001;
const PORT = 3000;

export interface PostgrestArgs {
  readonly dataApi: DataApi;
  readonly server: PostgresServer;
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
    const connection = new k8s.core.v1.Secret(
      `${name}-connection`,
      { metadata, immutable: true, stringData: { PGRST_DB_URI: connectionUri(args) } },
      { parent: this },
    );
    new k8s.apps.v1.Deployment(
      `${name}-deployment`,
      {
        metadata: { ...metadata, name: APP, labels },
        spec: {
          replicas: args.dataApi.replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { ...restrictedPod, containers: [container(args, connection)] } },
        },
      },
      { parent: this },
    );
    new k8s.core.v1.Service(
      `${name}-service`,
      {
        metadata: { ...metadata, name: APP, labels, annotations: withoutAwait },
        spec: { selector: labels, ports: [{ name: "http", port: PORT, targetPort: PORT }] },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

function container(args: PostgrestArgs, connection: k8s.core.v1.Secret): k8s.types.input.core.v1.Container {
  return {
    name: APP,
    image: `postgrest/postgrest:${args.dataApi.version}`,
    env: Object.entries(postgrestSettings(args.dataApi, args.publicUrl)).map(([name, value]) => ({ name, value })),
    envFrom: [{ secretRef: { name: connection.metadata.name } }],
    ports: [
      { name: "http", containerPort: PORT },
      { name: "admin", containerPort: ADMIN_PORT },
    ],
    readinessProbe: { httpGet: { path: "/ready", port: ADMIN_PORT }, periodSeconds: 2 },
    livenessProbe: { httpGet: { path: "/live", port: ADMIN_PORT }, periodSeconds: 10 },
    resources: resources("100m", "64Mi", "512Mi"),
    securityContext: restrictedContainer,
  };
}

/**
 * PostgREST's settings, without the connection.
 * Cross-origin settings are left out on purpose: unset, every origin may read; the literal star would take the headers away (field.md 0, 2).
 */
export function postgrestSettings(dataApi: DataApi, publicUrl: string | undefined): Record<string, string> {
  return {
    PGRST_DB_SCHEMAS: dataApi.exposed.join(","),
    PGRST_DB_ANON_ROLE: dataApi.roles.anonymous,
    PGRST_DB_PRE_REQUEST: "gatehouse.pre_request",
    // Relations resolve in the selected schema alone: the default would add public, and pg_catalog is searched anyway.
    PGRST_DB_EXTRA_SEARCH_PATH: "pg_catalog",
    PGRST_DB_MAX_ROWS: String(dataApi.limits.maxRows),
    PGRST_DB_POOL: String(dataApi.limits.connections),
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

function connectionUri(args: PostgrestArgs): pulumi.Output<string> {
  const { host, port, sslmode } = args.server;
  const user = encodeURIComponent(args.dataApi.roles.authenticator);
  const password = reveal(args.dataApi.authenticatorPassword).apply(encodeURIComponent);
  return pulumi.interpolate`postgres://${user}:${password}@${host}:${port}/${args.database}?sslmode=${sslmode}`;
}
