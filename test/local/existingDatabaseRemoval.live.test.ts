/** What an existing database contains after its stack was destroyed, and what a later deployment accepts in it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMINISTRATORS, type ExistingDatabase, startExistingDatabase, TABLES } from "./existingDatabase.ts";
import { ADMINISTRATOR } from "./postgrest.ts";

describe.each(ADMINISTRATORS)("with %s", (_administrator, superuser) => {
  let database: ExistingDatabase;
  let api: ExistingDatabase["api"];
  let roundOf: ExistingDatabase["roundOf"];
  let differences: ExistingDatabase["differences"];

  beforeAll(async () => {
    database = await startExistingDatabase(superuser);
    ({ api, roundOf, differences } = database);
  });
  afterAll(() => database.stop());

  test("refuses a schema of another role with the name of one of its own", async () => {
    await api.query(`alter schema catalog owner to outsider`);
    expect(() => api.migrate()).toThrow(
      "schema catalog exists and belongs to outsider, but Gatehouse needs a schema of this name",
    );
    await api.query(`alter schema catalog owner to gatehouse_owner`);
  });

  /** Runs the statements with which the provider drops the roles of the stack; without superuser rights it becomes a member before. */
  const destroy = (): Promise<unknown> =>
    api.query(
      Object.values(api.roles)
        .map((role) => {
          const member = superuser ? "" : `grant ${role} to ${ADMINISTRATOR};`;
          return `${member} reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role};`;
        })
        .join("\n"),
      superuser ? undefined : ADMINISTRATOR,
    );

  test("can be deployed again after it was destroyed", async () => {
    await destroy();
    await api.createRoles();
    api.migrate();
    // Sessions of the dropped role are useless.
    await api.restart();
    expect(await differences()).toEqual([]);
    for (const table of TABLES) await roundOf(table);
  });

  test("keeps database, schemas and relations when the stack is destroyed", async () => {
    await destroy();
    const names = TABLES.map(({ schema, name }) => `select count(*)::integer as rows from ${schema}.${name}`);
    expect(await api.query(names.join(" union all "))).toEqual(TABLES.map(() => ({ rows: 20 })));
    // docs/existing-database.md, "Remove"
    await api.query(
      `drop schema gatehouse, gatehouse_openapi cascade;
       drop view analytics_api.meta_endpoints, analytics_api.meta_sources, analytics_api.meta_dimensions;
       drop schema catalog cascade`,
      superuser ? undefined : ADMINISTRATOR,
    );
    expect(await api.query("select from pg_event_trigger")).toEqual([]);
    expect(
      await api.query(
        "select nspname::text as name from pg_namespace where nspname !~ '^(pg_|information)' order by 1",
      ),
    ).toEqual([
      { name: "Crm-EU" },
      { name: "Stage.2" },
      { name: "analytics_api" },
      { name: "app_public" },
      { name: "people" },
      { name: "public" },
      { name: "reference" },
      { name: "staging" },
    ]);
    await api.createRoles();
  });

  /** Returns the schemas with names that Gatehouse uses, and their functions, with their owners and privileges. */
  const foreign = (): Promise<unknown[]> =>
    api.query(
      `select nspname::text as name, pg_get_userbyid(nspowner)::text as owner, nspacl::text as privileges
       from pg_namespace where nspname ~ '^(gatehouse|catalog)'
       union all
       select p.oid::regprocedure::text, pg_get_userbyid(proowner)::text, proacl::text
       from pg_proc p where pronamespace::regnamespace::text ~ '^(gatehouse|catalog)'
       order by 1`,
    );

  const user = superuser ? "postgres" : ADMINISTRATOR;

  test.each(["catalog", "gatehouse", "gatehouse_openapi"])(
    "refuses a schema %s of its own user that it did not create, and changes nothing",
    async (schema) => {
      await api.query(
        `create schema ${schema}; create function ${schema}.price() returns integer language sql as 'select 1';
         grant usage on schema ${schema} to outsider`,
        user,
      );
      const before = await foreign();
      expect(before).toHaveLength(2);
      expect(() => api.migrate()).toThrow(
        `schema ${schema} exists and belongs to ${user}, but Gatehouse needs a schema of this name`,
      );
      expect(await foreign()).toEqual(before);
      await api.query(`drop schema ${schema} cascade`);
    },
  );

  test("uses an empty schema of its own user", async () => {
    await api.query("create schema catalog", user);
    api.migrate();
    expect(
      await api.query("select pg_get_userbyid(nspowner)::text as owner from pg_namespace where nspname = 'catalog'"),
    ).toEqual([{ owner: api.roles.owner }]);
  });

  test("refuses a view with the name of a meta view, and keeps it", async () => {
    await api.query(
      "drop view analytics_api.meta_dimensions; create view analytics_api.meta_dimensions as select 1 as id",
      user,
    );
    expect(() => api.migrate()).toThrow(
      "analytics_api.meta_dimensions exists, but Gatehouse needs a view of this name",
    );
    expect(await api.query("select id from analytics_api.meta_dimensions")).toEqual([{ id: 1 }]);
    await api.query("drop view analytics_api.meta_dimensions", user);
    api.migrate();
    expect(await differences()).toEqual([]);
  });
});
