/** Relations and columns, and the views over them, as PostgreSQL describes them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSystemCatalog } from "../../../../ops/checks/contract/systemCatalog.ts";
import { contractCheck } from "../../../../ops/checks/contract/check.ts";
import { compareSchemas } from "../../../../ops/checks/contract/comparison.ts";
import { type Change, isMissingRelation } from "../../../../ops/checks/contract/compare.ts";
import { type Contract, writeLock } from "../../../../ops/checks/contract/contract.ts";
import { contractOf } from "./contracts.ts";
import { startTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase("contract-catalog");
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
    const contract = await readSystemCatalog(database.client, "api_v1");
    await expectNoNulls(contract);
    const { relations } = JSON.parse(writeLock(contract)) as { relations: Record<string, Record<string, string>> };
    return relations;
  } finally {
    await database.client.query("rollback");
  }
}

/** Columns that are not nullable in the contract contain no null. */
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

describe("the contract of a schema", () => {
  test("contains tables, views, materialized views and partitioned tables of the schema, without partitions", async () => {
    const relations = await readOnce(`
      create table t (id integer not null, gone text); alter table t drop column gone;
      create table p (id integer not null) partition by list (id);
      create table p1 partition of p for values in (1);
      create materialized view m as select id from t;
      create view v as select id from m;
      create sequence s; create type composite as (x integer); create index on t (id);`);
    const [table, view] = [{ id: "integer not null" }, { id: "integer" }];
    expect(relations).toEqual({ t: table, p: table, m: view, v: view });
  });

  test("contains types with their length, and with the schema unless it is PostgreSQL's own, for any search path", async () => {
    const ddl = `create table t (a varchar(4), b numeric(5,2)[], c marts.level, d marts.level[], e timestamptz(3), f marts.code)`;
    const types = {
      a: "character varying(4)",
      b: "numeric(5,2)[]",
      c: "marts.level",
      d: "marts.level[]",
      e: "timestamp(3) with time zone",
      f: "marts.code",
    };
    expect(await readOnce(ddl)).toEqual({ t: types });
    expect(await readOnce(`set local search_path = api_v1, marts; ${ddl}`)).toEqual({ t: types });
  });

  test("has no relations if the schema does not exist", async () => {
    expect((await readSystemCatalog(database.client, "api_v2")).relations).toEqual(new Map());
  });

  test("can be read by a role without privileges", async () => {
    await database.client.query("begin; create role outsider; set local role outsider");
    const { relations } = await readSystemCatalog(database.client, "marts");
    await database.client.query("rollback");
    expect(relations.get("b")?.get("a")).toEqual({ type: "integer", nullable: false });
  });
});

describe("NOT NULL of a table", () => {
  test("does not count if it is not valid, or if child tables need not have it", async () => {
    const relations = await readOnce(`
      create table t (id integer); insert into t values (null); alter table t add constraint c not null id not valid;
      create table parent (id integer, constraint c2 not null id no inherit);
      create table child () inherits (parent); insert into child values (null);`);
    expect(relations).toEqual({ t: { id: "integer" }, parent: { id: "integer" }, child: { id: "integer" } });
  });
});

describe("NOT NULL of a domain", () => {
  const NULL_IN_DOMAIN = "create table t (c marts.code); insert into t select (select c from t where false)";

  test("is ignored, because PostgreSQL does not check every insert", async () => {
    expect(await readOnce(NULL_IN_DOMAIN)).toEqual({ t: { c: "marts.code" } });
    expect(await readOnce("create table t (c marts.code not null)")).toEqual({ t: { c: "marts.code not null" } });
  });

  test("is used if the lock file declares it", async () => {
    const lock = contractOf({ t: { c: "marts.code not null" } });
    await database.client.query(`begin; create schema api_v1; set local search_path = api_v1; ${NULL_IN_DOMAIN}`);
    const { relations } = await readSystemCatalog(database.client, "api_v1", lock);
    await database.client.query("rollback");
    expect(relations).toEqual(lock.relations);
  });
});

describe("a column of a view", () => {
  test("is nullable, for any query", async () => {
    expect(await view("select id, n, m, 1 as k from marts.a")).toEqual({
      id: "integer",
      n: "text",
      m: "text",
      k: "integer",
    });
  });

  test("is not nullable when the lock file declares it", async () => {
    const lock = contractOf({ v: { id: "integer not null", n: "text" } });
    await database.client.query("begin; create schema api_v1; create view api_v1.v as select id, n, m from marts.a");
    const { relations } = await readSystemCatalog(database.client, "api_v1", lock);
    await database.client.query("rollback");
    expect(relations.get("v")).toEqual(
      new Map([
        ["id", { type: "integer", nullable: false }],
        ["n", { type: "text", nullable: true }],
        ["m", { type: "text", nullable: true }],
      ]),
    );
  });
});

describe("the check of a deployment", () => {
  const DDL =
    "create schema api_v1; create view api_v1.v as select id, n from marts.a; create view api_v1.w as select 1 as x;";

  /** The lock of DDL, then what `change` makes of it, judged before it is committed. */
  async function checkAfter(
    change: string,
    isIgnored?: (change: Change) => boolean,
    declared?: Contract,
  ): Promise<{ ok: boolean; detail: string }> {
    const { client } = database;
    await client.query(`begin; ${DDL}`);
    try {
      const lock = declared ?? (await readSystemCatalog(client, "api_v1"));
      await client.query(change);
      return await checkOf(lock, isIgnored);
    } finally {
      await client.query("rollback");
    }
  }

  async function checkOf(
    contract: Contract | undefined,
    isIgnored?: (change: Change) => boolean,
  ): Promise<{ ok: boolean; detail: string }> {
    const locks = [{ schema: "api_v1", file: "f", contract }];
    const [check] = (await compareSchemas(database.client, locks, ["api", "api_v1"])).map((one) =>
      contractCheck(one, isIgnored),
    );
    expect(check?.name).toBe("contract of api_v1");
    return { ok: check?.ok === true, detail: `${check?.detail}` };
  }

  test("passes without a lock file", async () => {
    expect(await checkOf(undefined)).toEqual({
      ok: true,
      detail: "no contract yet; to accept the current columns, run npx gatehouse contract accept",
    });
  });

  test("passes without changes and with additions", async () => {
    expect(await checkAfter("select 1")).toEqual({ ok: true, detail: "kept" });
    expect(await checkAfter("create or replace view api_v1.v as select id, n, m from marts.a")).toEqual({
      ok: true,
      detail: "kept; nothing breaks, 1 change",
    });
  });

  test("keeps the nullability that the lock file declares for columns of views", async () => {
    const declared = contractOf({ v: { id: "integer not null", n: "text" }, w: { x: "integer" } });
    expect(await checkAfter("select 1", undefined, declared)).toEqual({ ok: true, detail: "kept" });
  });

  test("fails with a line for each breaking change", async () => {
    const change =
      "drop view api_v1.w; drop view api_v1.v; create view api_v1.v as select id::text, m, 1 as o from marts.a";
    expect(await checkAfter(change)).toEqual({
      ok: false,
      detail: `3 breaking changes
  ✖ v.id  integer → text  another type
  ✖ v.n   text            removed
  ✖ w     1 column        removed
Restore these, or see docs/versioning.md. npx gatehouse contract check prints them again.`,
    });
  });

  test("fails for missing columns if missing relations are ignored", async () => {
    expect(await checkAfter("drop schema api_v1 cascade", isMissingRelation)).toEqual({ ok: true, detail: "kept" });
    expect((await checkAfter("drop schema api_v1 cascade")).ok).toBe(false);
    const changed = "drop view api_v1.v; create view api_v1.v as select n from marts.a; drop view api_v1.w";
    expect(await checkAfter(changed, isMissingRelation)).toEqual({
      ok: false,
      detail: `1 breaking change
  ✖ v.id  integer  removed
Restore these, or see docs/versioning.md. npx gatehouse contract check prints them again.`,
    });
  });
});
