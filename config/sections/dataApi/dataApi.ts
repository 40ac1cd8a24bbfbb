/** The data API: a public, read-only REST API over a Postgres database, and its catalog. */
import { z } from "zod";
import { enabledKinds } from "../domains/domainKinds.ts";
import type { Draft } from "../../schema/draft.ts";
import {
  basePath,
  closedSchemaName,
  databaseProtection,
  date,
  existingName,
  exposedOn,
  identifier,
  label,
  positiveInteger,
  schemaName,
  secret,
  text,
} from "../../schema/fields.ts";
import { milliseconds } from "./interval.ts";
import { type Limit, limitKey, LIMITS } from "./limits.ts";
import { resolve } from "../../schema/resolve.ts";
import type { Section } from "../section.ts";
import type { Variables } from "../../variables/variables.ts";
import type { Domain } from "../domains/domains.ts";

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

const database = z.strictObject({
  name: existingName().describe("Name of the database."),
  existing: z
    .boolean()
    .default(false)
    .describe(
      "Whether the database exists already. Gatehouse then creates and drops no database, adds what is missing, and changes no owner.",
    ),
  protect: databaseProtection,
});

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;
type LimitFields = {
  [Name in keyof typeof LIMITS as SnakeCase<Name>]: z.ZodDefault<
    (typeof LIMITS)[Name]["default"] extends string ? z.ZodString : z.ZodInt
  >;
};
const limitFields = Object.fromEntries(
  Object.entries<Limit>(LIMITS).map(([name, limit]) => [limitKey(name), limitField(limit)]),
) as unknown as LimitFields;

function limitField({ default: initial, max, description }: Limit) {
  return typeof initial === "number"
    ? positiveInteger(max).default(initial).describe(description)
    : interval(max).default(initial).describe(description);
}

function interval(max: number) {
  return text(/^[1-9]\d*(ms|s|min)$/, "a Postgres interval", "write it like 5s").refine(
    (interval) => !(milliseconds(interval) > max),
    { error: `at most ${max / 60_000}min; write it like 5s` },
  );
}

const schema = z.strictObject({
  host: label().default("data").describe("Host label: `<host>.<base_domain>`."),
  namespace: label().default("gatehouse-data").describe("Namespace in the cluster."),
  domains: exposedOn().describe("Domain kinds on which the data API is exposed, or `auto` for every enabled one."),
  database: z
    .union([identifier(), database], "a name, or a section with one; write it like { name: shop, existing: true }")
    .default("gatehouse")
    .describe("Name of the database, or a section: [an existing database](existing-database.md)."),
  writers: z
    .array(existingName())
    .default([])
    .describe(
      "Existing roles that create relations in exposed schemas, in addition to the owner, e.g. that of dbt. The anonymous role can read what they create later. Without them, the deployment of a database of the stack fails after its migrations: create them first, or add them later.",
    ),
  version: text(/^v\d+(\.\d+)+$/, "a version of PostgREST", "write it like v14.17")
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
      exposed: z
        .array(schemaName())
        .min(1, "at least one schema; the first is the default")
        .default(["api_v1", "marts", "raw"])
        .describe("Schemas that the anonymous role can read. The first one is the default schema and the contract."),
      private: z
        .array(closedSchemaName())
        .default(["private_marts", "private_raw"])
        .describe(
          "Schemas with personal data: created, without grants for the anonymous role. In an existing database, `public` and names that need quotes in SQL are permitted.",
        ),
      hidden: z
        .array(closedSchemaName())
        .default([])
        .describe(
          "Schemas that views of exposed schemas can read, and the anonymous role cannot, e.g. those of tables with columns that are not public. In an existing database, `public` and names that need quotes in SQL are permitted.",
        ),
      deprecated: z
        .record(z.string(), deprecation)
        .prefault({})
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
  authenticator_password: secret().describe("Password of the authenticator, as a ${VARIABLE}, without backslashes."),
  owner_password: secret().describe("Password of the owner, as a ${VARIABLE}, without backslashes."),
  limits: z.strictObject(limitFields).prefault({}).describe("Limits of one request and of one client."),
});

export const dataApi = {
  schema,
  description: "A public, read-only REST API over a Postgres database, and its catalog.",
  example: `
gatehouse:data_api:
  domains: auto
  authenticator_password: "\${DATA_AUTHENTICATOR_PASSWORD}"
  owner_password: "\${DATA_OWNER_PASSWORD}"
`,
  text: `
- The section requires \`gatehouse:postgres\`.
- [Limits](limits.md) describes what a client gets beyond each limit, with measurements.
- A schema is either exposed or private. The database and the roles differ from those of the identity provider.
- [An existing database](existing-database.md) keeps its schemas, owners and relations; the page also lists what a server without a superuser does not enforce.
- The database, pipelines and key columns are described in [opening a database](opening-a-database.md), deprecated schemas in [versioning](versioning.md); the differences between versions of PostgREST in [postgrest](postgrest.md).
`,
} satisfies Section;

export type DataApiDraft = Draft<z.output<typeof schema>>;
export type DataApi = Readonly<NonNullable<ReturnType<typeof toDataApi>>>;
/** The web catalog of the data API, on each of its domains (docs/catalog.md). */
export type Catalog = NonNullable<DataApi["catalog"]>;
/** The announced end of an exposed schema; both days are UTC, like `2027-01-31`. */
export type Deprecation = DataApi["deprecated"][number];

/** Returns the settings; undefined if the section has a problem. */
export function toDataApi({ location, value }: DataApiDraft, domains: readonly Domain[], variables: Variables) {
  if (value === undefined) return undefined;
  const { schemas, catalog, limits, database, ...own } = resolve(schema, value, location, variables);
  const { name, existing, protect } =
    typeof database === "string" ? { name: database, existing: false, protect: undefined } : database;
  return {
    ...own,
    database: name,
    existing,
    protect, // undefined = as the server
    /** The enabled domain kinds on which it is exposed. */
    domains: enabledKinds(own.domains, domains),
    /** Exposed schemas in order; the first is the default, usually `api_v1`. */
    exposed: schemas.exposed,
    /** Schemas with personal data: created without grants. */
    private: schemas.private,
    hidden: schemas.hidden,
    deprecated: Object.entries(schemas.deprecated).map(([schema, notice]) => ({ schema, ...notice })),
    /** Undefined = not deployed. */
    catalog: catalog === false ? undefined : catalog,
    /** `statementTimeout` in milliseconds, `maxAge` in seconds. */
    limits: { ...limits, statementTimeout: milliseconds(limits.statementTimeout) },
  };
}
