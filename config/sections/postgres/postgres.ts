/** The Postgres server of authentik and the data API: an existing one, or one that the stack deploys. */
import { z } from "zod";
import { type Draft, isLeftOut, isWritten } from "../../schema/draft.ts";
import { cidr, label, plain, port, positiveInteger, secret, subdomain, text } from "../../schema/fields.ts";
import { isSection, within } from "../../errors/location.ts";
import { type Problem, problem } from "../../errors/problems.ts";
import { resolve } from "../../schema/resolve.ts";
import type { Section } from "../section.ts";
import { SSL_MODES } from "./sslModes.ts";
import { SUPERUSER_FEATURES } from "./superuserFeatures.ts";
import type { Variables } from "../../variables/variables.ts";
import type { DataApiDraft } from "../dataApi/dataApi.ts";
import { listensOnPrimary } from "../dataApi/postgrestVersions.ts";
import type { IdentityProviderDraft } from "../identityProvider/identityProvider.ts";

const installation = z.strictObject({
  kind: z
    .enum(["statefulset", "cloudnativepg"])
    .describe(
      "`statefulset`: one instance, for development. `cloudnativepg`: a primary and replicas, by the operator CloudNativePG.",
    ),
  namespace: label().default("postgres").describe("Namespace in the cluster."),
  version: text(/^(1[7-9]|[2-9]\d)(\.\d+)?$/, "a version of Postgres from 17 on", "write it like 18, in quotes")
    .default("18")
    .describe("Version of Postgres, 17 or newer. Another major version needs a migration of the data."),
  size: text(/^[1-9]\d*(Mi|Gi|Ti)$/, "a size of storage", "write it like 10Gi")
    .default("10Gi")
    .describe("Size of each volume; it can grow if the storage class allows it, and cannot shrink."),
  storage_class: subdomain().optional().describe("Storage class of the volumes. Default: the default of the cluster."),
  service: z
    .enum(["LoadBalancer", "ClusterIP"])
    .default("LoadBalancer")
    .describe(
      "How the deploying machine reaches the server: through a load balancer, or the network of the cluster (or a port forward). Through the load balancer of k3s, pods of every namespace can connect.",
    ),
  host: plain("host")
    .optional()
    .describe(
      "Address for the deploying machine. Default: localhost for LoadBalancer, the address of the Service for ClusterIP.",
    ),
  port: port().default(5432).describe("Port for the deploying machine; a LoadBalancer listens on it."),
  allowed_from: z
    .array(cidr())
    .default([])
    .describe(
      "Networks outside of the cluster that can connect, each with its own address, e.g. 10.0.0.0/8. Default: private networks, with a LoadBalancer.",
    ),
  clients: z
    .array(label())
    .default([])
    .describe("Namespaces whose pods can connect, e.g. pipelines, in addition to those of authentik and PostgREST."),
  protect: z
    .boolean()
    .default(true)
    .describe(
      "Refuses to delete the server, its volumes and the databases. With false, `pulumi destroy` deletes them.",
    ),
  instances: positiveInteger(9)
    .optional()
    .describe("cloudnativepg: number of instances, the primary included. Default: 3."),
  operator_namespace: label().optional().describe("cloudnativepg: namespace of the operator. Default: cnpg-system."),
  monitoring: label()
    .optional()
    .describe(
      "cloudnativepg: namespace of a Prometheus that can read the metrics; creates a PodMonitor. `gatehouse:observability` does the same and excludes it.",
    ),
});

const schema = z.strictObject({
  host: plain("host").optional().describe("Host of an existing server; may be a ${VARIABLE}."),
  port: port().default(5432).describe("Port of the existing server; a number or a ${VARIABLE}."),
  user: plain().default("postgres").describe("Role with which the stack deploys to the existing server."),
  superuser: z
    .boolean()
    .default(true)
    .describe(
      "Whether `user` is a superuser. With false, as on managed servers, it needs CREATEROLE, and CREATEDB unless the database exists; `npx gatehouse plan` lists what is not enforced.",
    ),
  password: secret().describe("Password of that role, or of the superuser of the installed server, as a ${VARIABLE}."),
  sslmode: z
    .enum(SSL_MODES)
    .default("require")
    .describe("Encryption of the connection to the existing server, as in libpq."),
  sslrootcert: plain("rootCertificates")
    .optional()
    .describe(
      "Root certificate of the server's CA in PEM; may be a ${VARIABLE}. Required with `verify-ca` and `verify-full`, refused otherwise.",
    ),
  install: installation.optional().describe("Deploys a server, instead of using an existing one."),
});

export const postgres = {
  schema,
  description: "The Postgres server of authentik and the data API.",
  example: `
gatehouse:postgres:
  host: db.example.org
  password: "\${POSTGRES_PASSWORD}"
  sslmode: require
`,
  text: `
Use either an existing server (\`host\`, \`port\`, \`user\`, \`superuser\`, \`sslmode\`, \`sslrootcert\`) or \`install\`, not fields of both; \`password\` belongs to both.
[Postgres](postgres.md) has the examples and the rules of each.
`,
} satisfies Section;

/** Databases that `initdb` creates, so that every server has them. */
export const INITIAL_DATABASES: readonly string[] = ["postgres", "template0", "template1"];
/** Namespace in which the manifest of CloudNativePG installs the operator. */
export const OPERATOR_NAMESPACE = "cnpg-system";
/** Fields of an existing server. */
const EXISTING = ["host", "port", "user", "superuser", "sslmode", "sslrootcert"];
/** Fields that require the operator. */
const OPERATED = ["instances", "operator_namespace", "monitoring"];

export type PostgresDraft = Draft<z.output<typeof schema>>;
export type PostgresServer = Readonly<NonNullable<ReturnType<typeof toPostgres>>>;
export type PostgresInstallation = NonNullable<PostgresServer["install"]>;

/** Returns the settings; undefined if the section has a problem. The host is undefined for the address of the Service. */
export function toPostgres({ location, value }: PostgresDraft, variables: Variables) {
  if (value === undefined) return undefined;
  if (value.install === undefined) {
    const { host = "", ...existing } = resolve(schema, value, location, variables);
    return { ...existing, host, install: undefined };
  }
  const password = variables.secret(value.password, within(location, "password"));
  const { host, port, ...install } = resolve(installation, value.install, within(location, "install"), variables);
  const single = install.kind === "statefulset";
  return {
    host: host ?? (install.service === "LoadBalancer" ? "localhost" : undefined),
    port,
    user: "postgres",
    superuser: true,
    password,
    // Of the deploying machine. The image has no certificate; the operator creates one, which no public CA signs.
    sslmode: single || isForwarded(install.service, host) ? ("disable" as const) : ("require" as const),
    sslrootcert: undefined,
    install: {
      ...install,
      instances: single ? 1 : (install.instances ?? 3),
      operatorNamespace: install.operatorNamespace ?? OPERATOR_NAMESPACE,
    },
  };
}

/**
 * Returns whether the deploying machine connects through `kubectl port-forward`: it is encrypted up to the pod, and ends when the server closes a
 * connection with TLS (kubernetes/kubectl#1746).
 */
function isForwarded(service: "LoadBalancer" | "ClusterIP", host: string | undefined): boolean {
  return service === "ClusterIP" && host !== undefined && /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
}

interface Drafts {
  readonly postgres: PostgresDraft | undefined;
  readonly identityProvider: IdentityProviderDraft | undefined;
  readonly dataApi: DataApiDraft | undefined;
}

/** Checks the fields of an existing server, or of `install` and those that exclude it. */
export function postgresRules({ postgres }: Drafts): Problem[] {
  if (postgres === undefined || !isSection(postgres.raw)) return [];
  const { location, fields } = postgres;
  if (isLeftOut(postgres, "install")) {
    const hint = "add the host of an existing server, or install one: install: { kind: statefulset }";
    const missing = isLeftOut(postgres, "host") ? [problem(within(location, "host"), "missing", hint)] : [];
    return [...missing, ...encryptionRules(postgres)];
  }
  const found = EXISTING.filter((key) => isWritten(postgres, key)).map((key) => {
    const hint =
      key === "host" || key === "port" ? `remove it, or set install.${key} instead` : "remove it, or remove install";
    return problem(within(location, key), "describes an existing server, but install deploys one", hint);
  });
  const { install } = fields;
  if (install === undefined) return found;
  if (install.kind === "statefulset") {
    for (const key of OPERATED.filter((name) => install[name as keyof typeof install] !== undefined)) {
      const hint = "remove it, or set kind: cloudnativepg";
      found.push(problem(within(location, "install", key), 'is not available with kind "statefulset"', hint));
    }
  }
  return found;
}

/**
 * Checks that an `sslmode` that verifies the certificate has an `sslrootcert`, and no other has one. `sslrootcert=system` (libpq 16) is not a substitute: the
 * image of PostgREST contains no root certificates (its nix/tools/docker/default.nix).
 */
function encryptionRules(postgres: PostgresDraft): Problem[] {
  const { sslmode } = postgres.fields;
  const location = within(postgres.location, "sslrootcert");
  if (sslmode === "verify-ca" || sslmode === "verify-full") {
    if (!isLeftOut(postgres, "sslrootcert")) return [];
    const hint = "add the root certificate of the server's CA as PEM text, for a public CA too";
    return [problem(location, `missing, and sslmode "${sslmode}" verifies the server's certificate`, hint)];
  }
  if (sslmode === undefined || !isWritten(postgres, "sslrootcert")) return [];
  const message = `sslmode "${sslmode}" does not verify the server's certificate`;
  return [problem(location, message, "set sslmode: verify-full, or remove sslrootcert")];
}

/** Warns of read replicas that the data API does not use, and of what may not be enforced without a superuser. */
export function postgresWarnings({ postgres, dataApi }: Pick<Drafts, "postgres" | "dataApi">): string[] {
  if (dataApi !== undefined && postgres?.fields.superuser === false) {
    const consequences = new Set(SUPERUSER_FEATURES.map(({ without }) => without));
    return [...consequences].map(
      (without) => `postgres.superuser: where the server reserves it for superusers, ${without}`,
    );
  }
  const version = dataApi?.fields.version;
  const install = postgres?.fields.install;
  if (version === undefined || install?.kind !== "cloudnativepg" || install.instances === 1) return [];
  if (listensOnPrimary(version)) return [];
  return [
    `data_api.version: PostgREST ${version} reads from the primary, because it cannot listen for schema changes on a replica. ` +
      "Set v12.2.0 or later to read from the replicas.",
  ];
}
