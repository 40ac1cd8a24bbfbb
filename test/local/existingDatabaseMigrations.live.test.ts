/** What the migrations change of the privileges in an existing database, and what they leave. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMINISTRATORS, type ExistingDatabase, publication, startExistingDatabase } from "./existingDatabase.ts";
import { ADMINISTRATOR } from "./postgrest.ts";

describe.each(ADMINISTRATORS)("with %s", (_administrator, superuser) => {
  let database: ExistingDatabase;
  let api: ExistingDatabase["api"];
  let read: ExistingDatabase["read"];
  let differences: ExistingDatabase["differences"];

  beforeAll(async () => {
    database = await startExistingDatabase(superuser);
    ({ api, read, differences } = database);
  });
  afterAll(() => database.stop());

  test("revokes in the next migration what the anonymous role has elsewhere", async () => {
    await api.query(
      `grant usage on schema people to gatehouse_anonymous; grant select on people.customer to gatehouse_anonymous;
       grant update on app_public.app_1 to gatehouse_anonymous; grant select (id) on people.customer to gatehouse_anonymous;
       create sequence people.numbers; alter sequence people.numbers owner to app; grant usage on sequence people.numbers to gatehouse_anonymous;
       create function people.one() returns integer language sql as 'select 1'; alter function people.one() owner to app;
       revoke execute on function people.one() from public; grant execute on function people.one() to gatehouse_anonymous;
       alter default privileges for role app in schema people grant select on tables to gatehouse_anonymous;
       alter default privileges for role app grant select on large objects to gatehouse_anonymous;
       grant create, temporary on database "my-Shop" to gatehouse_anonymous`,
    );
    expect(await differences()).toHaveLength(9);
    api.migrate();
    expect(await differences()).toEqual([]);
  });

  test("never publishes a relation that was moved, or is granted by column, when the migrations run again", async () => {
    const columns = (action: string): string =>
      `${action} select (id) on analytics_api.etl_1, analytics_api.etl_2, analytics_api.etl_3 ${action === "grant" ? "to" : "from"} gatehouse_anonymous`;
    await api.query(
      `alter table people.customer set schema app_public;
       revoke select on analytics_api.etl_1, analytics_api.etl_2, analytics_api.etl_3 from gatehouse_anonymous; ${columns("grant")}`,
    );
    const lacking = (await differences()).map(({ subject, message, hint }) => [subject, message, hint]);
    expect(lacking).toEqual(
      ["analytics_api.etl_1", "analytics_api.etl_2", "analytics_api.etl_3", "app_public.customer"].map((name) => [
        `table ${name}`,
        "gatehouse_anonymous lacks SELECT",
        publication(name),
      ]),
    );
    // Privileges next to the granted column: on the relation, on the column, and to grant it to others.
    await api.query(
      `grant insert, trigger on analytics_api.etl_1 to gatehouse_anonymous; grant update (id, region) on analytics_api.etl_2 to gatehouse_anonymous;
       grant select (id) on analytics_api.etl_3 to gatehouse_anonymous with grant option; grant select on analytics_api.etl_4 to gatehouse_anonymous with grant option`,
    );
    expect(await differences()).toHaveLength(lacking.length + 5);
    api.migrate();
    expect((await differences()).map(({ subject, message, hint }) => [subject, message, hint])).toEqual(lacking);
    expect((await read("/customer", "app_public")).status).toBe(401);
    for (const name of ["etl_1", "etl_2", "etl_3"]) {
      expect((await read(`/${name}`)).status).toBe(401);
      expect(JSON.parse((await read(`/${name}?select=id&limit=1`)).body)).toEqual([{ id: 1 }]);
    }
    await api.query(
      `alter table app_public.customer set schema people; ${columns("revoke")};
       grant select on analytics_api.etl_1, analytics_api.etl_2, analytics_api.etl_3 to gatehouse_anonymous`,
    );
    expect(await differences()).toEqual([]);
  });

  test("does not publish a relation again that was moved out of an exposed schema and back", async () => {
    await api.query("alter table app_public.app_2 set schema people");
    expect((await differences()).map(({ subject, danger }) => [subject, danger])).toEqual([
      ["table people.app_2", "leak"],
    ]);
    api.migrate();
    expect(await differences()).toEqual([]);
    await api.query("alter table people.app_2 set schema app_public");
    api.migrate();
    expect((await read("/app_2", "app_public")).status).toBe(401);
    expect((await differences()).map(({ hint }) => hint)).toEqual([publication("app_public.app_2")]);
    await api.query("grant select on app_public.app_2 to gatehouse_anonymous");
    expect(await differences()).toEqual([]);
  });

  test("does not publish a restricted relation again after the default privileges of its owner were revoked", async () => {
    await api.query(
      `revoke select on app_public.app_3 from gatehouse_anonymous;
       alter default privileges for role app in schema app_public revoke select on tables from gatehouse_anonymous`,
    );
    api.migrate();
    expect((await read("/app_3", "app_public")).status).toBe(401);
    // The next one is readable again.
    expect((await differences()).map(({ hint }) => hint)).toEqual([publication("app_public.app_3")]);
    await api.query("grant select on app_public.app_3 to gatehouse_anonymous");
    expect(await differences()).toEqual([]);
  });

  test("serves rows after what PUBLIC has was revoked with the hints", async () => {
    await api.query(
      `grant usage on schema analytics_api, gatehouse to public;
       revoke usage on schema analytics_api, gatehouse from gatehouse_anonymous;
       revoke connect on database "my-Shop" from gatehouse_authenticator, gatehouse_owner`,
    );
    api.migrate();
    const hints = (await differences()).map(({ hint }) => hint);
    expect(hints).toEqual([
      "REVOKE USAGE ON SCHEMA analytics_api FROM PUBLIC;",
      "REVOKE USAGE ON SCHEMA gatehouse FROM PUBLIC;",
    ]);
    await api.query(hints.join("\n"));
    expect((await read("/dbt_1?limit=1")).status).toBe(200);
    await api.query('revoke connect on database "my-Shop" from public');
    expect(await differences()).toEqual([]);
    await api.query('grant connect on database "my-Shop" to public');
  });

  test("acts for the writers as a role with NOINHERIT, and warns of an owner that no role can be a member of", async () => {
    if (superuser) return;
    await api.query(
      `alter role ${ADMINISTRATOR} noinherit; set role ${ADMINISTRATOR}; revoke dbt, gatehouse_owner from ${ADMINISTRATOR}; reset role;
       grant create on database "my-Shop" to ${ADMINISTRATOR}; alter schema reference owner to pg_database_owner; alter database "my-Shop" owner to app`,
    );
    const has = (role: string): Promise<unknown> =>
      api.query(`select pg_has_role('${ADMINISTRATOR}', '${role}', 'USAGE') as has`);
    expect(await has("dbt")).toEqual([{ has: false }]);
    api.migrate();
    for (const role of ["dbt", "gatehouse_owner"]) expect(await has(role)).toEqual([{ has: true }]);
    await api.query(
      `alter role ${ADMINISTRATOR} inherit; alter schema reference owner to gatehouse_owner; alter database "my-Shop" owner to ${ADMINISTRATOR}`,
    );
    expect(await differences()).toEqual([]);
  });

  test("publishes what a role owns in an exposed schema when it becomes a writer", async () => {
    await api.query("create role late", ADMINISTRATOR);
    await api.query("grant usage, create on schema analytics_api to late");
    await api.query("create table analytics_api.late as select 1 as id", "late");
    api.migrate();
    expect((await read("/late")).status).toBe(401);
    api.migrate({ writers: [...api.plan.writers, "late"].join(",") });
    expect(JSON.parse((await read("/late")).body)).toEqual([{ id: 1 }]);
    await api.query("drop owned by late; drop role late");
  });
});
