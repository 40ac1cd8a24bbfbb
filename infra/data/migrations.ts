import { readdirSync, readFileSync } from "node:fs";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import { MAX_ORDERED, MAX_SELECTED } from "../../config/sections/dataApi/limits.ts";
import { pinned } from "../images.ts";
import type { DataPlan, SchemaPlan } from "../plan/types.ts";
import type { PostgresConnection } from "../postgres/connection.ts";
import { libpqEnvironment, type MountedCertificates } from "../postgres/rootCertificates.ts";
import { containerDefaults, labelsOf, resources, restrictedPod, volumesOf } from "../pods.ts";
import { resolveSecret } from "../secrets.ts";
import { shortHash } from "../shortHash.ts";

const FOLDER = new URL("sql/", import.meta.url);
const MOUNT = "/sql";
/** Fields of the Job that a change of the connection changes. */
const CONNECTION = [
  ...["env", "envFrom", "volumeMounts"].map((key) => `spec.template.spec.containers[0].${key}`),
  "spec.template.spec.volumes",
];
/**
 * Starts psql when the server accepts connections, or after 120 attempts, so that its own error is in the log. A NetworkPolicy controller
 * admits the address of a new pod up to 216 ms after its start (measured), and each retry of a Job is a new pod.
 */
const WAIT_FOR_SERVER = `
for attempt in $(seq 120); do
  pg_isready --quiet --timeout=1 && break
  [ $((attempt % 10)) -eq 0 ] && echo "waiting for $PGHOST:$PGPORT, attempt $attempt of 120" >&2
  sleep 1
done
exec psql "$@"
`;

interface MigrationsArgs {
  readonly plan: DataPlan;
  readonly namespace: k8s.core.v1.Namespace;
  readonly server: PostgresConnection;
  readonly certificates: MountedCertificates | undefined;
  readonly database: pulumi.Output<string>;
}

/**
 * Creates functions and event triggers of the data API, which the Postgres provider does not support: a Job runs the SQL files in the order of their
 * names, in one transaction under a lock. A preview shows their text. A changed text or variable creates a new Job. Each file can run again, so an
 * interrupted run is repeated completely.
 */
export class Migrations extends pulumi.ComponentResource {
  constructor(name: string, args: MigrationsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:Migrations", name, {}, opts);
    const files = readMigrations();
    const variables = migrationVariables(args.plan);
    // Of the connection, only what selects the database: another password must not run the migrations again.
    const { host, port } = args.server.inCluster;
    const hash = pulumi
      .output(host)
      .apply((address) =>
        shortHash(JSON.stringify({ ...files, ...variables, server: [address, port, args.plan.database] })),
      );
    const metadata = { namespace: args.namespace.metadata.name };
    const sql = new k8s.core.v1.ConfigMap(`${name}-sql`, { metadata, immutable: true, data: files }, { parent: this });
    const connection = new k8s.core.v1.Secret(
      `${name}-connection`,
      {
        metadata,
        immutable: true,
        stringData: {
          PGHOST: args.server.inCluster.host,
          PGPORT: String(args.server.inCluster.port),
          PGUSER: args.server.user,
          PGPASSWORD: resolveSecret(args.server.password),
          PGDATABASE: args.database,
          PGSSLMODE: args.server.inCluster.sslmode,
        },
      },
      { parent: this },
    );
    new k8s.batch.v1.Job(
      `${name}-job`,
      {
        metadata: {
          ...metadata,
          // A Job that failed stays failed; this makes the next run start a new one.
          annotations: { "pulumi.com/replaceUnready": "true" },
        },
        spec: {
          // A failure is an error of the SQL; a retry would only hide it longer.
          backoffLimit: 1,
          template: {
            // A template is immutable, so another text is another Job, also when a failed deployment's text is reverted.
            metadata: { labels: labelsOf("migrations"), annotations: { "gatehouse/sql": hash } },
            spec: pod(Object.keys(files), variables, { sql, connection, certificates: args.certificates }),
          },
        },
      },
      // Another password or root certificate is another Secret or ConfigMap; that alone must not run the migrations again.
      { parent: this, ignoreChanges: CONNECTION },
    );
    this.registerOutputs({});
  }
}

/** Returns the text of each SQL file by its name, in the order in which they run. */
export function readMigrations(): Record<string, string> {
  const names = readdirSync(FOLDER)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, FOLDER), "utf8")]));
}

/** Returns the variables that the files contain as `:'name'` or `:"name"`; items of lists are separated by commas. */
export function migrationVariables({ roles, schemas, limits, existing, writers }: DataPlan): Record<string, string> {
  const named = (access: SchemaPlan["access"]): string[] =>
    schemas.filter((schema) => schema.access === access).map(({ name }) => name);
  const exposed = named("exposed");
  return {
    ...roles,
    api: exposed[0] ?? "",
    exposed: exposed.join(","),
    private: named("private").join(","),
    hidden: named("hidden").join(","),
    existing: existing ? "on" : "off",
    writers: writers.join(","),
    max_rows: String(limits.maxRows),
    max_selected: String(MAX_SELECTED),
    max_ordered: String(MAX_ORDERED),
    exact_count_rows: String(limits.exactCountRows),
    max_age: String(limits.maxAge),
    in_flight: String(limits.inFlight),
  };
}

/** Objects of the cluster that the pod reads. */
interface Objects {
  readonly sql: k8s.core.v1.ConfigMap;
  readonly connection: k8s.core.v1.Secret;
  readonly certificates: MountedCertificates | undefined;
}

function pod(
  files: readonly string[],
  variables: Record<string, string>,
  { sql, connection, certificates }: Objects,
): k8s.types.input.core.v1.PodSpec {
  const scripts = {
    folder: MOUNT,
    configMap: sql.metadata.name,
    paths: Object.fromEntries(files.map((file) => [file, file])),
  };
  const { volumeMounts, volumes } = volumesOf({ files: [scripts, ...(certificates ? [certificates.files] : [])] });
  const env = libpqEnvironment(certificates);
  return {
    ...restrictedPod,
    restartPolicy: "Never",
    containers: [
      {
        name: "psql",
        image: pinned(IMAGES.psql),
        command: ["/bin/sh", "-c", WAIT_FOR_SERVER, "psql"],
        args: [
          "--no-psqlrc",
          "--quiet",
          "-v",
          "ON_ERROR_STOP=1",
          ...Object.entries(variables).flatMap(([name, value]) => ["-v", `${name}=${value}`]),
          "--single-transaction",
          ...files.flatMap((file) => ["-f", `${MOUNT}/${file}`]),
        ],
        ...(env.length > 0 && { env }),
        envFrom: [{ secretRef: { name: connection.metadata.name } }],
        resources: resources("10m", "32Mi", "128Mi"),
        ...containerDefaults,
        volumeMounts,
      },
    ],
    volumes,
  };
}
