/** A database that exists before the data API: 30 tables of three owners, one of which rebuilds its tables as dbt does. */
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SUPERUSER_FEATURES } from "../../config/superuserFeatures.ts";
import { expectationOf } from "../../ops/checks/grants/expectation.ts";
import type { GrantFinding } from "../../ops/checks/grants/finding.ts";
import { verifyGrants } from "../../ops/checks/grants/verification.ts";
import { ADMINISTRATOR, type Answer, type DataApi, startDataApi } from "./postgrest.ts";

const EMAIL = "canary-4c1e@example.org";
const OWNERS = ["dbt", "etl", "app"];
const SCHEMAS: Readonly<Record<string, string>> = { dbt: "analytics_api", etl: "analytics_api", app: "app_public" };
const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const TABLES = OWNERS.flatMap((owner) =>
  NUMBERS.map((number) => ({ owner, schema: SCHEMAS[owner] ?? "", name: `${owner}_${number}` })),
);
const ROUNDS = 8;

/** Builds a table from the private one, without its private column. */
const build = (name: string, round: number): string =>
  `create table ${name} as select id, region, ${round} as round from people.customer`;

const CONTENT = `
  create role outsider;
  set role ${ADMINISTRATOR};
  create role dbt login; create role etl login; create role app login; create role "load-job@Shop" login;
  reset role;
  create schema analytics_api authorization dbt;
  create schema app_public authorization app;
  create schema people authorization app;
  create schema staging authorization etl;
  create schema "Crm-EU" authorization app; create table "Crm-EU".contact as select 1 as id; alter table "Crm-EU".contact owner to app;
  grant create on schema public to "load-job@Shop";
  grant usage, create on schema analytics_api to etl, outsider, "load-job@Shop";
  set role etl; create table staging.client as select 1 as id, '${EMAIL}'::text as email;
  create view analytics_api.clients as select id from staging.client; reset role;
  set role "load-job@Shop"; create table public.invoice (id integer, email text); create function public.helper() returns integer language sql return 1; insert into public.invoice values (1, '${EMAIL}');
  create view analytics_api.invoices as select id from public.invoice; reset role;
  set role app;
  create table people.customer (id integer, region text, email text);
  insert into people.customer select n, 'north', '${EMAIL}' from generate_series(1, 20) n;
  grant usage on schema people to dbt, etl; grant select on people.customer to dbt, etl;
  reset role;
  ${TABLES.map(({ owner, schema, name }) => `set role ${owner}; ${build(`${schema}.${name}`, 0)}; reset role;`).join("\n")}`;

describe.each([
  ["a superuser", true],
  ["a role without superuser rights", false],
])("with %s", (_administrator, superuser) => {
  let api: DataApi;
  let client: Client;
  /** Everything that a client got. */
  const bodies: string[] = [];

  beforeAll(async () => {
    api = await startDataApi({
      ...{ superuser, writers: [...OWNERS, "load-job@Shop"], content: CONTENT },
      ...{
        exposed: ["analytics_api", "app_public", "reference"],
        private: ["people", "Crm-EU"],
        hidden: ["staging", "public", "Stage.2"],
      },
    });
    client = await api.session();
    if (!superuser) await client.query(`set role ${ADMINISTRATOR}`);
  });
  afterAll(async () => {
    await client.end();
    await api.stop();
  });

  async function read(path: string, schema = "analytics_api"): Promise<Answer> {
    const answer = await api.get(path, { "accept-profile": schema });
    bodies.push(answer.body);
    return answer;
  }

  /** Reads a table; every response must have all rows of one build. */
  async function roundOf({ schema, name }: { readonly schema: string; readonly name: string }): Promise<number> {
    const { status, body } = await read(`/${name}?order=id`, schema);
    expect([name, status, status === 200 ? "" : body]).toEqual([name, 200, ""]);
    const rows = JSON.parse(body) as { id: number; region: string; round: number }[];
    const [{ round } = { round: -1 }] = rows;
    expect(rows).toEqual(Array.from({ length: 20 }, (_, index) => ({ id: index + 1, region: "north", round })));
    return round;
  }

  const findings = async (): Promise<GrantFinding[]> => verifyGrants(client, expectationOf(api.plan));
  const differences = async (): Promise<GrantFinding[]> =>
    (await findings()).filter(({ severity }) => severity === "error");

  test("serves every table, and keeps its owner", async () => {
    for (const table of TABLES) expect(await roundOf(table)).toBe(0);
    const owners = await api.query(
      `select relname as name, relnamespace::regnamespace::text as schema, pg_get_userbyid(relowner)::text as owner
       from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('analytics_api', 'app_public')`,
    );
    expect(owners).toHaveLength(TABLES.length);
    expect(owners).toEqual(expect.arrayContaining(TABLES));
  });

  test("serves every table before, during and after each rebuild", async () => {
    const dbt = await api.session();
    await dbt.query("set role dbt");
    const rebuilt = TABLES.filter(({ owner }) => owner === "dbt");
    try {
      for (let round = 1; round <= ROUNDS; round += 1) {
        // In odd rounds as a DROP and a CREATE, in even ones with an intermediate table, as dbt-postgres swaps them.
        const rebuild = async (): Promise<void> => {
          for (const { schema, name } of rebuilt) {
            const [table, next, old] = ["", "__dbt_tmp", "__dbt_backup"].map((suffix) => `${schema}.${name}${suffix}`);
            await dbt.query(
              round % 2 === 1
                ? `begin; drop table ${table}; ${build(`${table}`, round)}; commit`
                : `${build(`${next}`, round)}; begin; alter table ${table} rename to ${name}__dbt_backup;
                   alter table ${next} rename to ${name}; commit; drop table ${old}`,
            );
          }
        };
        let isDone = false;
        const end = rebuild().finally(() => (isDone = true));
        const seen: number[] = [];
        while (!isDone) for (const table of rebuilt) seen.push(await roundOf(table));
        await end;
        expect(seen.filter((one) => one !== round && one !== round - 1)).toEqual([]);
        for (const table of rebuilt) expect(await roundOf(table)).toBe(round);
      }
    } finally {
      await dbt.end();
    }
    expect(await differences()).toEqual([]);
  });

  test("serves a view on a table in public, which is hidden, and reports what PUBLIC gets there", async () => {
    expect(JSON.parse((await read("/invoices")).body)).toEqual([{ id: 1 }]);
    expect((await read("/invoices?select=email")).status).toBe(400);
    expect((await read("/invoice", "public")).status).toBe(406);
    await expect(api.query("select from public.invoice", api.roles.anonymous)).rejects.toMatchObject({ code: "42501" });
    await api.query("grant select on public.invoice to public");
    expect(await differences()).toEqual([
      expect.objectContaining({ hint: "REVOKE SELECT ON TABLE public.invoice FROM PUBLIC;", danger: "leak" }),
    ]);
    await api.query("revoke select on public.invoice from public");
    await api.query("alter function public.helper() security definer");
    expect(await differences()).toEqual([
      expect.objectContaining({ subject: "function public.helper()", danger: "takeover" }),
    ]);
    await api.query("alter function public.helper() security invoker");
    expect(await differences()).toEqual([]);
  });

  test("never serves a private column", async () => {
    expect((await read("/dbt_0?select=email")).status).toBe(400);
    // A view of a hidden schema leaves the column out.
    expect(JSON.parse((await read("/clients")).body)).toEqual([{ id: 1 }]);
    expect((await read("/clients?select=email")).status).toBe(400);
    expect((await read("/client", "staging")).status).toBe(406);
    expect((await read("/customer", "people")).status).toBe(406);
    expect((await read("/customer")).status).toBe(404);
    await read("/");
    await read("/meta_endpoints");
    expect(bodies.filter((body) => body.includes(EMAIL))).toEqual([]);
    for (const relation of ["people.customer", "staging.client"]) {
      await expect(api.query(`select from ${relation}`, api.roles.anonymous)).rejects.toMatchObject({ code: "42501" });
    }
  });

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
    const refused = 'analytics_api.contacts reads "Crm-EU".contact, which contains personal data';
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

  test("reports what needs a superuser and is not enforced, and nothing else", async () => {
    const unenforced = superuser ? [] : SUPERUSER_FEATURES.map(({ kind, name }) => [`${kind} ${name}`, "unenforced"]);
    expect((await findings()).map(({ subject, danger }) => [subject, danger])).toEqual(unenforced.sort());
  });

  test("names a relation that slipped through, with a hint", async () => {
    await api.query("create table analytics_api.slipped as select 1 as id", "outsider");
    expect((await read("/slipped")).status).toBe(401);
    expect((await differences()).map(({ subject, message, hint }) => [subject, message, hint])).toEqual([
      [
        "table analytics_api.slipped",
        "gatehouse_anonymous lacks SELECT",
        "if all its rows and columns may be public: GRANT SELECT ON TABLE analytics_api.slipped TO gatehouse_anonymous; otherwise move it to another schema",
      ],
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
      ["schema people", "leak", "everybody (PUBLIC) has USAGE"],
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
    expect((await differences()).map(({ subject, danger, message, hint }) => [subject, danger, message, hint])).toEqual(
      [
        [
          "view analytics_api.persons",
          "leak",
          "serves every row of staging.person, past its row security: analytics_api.persons is owned by postgres (SUPERUSER)",
          "give analytics_api.persons an owner without SUPERUSER and BYPASSRLS, or set security_invoker if its readers may read the table",
        ],
      ],
    );
    await api.query("grant select on staging.person to dbt; alter view analytics_api.persons owner to dbt");
    expect(await differences()).toEqual([]);
    expect(JSON.parse((await read("/persons")).body)).toEqual([]);
    await api.query("drop view analytics_api.persons; drop table staging.person");
  });

  test("revokes in the next migration what the anonymous role has elsewhere", async () => {
    await api.query(
      `grant usage on schema people to gatehouse_anonymous; grant select on people.customer to gatehouse_anonymous;
       grant update on app_public.app_1 to gatehouse_anonymous; grant select (id) on people.customer to gatehouse_anonymous;
       create sequence people.numbers; alter sequence people.numbers owner to app; grant usage on sequence people.numbers to gatehouse_anonymous;
       create function people.one() returns integer language sql as 'select 1'; alter function people.one() owner to app;
       revoke execute on function people.one() from public; grant execute on function people.one() to gatehouse_anonymous;
       alter default privileges for role app in schema people grant select on tables to gatehouse_anonymous;
       alter default privileges for role app grant select on large objects to gatehouse_anonymous`,
    );
    expect(await differences()).toHaveLength(8);
    api.migrate();
    expect(await differences()).toEqual([]);
  });

  /** The hint for a relation of an exposed schema that lacks SELECT. */
  const publication = (relation: string): string =>
    `if all its rows and columns may be public: GRANT SELECT ON TABLE ${relation} TO gatehouse_anonymous; otherwise move it to another schema`;

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
        ...[`table ${name}`, "gatehouse_anonymous lacks SELECT", publication(name)],
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

  test("refuses a schema of another role with the name of one of its own", async () => {
    await api.query(`alter schema catalog owner to outsider`);
    expect(() => api.migrate()).toThrow(
      "schema catalog exists and belongs to outsider, but Gatehouse needs a schema of this name",
    );
    await api.query(`alter schema catalog owner to gatehouse_owner`);
  });

  test("lets writers create in a schema that the migrations created, readable at once", async () => {
    await api.query("create table reference.region as select 7 as id", "dbt");
    expect(await api.query("select id from reference.region", api.roles.anonymous)).toEqual([{ id: 7 }]);
    expect(await differences()).toEqual([]);
    await api.query("drop table reference.region");
  });

  test("lets writers describe what they create, until they are removed", async () => {
    const describe = `
      begin;
      insert into catalog.sources (source_id, provider, title) values ('a', 'etl', 'A') on conflict (source_id) do update set title = 'B';
      select * from catalog.describe_dbt('{}');
      delete from catalog.sources;
      commit`;
    const denied = { message: "permission denied for schema catalog" };
    await api.query(describe, "etl");
    await expect(api.query(describe, "outsider")).rejects.toMatchObject(denied);
    api.migrate({ writers: "dbt,app" });
    await expect(api.query(describe, "etl")).rejects.toMatchObject(denied);
    await api.query(describe, "dbt");
    api.migrate();
    await api.query(describe, "etl");
    expect(await differences()).toEqual([]);
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
    // Sessions of the dropped role are no use.
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
