/** What the data API serves of an existing database, one of whose owners rebuilds its tables as dbt does. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SUPERUSER_FEATURES } from "../../config/sections/postgres/superuserFeatures.ts";
import {
  ADMINISTRATORS,
  build,
  EMAIL,
  type ExistingDatabase,
  startExistingDatabase,
  TABLES,
} from "./existingDatabase.ts";

const ROUNDS = 8;

describe.each(ADMINISTRATORS)("with %s", (_administrator, superuser) => {
  let database: ExistingDatabase;
  let api: ExistingDatabase["api"];
  let read: ExistingDatabase["read"];
  let roundOf: ExistingDatabase["roundOf"];
  let findings: ExistingDatabase["findings"];
  let differences: ExistingDatabase["differences"];

  beforeAll(async () => {
    database = await startExistingDatabase(superuser);
    ({ api, read, roundOf, findings, differences } = database);
  });
  afterAll(() => database.stop());

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
    expect(database.bodies.filter((body) => body.includes(EMAIL))).toEqual([]);
    for (const relation of ["people.customer", "staging.client"]) {
      await expect(api.query(`select from ${relation}`, api.roles.anonymous)).rejects.toMatchObject({ code: "42501" });
    }
  });

  test("reports what needs a superuser and is not enforced, and nothing else", async () => {
    const unenforced = superuser ? [] : SUPERUSER_FEATURES.map(({ kind, name }) => [`${kind} ${name}`, "unenforced"]);
    expect((await findings()).map(({ subject, danger }) => [subject, danger])).toEqual(unenforced.sort());
  });

  test("allows writers to create relations in a created schema, which are readable at once", async () => {
    await api.query("create table reference.region as select 7 as id", "dbt");
    expect(await api.query("select id from reference.region", api.roles.anonymous)).toEqual([{ id: 7 }]);
    expect(await differences()).toEqual([]);
    await api.query("drop table reference.region");
  });

  test("allows writers to describe their relations until they are removed", async () => {
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
});
