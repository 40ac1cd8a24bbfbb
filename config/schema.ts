/** Shapes of the sections of a stack, one zod object per thing; keys as people write them. Rules across fields and entries are in rules.ts. */
import { z } from "zod";
import {
  basePath,
  count,
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
  words,
} from "./fields.ts";

export { postgres } from "./postgres-schema.ts";

/** The kinds that need no full definition (spec 000, "Domain kinds"). */
export const KNOWN_KINDS: readonly string[] = ["localhost", "mesh", "external"];

const domainFields = {
  enabled: z.boolean().describe("Whether services are exposed on this domain."),
  base_domain: words().describe(
    "What follows the service's name in a host: `<name>.<base_domain>`; may be a ${VARIABLE}.",
  ),
  protocol: z.enum(["http", "https"]).describe("Protocol of every URL of this domain."),
  description: words().describe("What the domain is for."),
  port: port().optional().describe("Port in every URL, where it is not the protocol's own; a number or a ${VARIABLE}."),
  targets: list(words()).default([]).describe("Addresses that the domain's records point at; none = no records."),
  tls: z
    .union(
      [z.literal("upstream"), z.strictObject({ resolver: label() }), z.strictObject({ secret: subdomain() })],
      "upstream, { resolver: NAME } or { secret: NAME }; write one of them",
    )
    .optional()
    .describe(
      "Where TLS of an https domain ends: Traefik's certificate resolver, a Secret beside each route, or in front of the gateway (upstream). Default: Traefik's own default certificate.",
    ),
};
/** `localhost`, `mesh` and `external`: every field has a default, apart from the base domain of an enabled remote one. */
export const knownDomain = z.strictObject({
  ...domainFields,
  enabled: domainFields.enabled.optional().describe("Default: true for localhost, false for mesh and external."),
  base_domain: domainFields.base_domain
    .optional()
    .describe("Default for localhost: localhost. Others state it once enabled."),
  protocol: domainFields.protocol.optional().describe("Default: http for localhost, https for mesh and external."),
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
  name: label().describe("User name; also names the Secret with its password."),
  namespace: label().default("default").describe("Where the machine runs, and its Secret goes."),
  groups: list(group()).default([]).describe("Groups of the account; they decide where it may enter."),
});
const sampleUser = z.strictObject({
  username: text(/^[\w.@+-]+$/, "a username", "use letters, digits and . @ + - _").describe(
    "What the user signs in with.",
  ),
  name: words().describe("Display name."),
  email: words().describe("Address of the user."),
  password: secret().describe("Password, as a ${VARIABLE}."),
  groups: list(group()).default([]).describe("Groups of the user; they are created."),
});

export const identityProvider = z.strictObject({
  host: label().default("authentik").describe("Host label: `<host>.<domain>` on every enabled domain."),
  domain: z
    .string()
    .optional()
    .describe("Domain kind on which browsers sign in, and tokens are issued. Default: the first enabled one."),
  namespace: label().default("authentik").describe("Namespace in the cluster."),
  install: z.boolean().default(true).describe("Deploy authentik, or use the one at url."),
  version: version("authentik", "2026.5.7")
    .default("2026.5.7")
    .describe("Version of authentik's server; its release series (2026.5) is that of the Terraform provider."),
  url: words().optional().describe("Address of an existing one; with install: false."),
  service: z
    .strictObject({
      name: label().describe("Name of its Kubernetes Service."),
      port: portNumber().default(9000).describe("Port of its Kubernetes Service."),
    })
    .optional()
    .describe("Service of an existing one in this cluster, in namespace; with install: false."),
  api_url: words().optional().describe("Address of its API from the deploying machine, where it differs from its URL."),
  token: secret().describe("API token, as a ${VARIABLE}; with install it is also the bootstrap token."),
  admin_email: words().default("admin@gatehouse.localhost").describe("Address of the administrator; with install."),
  admin_password: secret().optional().describe("Password of the administrator, as a ${VARIABLE}; with install."),
  secret_key: secret().optional().describe("authentik's own signing key, as a ${VARIABLE}; with install."),
  database: database.optional().describe("Its database on the platform's Postgres; with install."),
  session: sessionLength()
    .default("hours=12")
    .describe("Length of a session for services without their own, at least minutes=5."),
  groups: list(group())
    .default([])
    .describe("Groups to create besides those that users name; with install, also what services name is created."),
  service_accounts: list(serviceAccount)
    .default([])
    .describe("Machine users: each gets a password, which it trades for tokens."),
  providers_per_outpost: count(100)
    .default(100)
    .describe("Maximum number of providers that one outpost serves; more are distributed over several outposts."),
  sample_users: list(sampleUser)
    .default([])
    .describe("Users to try things with; only where localhost is the one enabled domain."),
});

const deprecation = z.strictObject({
  since: date().describe("Day on which it became deprecated; sent as Deprecation (RFC 9745)."),
  sunset: date().describe("Day from which it may be gone; sent as Sunset (RFC 8594)."),
  link: text(/^https?:\/\/\S+$/, "a URL", "write it like https://data.example.org/versions")
    .optional()
    .describe("Page that says what to use instead; sent as Link with rel=deprecation."),
});

const catalog = z.strictObject({
  host: label().default("catalog").describe("Host label: `<host>.<domain>`, on the domains of the data API."),
  base_path: basePath().default("/").describe("Path where it begins: pages are at `<base_path>data` and so on."),
  replicas: count(100).default(2).describe("How many instances of its server run."),
});

export const dataApi = z.strictObject({
  host: label().default("data").describe("Host label: `<host>.<domain>`."),
  namespace: label().default("gatehouse-data").describe("Namespace in the cluster."),
  domains: exposedOn().describe("Domain kinds on which the data is open, or auto for every enabled one."),
  database: identifier().default("gatehouse").describe("Name of the database."),
  version: text(/^v?\d+(\.\d+)+$/, "a version of PostgREST", "write it like v14.17")
    .default("v14.17")
    .describe("Version of PostgREST: the image's tag."),
  replicas: count(100).default(2).describe("How many instances of PostgREST run at the least."),
  max_replicas: count(100).default(4).describe("How many instances run at the most, when they are busy."),
  catalog: z
    .union([z.literal(false), catalog], "a section, or false; write false to leave it out")
    .prefault({})
    .describe("The web catalogue: what there is, for people who would rather look than read."),
  schemas: z
    .strictObject({
      exposed: list(schemaName())
        .min(1, "at least one schema; the first is the default")
        .default(["api_v1", "marts", "raw"])
        .describe("Schemas that everyone may read; the first is the default."),
      private: list(schemaName())
        .default(["private_marts", "private_raw"])
        .describe("Schemas with personal data: created, never granted."),
      deprecated: z
        .record(z.string(), deprecation)
        .default({})
        .describe("Exposed schemas that will go away: every answer from them says so."),
    })
    .prefault({})
    .describe("What is open and what is not."),
  roles: z
    .strictObject({
      anonymous: identifier().default("gatehouse_anonymous").describe("What a request without credentials runs as."),
      authenticator: identifier().default("gatehouse_authenticator").describe("What PostgREST connects as."),
      owner: identifier().default("gatehouse_owner").describe("What pipelines write as."),
    })
    .prefault({})
    .describe("Roles in Postgres; they are shared by all databases of a server."),
  authenticator_password: secret().describe("Password of the authenticator, as a ${VARIABLE}."),
  owner_password: secret().describe("Password of the owner, as a ${VARIABLE}."),
  limits: z
    .strictObject({
      max_rows: count(1_000_000).default(1000).describe("Rows in one answer at the most."),
      statement_timeout: text(/^[1-9]\d*(ms|s|min)$/, "a Postgres interval", "write it like 5s")
        .default("5s")
        .describe("How long one query may take."),
      connections: count(1000).default(10).describe("Connections of one instance to the database."),
      exact_count_rows: count(1_000_000_000)
        .default(1_000_000)
        .describe("Rows of the largest table that may be counted exactly; of a larger one, only estimates."),
      max_age: count(86_400)
        .default(60)
        .describe("Seconds for which an answer may be kept by browsers and caches before they ask whether it changed."),
      requests_per_second: count(100_000)
        .default(50)
        .describe("Requests per second of one client, by its address; more get 429."),
      burst: count(100_000).default(100).describe("Requests that one client may send at once before that counts."),
      in_flight: count(100_000)
        .default(6)
        .describe("Requests of one client that may be under way at once; a browser opens six connections to a host."),
    })
    .prefault({})
    .describe("What one request, and one client, may cost."),
});

export const gateway = z.strictObject({
  version: version("Traefik", "3.7.13")
    .optional()
    .describe("Version of the Traefik that the cluster runs, to be held against the known advisories."),
  namespace: label().default("kube-system").describe("Namespace of Traefik."),
  service: label().default("traefik").describe("Name of Traefik's Kubernetes Service."),
  pod_labels: kubernetesLabels()
    .default({ "app.kubernetes.io/name": "traefik" })
    .describe(
      "Labels of Traefik's pods, which network policies admit; the default is that of its Helm chart and of k3s.",
    ),
  http_entry_point: label().default("web").describe("Name of Traefik's entry point for HTTP."),
  https_entry_point: label().default("websecure").describe("Name of Traefik's entry point for HTTPS."),
});

export const testEnvironments = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe("Expose the echo service on localhost: whoami-public, and whoami-<app> per service."),
  install: z.boolean().default(false).describe("Deploy the echo service, too."),
  service: z
    .strictObject({
      name: label().default("whoami").describe("Name of the Kubernetes Service."),
      namespace: label().default("default").describe("Namespace of the Kubernetes Service."),
      port: portNumber().default(8080).describe("Port of the Kubernetes Service."),
    })
    .prefault({})
    .describe("Where the echo service runs in the cluster."),
});

export type DomainInput = z.output<typeof knownDomain>;
export type IdentityProviderInput = z.output<typeof identityProvider>;
export type { PostgresInput } from "./postgres-schema.ts";
export type DataApiInput = z.output<typeof dataApi>;
export type GatewayInput = z.output<typeof gateway>;
export type TestEnvironmentsInput = z.output<typeof testEnvironments>;
