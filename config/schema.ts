/** Shapes of the sections of a stack, one zod object per thing; keys as people write them. Rules across fields and entries are in rules.ts. */
import { z } from "zod";
import {
  basePath,
  positiveInteger,
  date,
  exposedOn,
  group,
  identifier,
  kubernetesLabels,
  label,
  list,
  port,
  portNumber,
  schemaName,
  secret,
  sessionLength,
  subdomain,
  text,
  version,
  nonEmptyText,
} from "./fields.ts";

export { postgres } from "./postgres-schema.ts";

/** The kinds that need no full definition (spec 000, "Domain kinds"). */
export const KNOWN_KINDS: readonly string[] = ["localhost", "mesh", "external"];

const domainFields = {
  enabled: z.boolean().describe("Exposes services on this domain."),
  base_domain: nonEmptyText().describe("Base domain of every host, `<name>.<base_domain>`; may be a ${VARIABLE}."),
  protocol: z.enum(["http", "https"]).describe("Protocol of every URL of this domain."),
  description: nonEmptyText().describe("What the domain is for."),
  port: port().optional().describe("Port in every URL; a number or a ${VARIABLE}. Default: the port of the protocol."),
  targets: list(nonEmptyText())
    .default([])
    .describe(
      "Targets of the DNS records of the domain: IP addresses or DNS names, or a ${VARIABLE}. Without targets there are no records.",
    ),
  tls: z
    .union(
      [z.literal("upstream"), z.strictObject({ resolver: label() }), z.strictObject({ secret: subdomain() })],
      "upstream, { resolver: NAME } or { secret: NAME }; use one of them",
    )
    .optional()
    .describe(
      "Certificate of an https domain: `{ resolver: NAME }` is a certificate resolver of Traefik, `{ secret: NAME }` a TLS Secret in the namespace of each route, `upstream` a proxy in front of the gateway that terminates TLS. Default: Traefik's default certificate.",
    ),
};
/** `localhost`, `mesh` and `external`: every field has a default, apart from the base domain of an enabled remote one. */
export const knownDomain = z.strictObject({
  ...domainFields,
  enabled: domainFields.enabled
    .optional()
    .describe("Exposes services on this domain. Default: true for localhost, false for mesh and external."),
  base_domain: domainFields.base_domain
    .optional()
    .describe(
      "Base domain of every host, `<name>.<base_domain>`; may be a ${VARIABLE}. Required when the domain is enabled. Default: localhost for localhost, none for mesh and external.",
    ),
  protocol: domainFields.protocol
    .optional()
    .describe("Protocol of every URL of this domain. Default: http for localhost, https for mesh and external."),
  description: domainFields.description.optional().describe("What the domain is for."),
});
/** A kind of one's own states what it is. */
export const customDomain = z.strictObject(domainFields);

const database = z.strictObject({
  name: identifier().default("authentik").describe("Name of the database."),
  user: identifier().default("authentik").describe("Role that owns it."),
  password: secret().describe("Password of the role, as a ${VARIABLE}."),
});
const serviceAccount = z.strictObject({
  name: label().describe("User name. The Secret with the password is named `<name>-account`."),
  namespace: label().default("default").describe("Namespace in which the machine runs; the Secret is created there."),
  groups: list(group())
    .default([])
    .describe("Groups of the account: it can sign in to services that allow one of them."),
});
const sampleUser = z.strictObject({
  username: text(/^[\w.@+-]+$/, "a username", "use letters, digits and . @ + - _").describe(
    "Username for the sign-in.",
  ),
  name: nonEmptyText().describe("Display name."),
  email: nonEmptyText().describe("Email address of the user."),
  password: secret().describe("Password, as a ${VARIABLE}."),
  groups: list(group()).default([]).describe("Groups of the user; the stack creates them."),
});

export const identityProvider = z.strictObject({
  host: label().default("authentik").describe("Host label: `<host>.<base_domain>` on every enabled domain."),
  domain: z
    .string()
    .optional()
    .describe("Domain kind on which browsers sign in and tokens are issued. Default: the first enabled one."),
  namespace: label().default("authentik").describe("Namespace of authentik in the cluster."),
  install: z
    .boolean()
    .default(true)
    .describe("Deploys authentik. With false, the stack uses the existing one at `url`."),
  version: version("authentik", "2026.5.7")
    .default("2026.5.7")
    .describe(
      "Version of the authentik server; it must be of the same release series (2026.5) as the Terraform provider.",
    ),
  url: nonEmptyText().optional().describe("URL of an existing authentik; required with `install: false`."),
  service: z
    .strictObject({
      name: label().describe("Name of the Kubernetes Service."),
      port: portNumber().default(9000).describe("Port of the Kubernetes Service."),
    })
    .optional()
    .describe(
      "Kubernetes Service of an existing authentik in this cluster, in `namespace`; only with `install: false`.",
    ),
  api_url: nonEmptyText()
    .optional()
    .describe("URL of the API from the deploying machine, if it differs from the URL for browsers."),
  token: secret().describe("API token, as a ${VARIABLE}. With `install: true` it is also the bootstrap token."),
  admin_email: nonEmptyText()
    .default("admin@gatehouse.localhost")
    .describe("Email address of the administrator; with `install: true`."),
  admin_password: secret()
    .optional()
    .describe("Password of the administrator, as a ${VARIABLE}; required with `install: true`."),
  secret_key: secret()
    .optional()
    .describe("Secret key of authentik (AUTHENTIK_SECRET_KEY), as a ${VARIABLE}; required with `install: true`."),
  database: database
    .optional()
    .describe("Database of authentik on the server of `gatehouse:postgres`; required with `install: true`."),
  session: sessionLength()
    .default("hours=12")
    .describe("Length of a session of services without their own, and of a login; at least minutes=5."),
  groups: list(group())
    .default([])
    .describe("Groups to create. Groups of `sample_users` and, with `install: true`, of services are created as well."),
  service_accounts: list(serviceAccount)
    .default([])
    .describe("Accounts for machines: each gets a Secret with a password, which it exchanges for tokens."),
  providers_per_outpost: positiveInteger(100)
    .default(100)
    .describe("Maximum number of hosts that one outpost serves; more are distributed over several outposts."),
  sample_users: list(sampleUser)
    .default([])
    .describe("Users for trying things out; only if localhost is the only enabled domain."),
});

const deprecation = z.strictObject({
  since: date().describe("Date of the deprecation, sent as `Deprecation` (RFC 9745)."),
  sunset: date().describe("Date from which the schema may be removed, sent as `Sunset` (RFC 8594); after `since`."),
  link: text(/^https?:\/\/\S+$/, "a URL", "write it like https://data.example.org/versions")
    .optional()
    .describe('Page about the replacement, sent as `Link` with `rel="deprecation"`.'),
});

const catalog = z.strictObject({
  host: label().default("catalog").describe("Host label: `<host>.<base_domain>` on the domains of the data API."),
  base_path: basePath()
    .default("/")
    .describe("Path prefix of all pages, e.g. `<base_path>data`; starts and ends with a slash."),
  replicas: positiveInteger(100).default(2).describe("Number of replicas of its server."),
});

export const dataApi = z.strictObject({
  host: label().default("data").describe("Host label: `<host>.<base_domain>`."),
  namespace: label().default("gatehouse-data").describe("Namespace in the cluster."),
  domains: exposedOn().describe("Domain kinds on which the data API is exposed, or `auto` for every enabled one."),
  database: identifier().default("gatehouse").describe("Name of the database."),
  version: text(/^v?\d+(\.\d+)+$/, "a version of PostgREST", "write it like v14.17")
    .default("v14.17")
    .describe("Version of PostgREST: the tag of its image."),
  replicas: positiveInteger(100).default(2).describe("Minimum number of PostgREST replicas."),
  max_replicas: positiveInteger(100)
    .default(4)
    .describe("Maximum number of PostgREST replicas under load; not less than `replicas`."),
  catalog: z
    .union([z.literal(false), catalog], "a section, or false; write false to leave it out")
    .prefault({})
    .describe("The catalog, a web application over the data API; `false` leaves it out."),
  schemas: z
    .strictObject({
      exposed: list(schemaName())
        .min(1, "at least one schema; the first is the default")
        .default(["api_v1", "marts", "raw"])
        .describe("Schemas that the anonymous role can read. The first one is the default schema and the contract."),
      private: list(schemaName())
        .default(["private_marts", "private_raw"])
        .describe("Schemas with personal data: created, without grants for the anonymous role."),
      deprecated: z
        .record(z.string(), deprecation)
        .default({})
        .describe("Exposed schemas that are deprecated, by name; every response from them carries the headers."),
    })
    .prefault({})
    .describe("Schemas of the database."),
  roles: z
    .strictObject({
      anonymous: identifier().default("gatehouse_anonymous").describe("Role of requests (NOLOGIN)."),
      authenticator: identifier()
        .default("gatehouse_authenticator")
        .describe("Role with which PostgREST connects (LOGIN NOINHERIT)."),
      owner: identifier().default("gatehouse_owner").describe("Role with which pipelines write; it owns the data."),
    })
    .prefault({})
    .describe("Roles in Postgres, which all databases of a server share."),
  authenticator_password: secret().describe("Password of the authenticator, as a ${VARIABLE}."),
  owner_password: secret().describe("Password of the owner, as a ${VARIABLE}."),
  limits: z
    .strictObject({
      max_rows: positiveInteger(1_000_000).default(1000).describe("Maximum number of rows in one response."),
      statement_timeout: text(/^[1-9]\d*(ms|s|min)$/, "a Postgres interval", "write it like 5s")
        .default("5s")
        .describe("Maximum duration of one query."),
      connections: positiveInteger(1000).default(10).describe("Connections of one PostgREST replica to the database."),
      exact_count_rows: positiveInteger(1_000_000_000)
        .default(1_000_000)
        .describe("Maximum number of rows for `count=exact`; larger relations have estimates only."),
      max_age: positiveInteger(86_400)
        .default(60)
        .describe(
          "Seconds for which browsers and caches can keep a response before they revalidate it (`Cache-Control: max-age`).",
        ),
      requests_per_second: positiveInteger(100_000)
        .default(50)
        .describe("Requests per second of one client address; more get 429."),
      burst: positiveInteger(100_000).default(100).describe("Burst of one client address above `requests_per_second`."),
      in_flight: positiveInteger(100_000)
        .default(6)
        .describe("Concurrent requests of one client address; a browser opens six connections to a host."),
    })
    .prefault({})
    .describe("Limits of one request and of one client."),
});

export const gateway = z.strictObject({
  version: version("Traefik", "3.7.13")
    .optional()
    .describe("Version of the Traefik that the cluster runs; it is checked against known advisories."),
  namespace: label().default("kube-system").describe("Namespace of Traefik."),
  service: label().default("traefik").describe("Name of Traefik's Kubernetes Service."),
  pod_labels: kubernetesLabels()
    .default({ "app.kubernetes.io/name": "traefik" })
    .describe(
      "Labels of Traefik's pods: NetworkPolicies admit pods with these labels only. The default fits the Helm chart and k3s.",
    ),
  http_entry_point: label().default("web").describe("Name of Traefik's entry point for HTTP."),
  https_entry_point: label().default("websecure").describe("Name of Traefik's entry point for HTTPS."),
});

export const testEnvironments = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Exposes the echo service on localhost: `whoami-public.localhost`, and `whoami-<name>.localhost` for each service.",
    ),
  install: z.boolean().default(false).describe("Deploys the echo service."),
  service: z
    .strictObject({
      name: label().default("whoami").describe("Name of the Kubernetes Service."),
      namespace: label().default("default").describe("Namespace of the Kubernetes Service."),
      port: portNumber().default(8080).describe("Port of the Kubernetes Service."),
    })
    .prefault({})
    .describe("Kubernetes Service of the echo service."),
});

export type DomainInput = z.output<typeof knownDomain>;
export type IdentityProviderInput = z.output<typeof identityProvider>;
export type { PostgresInput } from "./postgres-schema.ts";
export type DataApiInput = z.output<typeof dataApi>;
export type GatewayInput = z.output<typeof gateway>;
export type TestEnvironmentsInput = z.output<typeof testEnvironments>;
