/** Shapes of the stack's configuration, one zod object per thing; keys as people write them. Rules across fields and entries are in rules.ts. */
import { z } from "zod";
import {
  count,
  duration,
  group,
  identifier,
  label,
  list,
  port,
  portNumber,
  publicPath,
  redirectPath,
  schemaName,
  secret,
  slug,
  text,
  words,
} from "./fields.ts";

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

const base = {
  name: label()
    .regex(/^(?!gatehouse-)/, "a name that does not start with gatehouse-; Gatehouse's own objects have such names")
    .describe("Service name and host label: `<name>.<domain>`."),
  description: words().describe("What the service is, for people."),
  domains: z
    .union([z.literal("auto"), list(z.string())], "a list of domain kinds, or auto; write e.g. [localhost, mesh]")
    .describe("Domain kinds on which the service is exposed, or auto for every enabled one."),
  service: z
    .strictObject({
      name: label().optional().describe("Name of the Kubernetes Service. Default: the entry's name."),
      namespace: label().default("default").describe("Namespace of the Kubernetes Service."),
      port: portNumber().default(80).describe("Port of the Kubernetes Service."),
    })
    .prefault({})
    .describe("Where the application runs in the cluster."),
  public_paths: list(publicPath())
    .default([])
    .describe("Path prefixes that stay open, by whole segments: /public opens /public and /public/x, not /publicity."),
};
const application = {
  application_slug: slug().describe("Name of the application in the identity provider."),
  groups: list(group()).default([]).describe("Groups that may enter; none = everyone who can sign in."),
  session: duration().optional().describe("Length of a session, e.g. hours=10. Default: identity_provider.session."),
};

const oauthConfig = z.strictObject({
  client_id: words().describe("Client identifier; usually a ${VARIABLE}."),
  client_secret: secret().describe("Client secret, as a ${VARIABLE}."),
  redirect_uri: redirectPath().describe("Path of the application's callback."),
  scopes: list(
    text(
      /^(?!(openid|email|profile)$)[\w.:/-]+$/,
      "a scope besides openid, email and profile",
      "those three are always there",
    ),
  )
    .default([])
    .describe("Scopes besides openid, email and profile."),
  client_type: z
    .enum(["confidential", "public"])
    .default("confidential")
    .describe("Whether the client can keep a secret."),
  access_token_validity: duration().default("minutes=10").describe("How long an access token holds."),
  refresh_token_validity: duration().default("days=30").describe("How long a refresh token holds."),
  subject_mode: z
    .enum(["hashed_user_id", "user_id", "user_uuid", "user_username", "user_email", "user_upn"])
    .default("hashed_user_id")
    .describe("What the subject of a token is made of."),
});

const proxyService = z.strictObject({
  type: z.literal("proxy").describe("Forward authentication."),
  ...base,
  ...application,
});
const oauth2Service = z.strictObject({
  type: z.literal("oauth2").describe("The application signs people in by itself, with OpenID Connect."),
  ...base,
  ...application,
  oauth_config: oauthConfig.describe("The application as an OAuth 2.0 client."),
  enforce: z
    .enum(["application", "gateway"])
    .default("application")
    .describe("gateway puts forward auth in front of an application that cannot refuse by itself."),
});
const basicService = z.strictObject({
  type: z.literal("basic").describe("One username and password, checked by the gateway."),
  ...base,
  basic_auth: z
    .strictObject({
      username: text(/^[^:\s]+$/, "a username without : and spaces", "shorten it").describe(
        "Username for the service.",
      ),
      password: secret().describe("Password, as a ${VARIABLE}."),
    })
    .describe("The credentials that open the service."),
});
/** One entry of `protected_services`, by its `type`. */
export const serviceTypes = { proxy: proxyService, oauth2: oauth2Service, basic: basicService };
export const service = z.discriminatedUnion("type", [proxyService, oauth2Service, basicService]);

const database = z.strictObject({
  name: identifier().default("authentik").describe("Name of the database."),
  user: identifier().default("authentik").describe("Role that owns it."),
  password: secret().describe("Password of the role, as a ${VARIABLE}."),
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
  namespace: label().default("authentik").describe("Namespace in the cluster."),
  install: z.boolean().default(true).describe("Deploy authentik, or use the one at url."),
  version: text(/^\d{4}\.\d+\.\d+$/, "a version of authentik", "write it like 2026.5.0")
    .default("2026.5.0")
    .describe("Version of authentik's server; the Terraform provider has the same."),
  url: words().optional().describe("Address of an existing one; with install: false."),
  api_url: words().optional().describe("Address of its API from the deploying machine, where it differs from its URL."),
  token: secret().describe("API token, as a ${VARIABLE}; with install it is also the bootstrap token."),
  admin_email: words().default("admin@gatehouse.localhost").describe("Address of the administrator; with install."),
  admin_password: secret().optional().describe("Password of the administrator, as a ${VARIABLE}; with install."),
  secret_key: secret().optional().describe("authentik's own signing key, as a ${VARIABLE}; with install."),
  database: database.optional().describe("Its database on the platform's Postgres; with install."),
  session: duration().default("hours=12").describe("Length of a session for services without their own."),
  groups: list(group()).default([]).describe("Groups that exist besides those that services and sample users name."),
  sample_users: list(sampleUser)
    .default([])
    .describe("Users to try things with; only where localhost is the one enabled domain."),
});

export const postgres = z.strictObject({
  host: words().describe("Host of the server; may be a ${VARIABLE}."),
  port: port().default(5432).describe("Port of the server; a number or a ${VARIABLE}."),
  user: words().default("postgres").describe("Role that may create databases and roles."),
  password: secret().describe("Password of that role, as a ${VARIABLE}."),
  sslmode: z
    .enum(["disable", "require", "verify-ca", "verify-full"])
    .default("require")
    .describe("How the connection is encrypted (libpq)."),
});

export const dataApi = z.strictObject({
  host: label().default("data").describe("Host label: `<host>.<domain>`."),
  namespace: label().default("gatehouse-data").describe("Namespace in the cluster."),
  domains: base.domains.describe("Domain kinds on which the data is open, or auto for every enabled one."),
  database: identifier().default("gatehouse").describe("Name of the database."),
  version: text(/^v?\d+(\.\d+)+$/, "a version of PostgREST", "write it like v12.0.2")
    .default("v12.0.2")
    .describe("Version of PostgREST: the image's tag."),
  replicas: count(100).default(1).describe("How many instances of PostgREST run."),
  schemas: z
    .strictObject({
      exposed: list(schemaName())
        .min(1, "at least one schema; the first is the default")
        .default(["api_v1", "marts", "raw"])
        .describe("Schemas that everyone may read; the first is the default."),
      private: list(schemaName())
        .default(["private_marts", "private_raw"])
        .describe("Schemas with personal data: created, never granted."),
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
    })
    .prefault({})
    .describe("What one request may cost."),
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
export type ServiceInput = z.output<typeof service>;
export type IdentityProviderInput = z.output<typeof identityProvider>;
export type PostgresInput = z.output<typeof postgres>;
export type DataApiInput = z.output<typeof dataApi>;
export type TestEnvironmentsInput = z.output<typeof testEnvironments>;
