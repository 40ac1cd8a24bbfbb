/** What verification reports of the privileges in an existing database. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMINISTRATORS, type ExistingDatabase, publication, startExistingDatabase } from "./existingDatabase.ts";

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
  const reported = async () =>
    (await differences()).map(({ subject, danger, message, hint }) => [subject, danger, message, hint]);

  test("closes private and hidden schemas whose names need quotes in SQL", async () => {
    await api.query(
      `create table "Stage.2".lead as select 1 as id; create view analytics_api.leads as select id from "Stage.2".lead;
       alter view analytics_api.leads owner to dbt; grant usage on schema "Stage.2" to dbt; grant select on "Stage.2".lead to dbt;
       grant select on analytics_api.leads to gatehouse_anonymous`,
    );
    expect(JSON.parse((await read("/leads")).body)).toEqual([{ id: 1 }]);
    expect(await differences()).toEqual([]);
    await api.query(
      'grant usage on schema "Crm-EU" to gatehouse_anonymous; grant select on "Crm-EU".contact, "Stage.2".lead to gatehouse_anonymous',
    );
    expect((await differences()).map(({ subject, danger, hint }) => [subject, danger, hint])).toEqual([
      ['schema "Crm-EU"', "leak", 'REVOKE USAGE ON SCHEMA "Crm-EU" FROM gatehouse_anonymous;'],
      ['table "Crm-EU".contact', "leak", 'REVOKE SELECT ON TABLE "Crm-EU".contact FROM gatehouse_anonymous;'],
      ['table "Stage.2".lead', "leak", 'REVOKE SELECT ON TABLE "Stage.2".lead FROM gatehouse_anonymous;'],
    ]);
    await api.query((await differences()).map(({ hint }) => hint).join("\n"));
    await api.query('drop view analytics_api.leads; drop table "Stage.2".lead');
    const refused = 'analytics_api.contacts serves rows of "Crm-EU".contact, which contains personal data';
    const leak = api.query('create view analytics_api.contacts as select id from "Crm-EU".contact');
    if (superuser) {
      await expect(leak).rejects.toThrow(refused);
    } else {
      // Without event triggers, the next migration refuses it.
      await leak;
      expect(() => api.migrate()).toThrow(refused);
      await api.query("drop view analytics_api.contacts");
    }
    expect(await differences()).toEqual([]);
  });

  test("names a relation that slipped through, with a hint", async () => {
    await api.query("create table analytics_api.slipped as select 1 as id", "outsider");
    expect((await read("/slipped")).status).toBe(401);
    expect((await differences()).map(({ subject, message, hint }) => [subject, message, hint])).toEqual([
      ["table analytics_api.slipped", "gatehouse_anonymous lacks SELECT", publication("analytics_api.slipped")],
      [
        "table analytics_api.slipped",
        "is owned by outsider, which is not in data_api.writers: what it creates next is not readable",
        "add outsider to data_api.writers",
      ],
    ]);
    await api.query("drop table analytics_api.slipped");
  });

  test("names a private relation that can be read, with a hint", async () => {
    await api.query("grant usage on schema people to public; grant select on people.customer to gatehouse_anonymous");
    const found = await differences();
    expect(found.map(({ subject, danger, message }) => [subject, danger, message])).toEqual([
      ["schema people", "leak", "PUBLIC (all roles) has USAGE"],
      ["table people.customer", "leak", "gatehouse_anonymous has SELECT"],
    ]);
    await api.query(found.map(({ hint }) => hint).join("\n"));
    expect(await differences()).toEqual([]);
  });

  test("names a view of a superuser that reads past row security, and its owner, with a hint", async () => {
    await api.query(
      `create table staging.person as select 1 as id; alter table staging.person owner to etl;
       alter table staging.person enable row level security;
       create view analytics_api.persons as select id from staging.person;
       grant select on analytics_api.persons to gatehouse_anonymous`,
    );
    expect(JSON.parse((await read("/persons")).body)).toEqual([{ id: 1 }]);
    expect(await reported()).toEqual([
      [
        "view analytics_api.persons",
        "leak",
        "serves every row of staging.person, past its row security: analytics_api.persons is owned by postgres (SUPERUSER)",
        "give analytics_api.persons an owner without SUPERUSER and BYPASSRLS, or set security_invoker if its readers may read the table",
      ],
    ]);
    await api.query("grant select on staging.person to dbt; alter view analytics_api.persons owner to dbt");
    expect(await differences()).toEqual([]);
    expect(JSON.parse((await read("/persons")).body)).toEqual([]);
    await api.query("drop view analytics_api.persons; drop table staging.person");
  });

  test("prints no statement that publishes rows, or hides them from the programs of their owner", async () => {
    await api.query(
      `alter table staging.client enable row level security; alter table analytics_api.etl_5 enable row level security`,
    );
    expect((await differences()).map(({ subject, message, hint }) => [subject, message, hint])).toEqual([
      [
        "view analytics_api.clients",
        "serves every row of staging.client, past its row security",
        "give analytics_api.clients another owner than etl and its members, or set security_invoker if its readers may read the table",
      ],
      [
        "table analytics_api.etl_5",
        "has row security and no policy for gatehouse_anonymous: no rows are returned",
        "if all its rows may be public: CREATE POLICY public_read ON analytics_api.etl_5 FOR SELECT TO gatehouse_anonymous USING (true); otherwise move it to another schema",
      ],
    ]);
    await api.query(
      `alter table staging.client disable row level security; alter table analytics_api.etl_5 disable row level security`,
    );
    expect(await differences()).toEqual([]);
  });

  test("names a view whose owner inherits from the owner of a table with row security, until it no longer does", async () => {
    await api.query(
      `alter table staging.client enable row level security; grant etl to dbt;
       create view analytics_api.client_ids as select id from staging.client; alter view analytics_api.client_ids owner to dbt;
       grant select on analytics_api.client_ids to gatehouse_anonymous; drop view analytics_api.clients`,
    );
    expect(JSON.parse((await read("/client_ids")).body)).toEqual([{ id: 1 }]);
    expect(await reported()).toEqual([
      [
        "view analytics_api.client_ids",
        "leak",
        "serves every row of staging.client, past its row security: analytics_api.client_ids is owned by dbt, a member of etl",
        "give analytics_api.client_ids another owner than etl and its members, or set security_invoker if its readers may read the table",
      ],
    ]);
    await api.query("grant etl to dbt with inherit false; grant select on staging.client to dbt");
    expect(JSON.parse((await read("/client_ids")).body)).toEqual([]);
    expect(await differences()).toEqual([]);
    await api.query(
      `drop view analytics_api.client_ids; revoke etl from dbt; revoke select on staging.client from dbt;
       alter table staging.client disable row level security; set role etl; create view analytics_api.clients as select id from staging.client`,
    );
    expect(await differences()).toEqual([]);
  });

  test("names a view of a hidden table whose policies do not apply because row security is off", async () => {
    await api.query("create policy own on staging.client using (false)");
    expect(JSON.parse((await read("/clients")).body)).toEqual([{ id: 1 }]);
    expect(await reported()).toEqual([
      [
        "view analytics_api.clients",
        "leak",
        "serves every row of staging.client: staging.client has policies, but row security is off",
        "enable it, which hides rows from other programs, too, or drop the policies if all rows of staging.client may be public",
      ],
    ]);
    await api.query("drop policy own on staging.client");
    expect(await differences()).toEqual([]);
  });

  test("names a path past row security next to a shorter one on which it applies", async () => {
    const found = async () => (await differences()).map(({ subject, message, hint }) => [subject, message, hint]);
    await api.query(
      `alter table staging.client enable row level security; grant usage on schema staging to dbt; grant select on staging.client to dbt;
       drop view analytics_api.clients; create view staging.emails as select id from staging.client; alter view staging.emails owner to etl;
       grant select on staging.emails to dbt; create view analytics_api.joined as select e.id from staging.emails e left join staging.client c using (id);
       alter view analytics_api.joined owner to dbt; grant select on analytics_api.joined to gatehouse_anonymous`,
    );
    expect(JSON.parse((await read("/joined")).body)).toEqual([{ id: 1 }]);
    expect(await found()).toEqual([
      [
        "view analytics_api.joined",
        "serves every row of staging.client through staging.emails, past its row security",
        "give staging.emails another owner than etl and its members, or set security_invoker if its readers may read the table",
      ],
    ]);
    // With the rights of the client's role, also inside of another view.
    await api.query("alter view staging.emails set (security_invoker)");
    expect((await read("/joined")).status).toBe(401);
    expect(await found()).toEqual([]);
    // A materialized view is filled with the rights of its owner.
    await api.query(
      `alter view staging.emails owner to dbt; grant select on staging.emails to etl;
       set role etl; create materialized view analytics_api.filled as select id from staging.emails`,
    );
    expect(JSON.parse((await read("/filled")).body)).toEqual([{ id: 1 }]);
    expect(await found()).toEqual([
      [
        "materialized view analytics_api.filled",
        "serves every row of staging.client through staging.emails, past its row security",
        "give analytics_api.filled another owner than etl and its members",
      ],
    ]);
    await api.query(
      `drop materialized view analytics_api.filled; drop view analytics_api.joined, staging.emails; revoke select on staging.client from dbt;
       revoke usage on schema staging from dbt; alter table staging.client disable row level security;
       set role etl; create view analytics_api.clients as select id from staging.client`,
    );
    expect(await found()).toEqual([]);
  });

  test("names a writer that is a member of the data owner, also through another role", async () => {
    await api.query("grant gatehouse_owner to dbt; create role team; grant gatehouse_owner to team; grant team to etl");
    const found = await differences();
    expect(found.map(({ subject, danger, message }) => [subject, danger, message])).toEqual(
      ["dbt", "team"].map((role) => [
        `role ${role}`,
        "leak",
        "is a member of gatehouse_owner, and reads and changes what it owns",
      ]),
    );
    await api.query(found.map(({ hint }) => hint).join("\n"));
    await api.query("drop role team");
    expect(await differences()).toEqual([]);
  });

  test("reports what PUBLIC has only where a request reaches it", async () => {
    const found = async (): Promise<unknown> => (await differences()).map(({ subject, message }) => [subject, message]);
    await api.query(
      `create extension pg_stat_statements schema people;
       create function staging.total() returns integer language sql return 1;
       create function people.total() returns integer language sql return 1;
       create function people.stamp() returns trigger language plpgsql as 'begin return new; end';
       create function analytics_api.stamp() returns trigger language plpgsql as 'begin return new; end';
       create schema closed; create table closed.orders (id integer); grant select on closed.orders to public;
       alter default privileges for role app in schema closed grant select on tables to public;
       create function staging.dblinks_per_day() returns integer language sql immutable return 1;
       create view analytics_api.links as select staging.dblinks_per_day() as links; alter view analytics_api.links owner to etl;
       grant select on analytics_api.links to gatehouse_anonymous;
       create schema shared; create table shared.orders (id integer); grant usage on schema shared to public`,
    );
    expect(await found()).toEqual([]);
    // A view reads a table without USAGE of its schema, with the rights of its reader, and so does a function.
    await api.query(
      `create function people.orders() returns table (id integer) language sql stable begin atomic select id from closed.orders; end;
       create view analytics_api.invoker with (security_invoker) as select id from closed.orders;
       create view analytics_api.function as select id from people.orders();
       alter view analytics_api.invoker owner to etl; alter view analytics_api.function owner to etl; alter function people.orders() owner to app;
       grant select on analytics_api.invoker, analytics_api.function to gatehouse_anonymous`,
    );
    const serves = "serves rows of table closed.orders, in a schema that the configuration does not name";
    expect(await found()).toEqual([
      ["view analytics_api.function", serves],
      ["view analytics_api.invoker", serves],
    ]);
    await api.query(
      "drop view analytics_api.invoker, analytics_api.function, analytics_api.links; drop function staging.dblinks_per_day()",
    );
    expect(await found()).toEqual([]);
    // Now the anonymous role may use or read each of them.
    await api.query(
      `alter function people.total() security definer; grant usage on schema closed, staging to public; grant select on shared.orders to public`,
    );
    const [execute, select] = ["PUBLIC (all roles) has EXECUTE", "PUBLIC (all roles) has SELECT"];
    expect(await found()).toEqual([
      ["function people.total()", `${execute}, and it runs with the rights of postgres (SECURITY DEFINER)`],
      ["function staging.total()", execute],
      ["schema staging", "PUBLIC (all roles) has USAGE"],
      [
        "default privileges of app in schema closed",
        "each table that is created in closed gives PUBLIC (all roles) SELECT",
      ],
      ["table closed.orders", select],
      ["table shared.orders", select],
    ]);
    await api.query(
      `drop extension pg_stat_statements; drop function staging.total(), people.orders(), people.total(), people.stamp(), analytics_api.stamp();
       revoke usage on schema staging from public; drop schema closed, shared cascade`,
    );
    expect(await found()).toEqual([]);
  });
});
