import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { messageOf, report, sections, shell, stack } from "../stacks.ts";

const cases = [
  {
    title: "a database that is neither a name nor a section",
    raw: stack({ data_api: { ...sections.data_api, database: 7 } }),
    lines: [
      "data_api.database: found 7, expected a name, or a section with one. Write it like { name: shop, existing: true }.",
    ],
  },
  {
    title: "the schema public, and one whose name needs quotes, in a database that the stack creates",
    raw: stack({ data_api: { ...sections.data_api, schemas: { hidden: ["Crm-EU", "public"] } } }),
    lines: [
      'data_api.schemas: schema "Crm-EU" requires an existing database. ' +
        "Remove it, or, if the database exists before the stack, set database: { name: …, existing: true }.",
      'data_api.schemas: schema "public" requires an existing database. ' +
        "Remove it, or, if the database exists before the stack, set database: { name: …, existing: true }.",
    ],
  },
  {
    title: "a database of the stack whose name needs quotes",
    raw: stack({ data_api: { ...sections.data_api, database: { name: "my-shop" } } }),
    lines: [
      'data_api.database: database "my-shop" needs quotes in SQL, which only an existing one may. Use at most 63 of a-z, 0-9 and _.',
    ],
  },
  {
    title: "the schema public as an exposed one",
    raw: stack({
      data_api: {
        ...sections.data_api,
        database: { name: "shop", existing: true },
        schemas: { exposed: ["public"], private: [] },
      },
    }),
    lines: [
      'data_api.schemas.exposed[0]: found "public", expected an unreserved Postgres name. Use at most 63 of a-z, 0-9 and _; ' +
        "Postgres reserves pg_* and public, Gatehouse reserves catalog, gatehouse and gatehouse_*.",
    ],
  },
  {
    title: "a writer that Gatehouse creates",
    raw: stack({ data_api: { ...sections.data_api, writers: ["dbt", "gatehouse_owner"] } }),
    lines: [
      'data_api.writers[1]: role "gatehouse_owner" is created by Gatehouse. ' +
        "Name roles that exist; the owner creates relations without being listed.",
    ],
  },
  {
    title: "a writer that is listed twice",
    raw: stack({ data_api: { ...sections.data_api, writers: ["dbt", "etl", "dbt"] } }),
    lines: ['data_api.writers: role "dbt" is listed twice. List it once.'],
  },
  {
    title: "a catalog with everything wrong",
    raw: stack({
      data_api: { ...sections.data_api, catalog: { hots: "x", host: "A", base_path: "/explore", replicas: 0 } },
    }),
    lines: [
      'data_api.catalog.host: found "A", expected a DNS label. Use at most 63 of a-z, 0-9 and -, and begin and end with a letter or digit.',
      'data_api.catalog.base_path: found "/explore", expected a path that starts and ends with /. Write it like /explore/.',
      "data_api.catalog.replicas: found 0, expected a whole number from 1 to 100. Use a number in that range.",
      'data_api.catalog.hots: unknown key. Did you mean "host"?',
    ],
  },
  {
    title: "a catalog that is true",
    raw: stack({ data_api: { ...sections.data_api, catalog: true } }),
    lines: ["data_api.catalog: found true, expected a section, or false. Write false to leave it out."],
  },
  {
    title: "a catalog whose path contains ..",
    raw: stack({ data_api: { ...sections.data_api, catalog: { base_path: "/../" } } }),
    lines: [
      'data_api.catalog.base_path: found "/../", expected a path that starts and ends with /. Write it like /explore/.',
    ],
  },
  {
    title: "a data API without a server",
    raw: stack({
      postgres: undefined,
      identity_provider: { install: false, token: "${TOKEN}", url: "https://sso.example.org" },
    }),
    lines: ["data_api: requires gatehouse:postgres. Add it."],
  },
  {
    title: "a schema that is both",
    raw: stack({ data_api: { ...sections.data_api, schemas: { exposed: ["api_v1", "raw"], private: ["raw"] } } }),
    lines: ['data_api.schemas: schema "raw" is both exposed and private. Remove it from one of the two lists.'],
  },
  {
    title: "no exposed schema",
    raw: stack({ data_api: { ...sections.data_api, schemas: { exposed: [] } } }),
    lines: ["data_api.schemas.exposed: found an empty list, expected at least one schema. The first is the default."],
  },
  {
    title: "one role for two things",
    raw: stack({ data_api: { ...sections.data_api, roles: { anonymous: "web", authenticator: "web" } } }),
    lines: ['data_api.roles: role "web" is used twice. Give each role its own name.'],
  },
  {
    title: "the administrator as the role of requests",
    raw: stack({ data_api: { ...sections.data_api, roles: { anonymous: "postgres" } } }),
    lines: ['data_api.roles: role "postgres" is postgres.user, the administrator. Give each role its own name.'],
  },
  {
    title: "an administrator in a variable as the role of requests",
    raw: stack(
      {
        postgres: { ...sections.postgres, user: "${PGUSER}" },
        data_api: { ...sections.data_api, roles: { anonymous: "root" } },
      },
      { "variables:PGUSER": { value: "root" } },
    ),
    lines: ['data_api.roles: role "root" is postgres.user, the administrator. Give each role its own name.'],
  },
  {
    title: "the role of the identity provider as a writer of public relations",
    raw: stack({ data_api: { ...sections.data_api, writers: ["authentik"] } }),
    lines: [
      'data_api.writers: role "authentik" is that of the identity provider\'s database. Name the role of a pipeline.',
    ],
  },
  {
    title: "a schema that Gatehouse keeps",
    raw: stack({ data_api: { ...sections.data_api, schemas: { exposed: ["api_v1", "gatehouse_openapi"] } } }),
    lines: [
      'data_api.schemas.exposed[1]: found "gatehouse_openapi", expected an unreserved Postgres name. Use at most 63 of a-z, 0-9 and _; Postgres reserves pg_* and public, Gatehouse reserves catalog, gatehouse and gatehouse_*.',
    ],
  },
  {
    title: "the end of a schema that is not exposed, on a day before it begins, or on none",
    raw: stack({
      data_api: {
        ...sections.data_api,
        schemas: {
          deprecated: {
            api_v0: { since: "2026-01-01", sunset: "2027-01-01" },
            raw: { since: "2027-01-01", sunset: "2027-01-01 00:00:00 +0000 UTC" },
          },
        },
      },
    }),
    lines: [
      "data_api.schemas.deprecated.api_v0: is not an exposed schema. Use the name of an exposed schema, or remove it.",
      "data_api.schemas.deprecated.raw.sunset: is not after since. Set a later day.",
    ],
  },
  {
    title: "an unknown key and a missing one of a deprecated schema",
    raw: stack({
      data_api: {
        ...sections.data_api,
        schemas: { deprecated: { raw: { since: "2026-01-01", lnik: "https://example.org" } } },
      },
    }),
    lines: [
      "data_api.schemas.deprecated.raw.sunset: missing. Add it: Date from which the schema may be removed, sent as `Sunset` (RFC 8594); after `since`.",
      'data_api.schemas.deprecated.raw.lnik: unknown key. Did you mean "link"?',
    ],
  },
  {
    title: "a day that does not exist",
    raw: stack({
      data_api: {
        ...sections.data_api,
        schemas: { deprecated: { raw: { since: "2026-02-30", sunset: "soon", link: "there" } } },
      },
    }),
    lines: [
      'data_api.schemas.deprecated.raw.since: found "2026-02-30", expected a day. Write it like 2027-01-31.',
      'data_api.schemas.deprecated.raw.sunset: found "soon", expected a day. Write it like 2027-01-31.',
      'data_api.schemas.deprecated.raw.link: found "there", expected a URL. Write it like https://data.example.org/versions.',
    ],
  },
  {
    title: "fewer instances at the most than at the least",
    raw: stack({ data_api: { ...sections.data_api, replicas: 5 } }),
    lines: ["data_api.max_replicas: 4 is fewer than replicas. Set it to replicas or more."],
  },
  {
    title: "everyone as a role",
    raw: stack({ data_api: { ...sections.data_api, roles: { anonymous: "public" } } }),
    lines: [
      'data_api.roles.anonymous: found "public", expected an unreserved Postgres name. Use at most 63 of a-z, 0-9 and _; Postgres reserves pg_* and public.',
    ],
  },
  {
    title: "the identity provider's database for the data",
    raw: stack({ data_api: { ...sections.data_api, database: "authentik" } }),
    lines: ['data_api.database: database "authentik" is already used by the identity provider. Give it another name.'],
  },
  {
    title: "a database and a role of the server's administrator",
    raw: stack({
      data_api: { ...sections.data_api, database: "postgres" },
      identity_provider: {
        ...sections.identity_provider,
        database: { name: "template1", user: "postgres", password: "${POSTGRES}" },
      },
    }),
    lines: [
      'identity_provider.database.user: role "postgres" is postgres.user, the administrator. Give authentik a separate role.',
      'identity_provider.database.name: database "template1" exists on every server. Give authentik a separate database.',
      'data_api.database: database "postgres" exists on every server. Give it another name, or set database: { name: postgres, existing: true }.',
    ],
  },
  {
    title: "a database and a role that authentik reads as JSON",
    raw: stack({
      identity_provider: {
        ...sections.identity_provider,
        database: { name: "null", user: "true", password: "${POSTGRES}" },
      },
    }),
    lines: [
      'identity_provider.database.name: authentik reads "null" in its environment as JSON. Use another name.',
      'identity_provider.database.user: authentik reads "true" in its environment as JSON. Use another name.',
    ],
  },
  {
    title: "a limit in other words",
    raw: stack({ data_api: { ...sections.data_api, limits: { max_rows: "many", statement_timeout: "5 seconds" } } }),
    lines: [
      "data_api.limits.max_rows: found text, expected a whole number. Write it in digits, without quotes.",
      'data_api.limits.statement_timeout: found "5 seconds", expected a Postgres interval. Write it like 5s.',
    ],
  },
  {
    title: "a query of more than ten minutes, which Postgres may not even accept",
    raw: stack({ data_api: { ...sections.data_api, limits: { statement_timeout: "35792min" } } }),
    lines: ['data_api.limits.statement_timeout: found "35792min", expected at most 10min. Write it like 5s.'],
  },
  {
    title: "a version without v, as no image has it",
    raw: stack({ data_api: { ...sections.data_api, version: "14.17" } }),
    lines: ['data_api.version: found "14.17", expected a version of PostgREST. Write it like v14.17.'],
  },
  {
    title: "more connections than authentik can spare on an installed server",
    raw: stack({
      postgres: { password: "${POSTGRES}", install: { kind: "statefulset" } },
      data_api: { ...sections.data_api, max_replicas: 10, limits: { connections: 11 } },
    }),
    lines: [
      "data_api.max_replicas: (max_replicas + 1) × (limits.connections + 2) is 143, and an installed server has 140 for the data API, since authentik " +
        "needs the others. Lower max_replicas or limits.connections, or use an existing server.",
    ],
  },
];

describe("A wrong data API", () => {
  test.each(cases)("is reported: $title", ({ raw, lines }) => {
    expect(messageOf(() => parseStack(raw, shell))).toBe(report(lines));
  });
});
