/** Schema of the Postgres server: an existing one, or one to install. */
import { z } from "zod";
import { cidr, positiveInteger, label, list, port, secret, subdomain, text, nonEmptyText } from "./fields.ts";
import { SSL_MODES } from "./sslModes.ts";

const installedPostgres = z.strictObject({
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
      "How the deploying machine reaches the server: through a load balancer, or the network of the cluster (or a port forward).",
    ),
  host: nonEmptyText()
    .optional()
    .describe(
      "Address for the deploying machine. Default: localhost for LoadBalancer, the address of the Service for ClusterIP.",
    ),
  port: port().default(5432).describe("Port for the deploying machine; a LoadBalancer listens on it."),
  allowed_from: list(cidr())
    .default([])
    .describe("Networks outside of the cluster that can connect. Default: private networks, with a LoadBalancer."),
  clients: list(label())
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

export const postgres = z.strictObject({
  host: nonEmptyText().optional().describe("Host of an existing server; may be a ${VARIABLE}."),
  port: port().default(5432).describe("Port of the existing server; a number or a ${VARIABLE}."),
  user: nonEmptyText().default("postgres").describe("Superuser of the existing server."),
  password: secret().describe("Password of that role, or of the superuser of the installed server, as a ${VARIABLE}."),
  sslmode: z
    .enum(SSL_MODES)
    .default("require")
    .describe("Encryption of the connection to the existing server, as in libpq."),
  sslrootcert: z
    .string()
    .optional()
    .describe(
      "Root certificate of the server's CA in PEM; may be a ${VARIABLE}. Required with `verify-ca` and `verify-full`, refused otherwise.",
    ),
  install: installedPostgres.optional().describe("Deploys a server, instead of using an existing one."),
});

export type PostgresInput = z.output<typeof postgres>;
