/** The doctor against a Postgres without TLS, and users without rights. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { failures, fails, Stack } from "./stack.ts";
import { CANARIES, startSystems, type Systems } from "./systems.ts";

let systems: Systems;
let stack: Stack;
beforeAll(async () => {
  systems = await startSystems();
  stack = new Stack(systems);
});
afterAll(() => systems.stop());

test("reports TLS, password and rights of Postgres", async () => {
  const examineWith = async (fields: object, changes: Record<string, unknown> = {}) =>
    failures(await stack.examine({ "gatehouse:postgres": stack.postgres(fields), ...changes }), "Postgres");
  const at = `${systems.postgres.host}:${systems.postgres.port}`;
  expect(await examineWith({ sslmode: "require" })).toEqual({
    "Postgres: connection": fails(
      `cannot reach database postgres on ${at} as postgres: The server does not support SSL connections`,
      "Enable TLS on the server, or set postgres.sslmode: disable.",
    ),
  });
  expect(await examineWith({ password: "${OWNER}" })).toEqual({
    "Postgres: connection": fails(
      `cannot reach database postgres on ${at} as postgres: password authentication failed for user "postgres"`,
      "Correct postgres.user and postgres.password, or pg_hba.conf of the server.",
    ),
  });
  await systems.sql(`create role limited login password '${CANARIES.POSTGRES}'`);
  expect(await examineWith({ user: "limited" })).toEqual({
    "Postgres: rights of the administrator": fails(
      "postgres.user: limited is not a superuser, which gatehouse:data_api requires",
      "As a superuser of the server run: ALTER ROLE limited SUPERUSER. A managed server has no superuser: set postgres.superuser: false (docs/existing-database.md)",
    ),
  });
  const existing = {
    "gatehouse:data_api": {
      database: {
        name: "ware-house",
        existing: true,
      },
      domains: ["localhost"],
      authenticator_password: "${OWNER}",
      owner_password: "${OWNER}",
      writers: [] as string[],
    },
  };
  const onExisting = () => examineWith({ user: "limited", superuser: false }, existing);
  expect((await onExisting())["Postgres: existing database"]).toEqual(
    fails(
      'data_api.database: the server has no database "ware-house"',
      "Create it, correct the name, or remove existing: true.",
    ),
  );
  await systems.sql('create database "ware-house"');
  expect(await onExisting()).toEqual({
    "Postgres: rights of the administrator": fails(
      "postgres.user: limited lacks CREATEROLE",
      "As a superuser of the server run: ALTER ROLE limited CREATEROLE",
    ),
  });
  await systems.sql("alter role limited createrole");
  expect(await onExisting()).toEqual({
    "Postgres: rights of the administrator": fails(
      "postgres.user: limited lacks CREATE on database ware-house",
      'As a superuser of the server run: GRANT CREATE ON DATABASE "ware-house" TO limited',
    ),
  });
  await systems.sql('grant create on database "ware-house" to limited');
  expect(await onExisting()).toEqual({});
  await systems.sqlIn("ware-house", "create role analyst", "create schema api_v1 authorization analyst");
  existing["gatehouse:data_api"].writers = ["analyst", "dbt-prod"];
  expect(await onExisting()).toEqual({
    "Postgres: views of the catalog": fails(
      "postgres.user: limited may not create meta_endpoints, meta_sources and meta_dimensions in schema api_v1",
      "Put a new schema first in data_api.schemas.exposed, or as its owner run: GRANT USAGE ON SCHEMA api_v1 TO limited; GRANT CREATE ON SCHEMA api_v1 TO limited;",
    ),
    "Postgres: writers": fails(
      'data_api.writers: the server has no role "dbt-prod"',
      "Create it, correct the name, or remove it.",
    ),
  });
  await systems.sqlIn("ware-house", "grant usage, create on schema api_v1 to limited", 'create role "dbt-prod"');
  await systems.sqlIn(
    "ware-house",
    "create foreign data wrapper files",
    "create server archive foreign data wrapper files",
    "create foreign table public.orders (id integer) server archive",
  );
  expect(await onExisting()).toEqual({
    "Postgres: foreign tables": fails(
      "public.orders has the foreign-data wrapper files, which has no handler: PostgREST cannot load its schema cache, and every request is answered with 503",
      "Drop foreign table public.orders, or give its wrapper a handler (ALTER FOREIGN DATA WRAPPER files HANDLER …).",
    ),
  });
  await systems.sqlIn("ware-house", "drop foreign data wrapper files cascade");
  expect(await onExisting()).toEqual({});
  await systems.sqlIn(
    "ware-house",
    "create schema catalog create table orders (id integer)",
    "create schema gatehouse authorization analyst",
    "create table api_v1.meta_sources (id integer)",
  );
  expect(await onExisting()).toEqual({
    "Postgres: api_v1.meta_sources": fails(
      "api_v1.meta_sources exists, but Gatehouse needs a view of this name",
      "Rename it, or put another schema first in data_api.schemas.exposed.",
    ),
    "Postgres: schema catalog": fails(
      "schema catalog exists and belongs to postgres, but Gatehouse needs a schema of this name",
      "Rename it: it contains objects that Gatehouse did not create.",
    ),
    "Postgres: schema gatehouse": fails(
      "schema gatehouse exists and belongs to analyst, but Gatehouse needs a schema of this name",
      "Rename it, or, if an earlier deployment created it: alter schema gatehouse owner to limited.",
    ),
  });
  await systems.sqlIn("ware-house", "drop schema catalog, gatehouse, api_v1 cascade");
  expect(await onExisting()).toEqual({});
  await systems.sql("alter role limited nocreaterole");
  const installed = {
    "gatehouse:data_api": undefined,
    "gatehouse:domains": { localhost: {} },
    "gatehouse:identity_provider": {
      token: "${TOKEN}",
      admin_password: "${OWNER}",
      secret_key: "${OWNER}",
      database: { password: "${OWNER}" },
    },
  };
  expect(await examineWith({ user: "limited" }, installed)).toEqual({
    "Postgres: rights of the administrator": fails(
      "postgres.user: limited lacks CREATEROLE and CREATEDB",
      "As a superuser of the server run: ALTER ROLE limited CREATEROLE CREATEDB",
    ),
  });
  await systems.sql(
    "alter role limited createrole createdb",
    "create role other",
    "create database authentik owner other",
  );
  expect(await examineWith({ user: "limited" }, installed)).toEqual({
    "Postgres: rights of the administrator": fails(
      "postgres.user: limited does not own database authentik (of other)",
      "As a superuser of the server run: GRANT other TO limited",
    ),
  });
  await systems.sql("grant other to limited");
  expect(await examineWith({ user: "limited" }, installed)).toEqual({});
});
