/** What Postgres itself says of relations and columns, and of the views over them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCatalogue } from "../../ops/contract/catalogue.ts";
import { checkContract } from "../../ops/contract/check.ts";
import { type Contract, writeLock } from "../../ops/contract/contract.ts";
import { startTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase("contract-catalogue");
  await database.client.query(BASE);
});
afterAll(() => database.close());

const BASE = `
  create schema marts;
  create table marts.a (id integer primary key, n text not null, m text, j jsonb not null);
  create table marts.b (id integer primary key, a integer not null references marts.a);
  insert into marts.a values (1, 'one', null, 'null'), (2, 'two', 'm', '7');
  insert into marts.b values (2, 2);
  create type marts.level as enum ('low');
  create domain marts.code as varchar(4) not null;`;

/** Reads a schema that exists for this alone, as relation → column → text. */
async function readOnce(ddl: string): Promise<Record<string, Record<string, string>>> {
  await database.client.query(`begin; create schema api_v1; set local search_path = api_v1; ${ddl}`);
  try {
    const contract = await readCatalogue(database.client, "api_v1");
    await expectNoNulls(contract);
    const { relations } = JSON.parse(writeLock(contract)) as { relations: Record<string, Record<string, string>> };
    return relations;
  } finally {
    await database.client.query("rollback");
  }
}

/** What is promised to be never null, is not. */
async function expectNoNulls({ relations }: Contract): Promise<void> {
  for (const [relation, columns] of relations) {
    for (const [column, { nullable }] of columns) {
      if (nullable) continue;
      const nulls = `select count(*)::int as n from api_v1."${relation}" where "${column}" is null`;
      const { rows } = await database.client.query<{ n: number }>(nulls);
      expect([relation, column, rows[0]?.n]).toEqual([relation, column, 0]);
    }
  }
}

/** The columns of a view with this query. */
async function view(query: string): Promise<Record<string, string> | undefined> {
  return (await readOnce(`create view v as ${query}`))["v"];
}

describe("a schema as it is served", () => {
  test("has its tables, views, materialized views and partitioned tables, without the partitions and what is elsewhere", async () => {
    const relations = await readOnce(`
      create table t (id integer not null, gone text); alter table t drop column gone;
      create table p (id integer not null) partition by list (id);
      create table p1 partition of p for values in (1);
      create materialized view m as select id from t;
      create view v as select id from m;
      create sequence s; create type composite as (x integer); create index on t (id);`);
    const columns = { id: "integer not null" };
    expect(relations).toEqual({ t: columns, p: columns, m: columns, v: columns });
  });

  test("tells types with their length, and the schema of one that is not Postgres's own, whatever the search path", async () => {
    const ddl = `create table t (a varchar(4), b numeric(5,2)[], c marts.level, d marts.level[], e timestamptz(3), f marts.code)`;
    const types = {
      a: "character varying(4)",
      b: "numeric(5,2)[]",
      c: "marts.level",
      d: "marts.level[]",
      e: "timestamp(3) with time zone",
      f: "marts.code not null",
    };
    expect(await readOnce(ddl)).toEqual({ t: types });
    expect(await readOnce(`set local search_path = api_v1, marts; ${ddl}`)).toEqual({ t: types });
  });

  test("that does not exist has no relations", async () => {
    expect((await readCatalogue(database.client, "api_v2")).relations).toEqual(new Map());
  });

  test("can be read by a role that may read nothing else", async () => {
    await database.client.query("begin; create role stranger; set local role stranger");
    const { relations } = await readCatalogue(database.client, "marts");
    await database.client.query("rollback");
    expect(relations.get("b")?.get("a")).toEqual({ type: "integer", nullable: false });
  });
});

describe("NOT NULL of a table", () => {
  test("does not count before it is valid, or where tables that inherit need not keep it", async () => {
    const relations = await readOnce(`
      create table t (id integer); insert into t values (null); alter table t add constraint c not null id not valid;
      create table parent (id integer, constraint c2 not null id no inherit);
      create table child () inherits (parent); insert into child values (null);`);
    expect(relations).toEqual({ t: { id: "integer" }, parent: { id: "integer" }, child: { id: "integer" } });
  });
});

describe("a column of a view", () => {
  test("keeps the NOT NULL of its table, also through joins, groups, views, subqueries and common table expressions", async () => {
    expect(await view("select a.id, n, m, b.id as b from marts.a join marts.b on b.a = a.id")).toEqual({
      id: "integer not null",
      n: "text not null",
      m: "text",
      b: "integer not null",
    });
    expect(await view("select id, n from marts.a join marts.b using (id) group by id, n")).toEqual({
      id: "integer not null",
      n: "text not null",
    });
    expect(await view("select j.n, j.m from (marts.a join marts.b using (id)) as j")).toEqual({
      n: "text not null",
      m: "text",
    });
    expect(
      await view("with x as (select id, m from marts.a) select x.id, x.m, s.n from x, (select n from marts.a) s"),
    ).toEqual({ id: "integer not null", m: "text", n: "text not null" });
    const nested = "create view w as select id as k, m from marts.a; create view v as select * from w";
    expect((await readOnce(nested))["v"]).toEqual({ k: "integer not null", m: "text" });
  });

  test("keeps that of a catalogue table", async () => {
    const query = "select relname, reloptions from pg_class c join pg_namespace n on n.oid = c.relnamespace";
    expect(await view(query)).toEqual({ relname: "name not null", reloptions: "text[]" });
  });

  test("may be null on the side of an outer join that may be missing, however far down", async () => {
    const joined = "select a.id, b.id as b from marts.a left join marts.b on b.a = a.id";
    const columns = { id: "integer not null", b: "integer" };
    expect(await view(joined)).toEqual(columns);
    expect(await view(`select * from (${joined}) s`)).toEqual(columns);
    expect(await view(`with x as (${joined}) select * from x`)).toEqual(columns);
    expect((await readOnce(`create view w as ${joined}; create view v as select * from w`))["v"]).toEqual(columns);
    expect(await view("select id, n, a from marts.a full join marts.b using (id)")).toEqual({
      id: "integer",
      n: "text",
      a: "integer",
    });
    expect(
      await view("select b.id, s.n from marts.b left join lateral (select n from marts.a where a.id = -b.a) s on true"),
    ).toEqual({ id: "integer not null", n: "text" });
    expect(
      await view("select s.c from marts.a left join (select a, count(*) as c from marts.b group by a) s on s.a = id"),
    ).toEqual({ c: "bigint" });
  });

  test("may be null in grouping sets, unions, scalar subqueries and whatever is computed", async () => {
    expect(await view("select id, n from marts.a group by rollup (id, n)")).toEqual({ id: "integer", n: "text" });
    expect(await view("select id from marts.a union all select null")).toEqual({ id: "integer" });
    expect(await view("with recursive x as (select 1 as n union all select null from x where n < 3) table x")).toEqual({
      n: "integer",
    });
    expect(await view("select (select n from marts.a where id = -b.id) as n, nullif(id, 2) as i from marts.b")).toEqual(
      {
        n: "text",
        i: "integer",
      },
    );
    expect(await view("select max(id) as id, sum(id) as s from marts.a where false")).toEqual({
      id: "integer",
      s: "bigint",
    });
  });

  test("is never null as a constant, a count, a cast of such or with coalesce; not as what JSON's null becomes", async () => {
    expect(
      await view(
        "select 'x'::text as k, count(*)::integer as n, coalesce(m, '-') as c, id::bigint as i, j::integer as j from marts.a group by m, id, j",
      ),
    ).toEqual({ k: "text not null", n: "integer not null", c: "text not null", i: "bigint not null", j: "integer" });
  });
});

describe("the check of a deployment", () => {
  const DDL =
    "create schema api_v1; create view api_v1.v as select id, n from marts.a; create view api_v1.w as select 1 as x;";

  /** The lock of DDL, then what `change` makes of it, judged before it is committed. */
  async function checkAfter(change: string, options = {}): Promise<{ ok: boolean; detail: string }> {
    const { client } = database;
    await client.query(`begin; ${DDL}`);
    try {
      const lock = await readCatalogue(client, "api_v1");
      await client.query(change);
      const { name, ...result } = await checkContract(client, "api_v1", lock, options);
      expect(name).toBe("contract of api_v1");
      return result;
    } finally {
      await client.query("rollback");
    }
  }

  test("holds without a lock file", async () => {
    expect(await checkContract(database.client, "api_v1", undefined)).toEqual({
      name: "contract of api_v1",
      ok: true,
      detail: "nothing is promised yet; npm run contract -- accept writes it down",
    });
  });

  test("holds when nothing changed, and with additions", async () => {
    expect(await checkAfter("select 1")).toEqual({ ok: true, detail: "kept" });
    expect(await checkAfter("create or replace view api_v1.v as select id, n, m from marts.a")).toEqual({
      ok: true,
      detail: "kept; nothing breaks, 1 change",
    });
  });

  test("fails with a line for each break", async () => {
    const change =
      "drop view api_v1.w; drop view api_v1.v; create view api_v1.v as select id::text, m, 1 as o from marts.a";
    expect(await checkAfter(change)).toEqual({
      ok: false,
      detail: `3 breaking changes
  ✖ v.id  integer not null → text not null  another type
  ✖ v.n   text not null                     gone
  ✖ w     1 column                          gone
Give these back, or see docs/versioning.md; npm run contract -- check shows them again.`,
    });
  });

  test("of a deployment that was never whole fails on columns alone", async () => {
    const incomplete = { mayBeIncomplete: true };
    expect(await checkAfter("drop schema api_v1 cascade", incomplete)).toEqual({ ok: true, detail: "kept" });
    expect((await checkAfter("drop schema api_v1 cascade")).ok).toBe(false);
    const changed = "drop view api_v1.v; create view api_v1.v as select n from marts.a; drop view api_v1.w";
    expect(await checkAfter(changed, incomplete)).toEqual({
      ok: false,
      detail: `1 breaking change
  ✖ v.id  integer not null  gone
Give these back, or see docs/versioning.md; npm run contract -- check shows them again.`,
    });
  });
});
