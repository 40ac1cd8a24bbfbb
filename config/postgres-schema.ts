/** Shape of the Postgres server: one that is there, or one to install. */
import { z } from "zod";
import { cidr, count, label, list, port, secret, subdomain, text, words } from "./fields.ts";
import { SSL_MODES } from "./sslModes.ts";

const installedPostgres = z.strictObject({
  kind: z
    .enum(["statefulset", "cloudnativepg"])
    .describe("statefulset: one server, for development; cloudnativepg: several, by the operator CloudNativePG."),
  namespace: label().default("postgres").describe("Namespace in the cluster."),
  version: text(/^(1[7-9]|[2-9]\d)(\.\d+)?$/, "a version of Postgres from 17 on", "write it like 18, in quotes")
    .default("18")
    .describe("Version of Postgres. Another major version needs a migration of the data first."),
  size: text(/^[1-9]\d*(Mi|Gi|Ti)$/, "a size of storage", "write it like 10Gi")
    .default("10Gi")
    .describe("Size of each volume; it can grow where the storage class allows, and never shrink."),
  storage_class: subdomain().optional().describe("Storage class of the volumes. Default: the cluster's own."),
  service: z
    .enum(["LoadBalancer", "ClusterIP"])
    .default("LoadBalancer")
    .describe(
      "How the deploying machine reaches it: a load balancer, or the cluster's own network (or a port forward).",
    ),
  host: words()
    .optional()
    .describe(
      "Address for the deploying machine. Default: localhost for LoadBalancer, the Service's own for ClusterIP.",
    ),
  port: port().default(5432).describe("Port for the deploying machine; a LoadBalancer listens there."),
  allowed_from: list(cidr())
    .default([])
    .describe(
      "Networks outside of the cluster that may connect. Default: what a LoadBalancer sees as a private network.",
    ),
  clients: list(label())
    .default([])
    .describe("Namespaces whose pods may connect, e.g. pipelines; Gatehouse's own may anyway."),
  protect: z
    .boolean()
    .default(true)
    .describe("Refuse to delete the server and its data; with false a destroy takes both."),
  instances: count(9).optional().describe("cloudnativepg: the primary and its read replicas. Default: 3."),
  operator_namespace: label().optional().describe("cloudnativepg: namespace of the operator. Default: cnpg-system."),
  monitoring: label()
    .optional()
    .describe("cloudnativepg: namespace of a Prometheus that may read the metrics; makes a PodMonitor."),
});

export const postgres = z.strictObject({
  host: words().optional().describe("Host of a server that is there; may be a ${VARIABLE}."),
  port: port().default(5432).describe("Port of that server; a number or a ${VARIABLE}."),
  user: words().default("postgres").describe("Role of that server that may create databases and roles."),
  password: secret().describe("Password of that role, or of the superuser of an installed server, as a ${VARIABLE}."),
  sslmode: z.enum(SSL_MODES).default("require").describe("How the connection to that server is encrypted (libpq)."),
  sslrootcert: z
    .string()
    .optional()
    .describe("verify-ca, verify-full: root certificate of that server's CA in PEM; may be a ${VARIABLE}."),
  install: installedPostgres.optional().describe("Deploy a server, instead of one that is there."),
});

export type PostgresInput = z.output<typeof postgres>;
