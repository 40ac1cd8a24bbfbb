import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
  await api.query(
    `create table private_marts.person (id integer, navn text);
     insert into private_marts.person values (1, 'Sample Person');
     create table marts.dim_kommune (kommune_nr text primary key, navn text);
     create table marts.parent (id integer, navn text);
     create table marts.parted (id integer, navn text) partition by list (id)`,
    api.roles.owner,
  );
  await api.query(
    `create schema staging authorization ${api.roles.owner}; set role ${api.roles.owner}; create table staging.base (id integer)`,
  );
});
afterAll(() => api.stop());

/** Returns the error that the owner gets for a statement, else `done`. The statement is rolled back. */
async function attempt(sql: string): Promise<string> {
  return api.query(`begin; ${sql}; rollback`, api.roles.owner).then(
    () => "done",
    (error: Error) => error.message,
  );
}

const refusal = (kind: string, relation: string, source = "private_marts.person"): string =>
  `${kind} ${relation} serves rows of ${source}, which contains personal data: everyone could read them`;

test("refuses also in a session with session_replication_role = replica, which bulk loads use", async () => {
  const sql = `begin; set local session_replication_role = replica; set local role ${api.roles.owner};
    create view api_v1.people as select * from private_marts.person; rollback`;
  await expect(api.query(sql)).rejects.toThrow(refusal("view", "api_v1.people"));
});

describe("personal data", () => {
  test("refuses the position of a sequence", async () => {
    await api.query("create sequence if not exists private_marts.numbers", api.roles.owner);
    const sql = "create view api_v1.last_number as select last_value from private_marts.numbers";
    expect(await attempt(sql)).toBe(refusal("view", "api_v1.last_number", "private_marts.numbers"));
  });

  test.each([
    ["a view", "create view api_v1.people as select * from private_marts.person", "view", "api_v1.people"],
    ["a count", "create view api_v1.people as select count(*) from private_marts.person", "view", "api_v1.people"],
    [
      "a subquery",
      `create view marts."Rare name" as select kommune_nr from marts.dim_kommune where exists (select from private_marts.person)`,
      "view",
      'marts."Rare name"',
    ],
    [
      "a view over a view over a materialized view elsewhere",
      `create materialized view staging.a as select * from private_marts.person; create view staging.b as select * from staging.a;
       create view raw.people as select id from staging.b`,
      "view",
      "raw.people",
    ],
    [
      "a materialized view",
      "create materialized view marts.people as select * from private_marts.person",
      "materialized view",
      "marts.people",
    ],
    [
      "a view that is replaced",
      `create view api_v1.k as select kommune_nr, navn from marts.dim_kommune;
       create or replace view api_v1.k as select kommune_nr, (select max(p.navn) from private_marts.person p) as navn from marts.dim_kommune`,
      "view",
      "api_v1.k",
    ],
    [
      "a view below that is replaced",
      `create view staging.k as select 'x'::text as navn; create view api_v1.k as select * from staging.k;
       create or replace view staging.k as select navn from private_marts.person`,
      "view",
      "api_v1.k",
    ],
    [
      "a view that moves in",
      "create view staging.people as select * from private_marts.person; alter view staging.people set schema marts",
      "view",
      "marts.people",
    ],
    [
      "a table below that moves out",
      "create view api_v1.k as select * from marts.parent; alter table marts.parent set schema private_marts",
      "view",
      "api_v1.k",
      "private_marts.parent",
    ],
    [
      "a sequence below that moves out",
      `create sequence marts.positions; create view api_v1.k as select last_value from marts.positions;
       alter sequence marts.positions set schema private_marts`,
      "view",
      "api_v1.k",
      "private_marts.positions",
    ],
    [
      "a rule",
      "create rule also as on update to marts.parent do also select navn from private_marts.person",
      "table",
      "marts.parent",
    ],
    [
      "a child",
      "create table private_marts.child () inherits (marts.parent)",
      "table",
      "marts.parent",
      "private_marts.child",
    ],
    [
      "a partition",
      "create table private_marts.part partition of marts.parted default",
      "table",
      "marts.parted",
      "private_marts.part",
    ],
    [
      "an attached partition",
      "create table private_marts.part (id integer, navn text); alter table marts.parted attach partition private_marts.part default",
      "table",
      "marts.parted",
      "private_marts.part",
    ],
    [
      "a partition of a private table",
      `create table private_marts.parted (id integer, navn text) partition by list (id);
       create table marts.part partition of private_marts.parted default`,
      "table",
      "marts.part",
      "private_marts.parted",
    ],
    [
      "a child of a private table",
      "create table marts.child () inherits (private_marts.person)",
      "table",
      "marts.child",
    ],
    [
      "a view over a child of a child elsewhere",
      `create table staging.child () inherits (private_marts.person); create table staging.grandchild () inherits (staging.child);
       create view raw.people as select id from staging.grandchild`,
      "view",
      "raw.people",
    ],
    [
      "a table that moves out without its partitions",
      "create table marts.part partition of marts.parted default; alter table marts.parted set schema private_marts",
      "table",
      "marts.part",
      "private_marts.parted",
    ],
  ])("refuses %s", async (_, sql, kind, relation, source = "private_marts.person") => {
    expect(await attempt(sql)).toBe(refusal(kind, relation, source));
  });

  test("rejects statements of the superuser as well, with a hint", async () => {
    await expect(api.query("create view api_v1.people as select * from private_marts.person")).rejects.toMatchObject({
      code: "42501",
      hint: "Take the rows of private_marts.person out of it (a partition: detach it), drop it, or move it to a private schema.",
    });
    expect(await api.query("select from pg_views where viewname = 'people'")).toEqual([]);
  });
});

describe("two transactions that expose private data only together", () => {
  beforeEach(() =>
    api.query(
      "create view staging.a as select navn from marts.parent; create view staging.k as select navn from staging.a",
      api.roles.owner,
    ),
  );
  afterEach(() => api.query("drop view if exists api_v1.v, staging.k, staging.a", api.roles.owner));

  /** Runs both statements, commits the first transaction, then the second. Returns the error of the second. */
  const race = async (first: string, second: string, isolation = "read committed"): Promise<unknown> => {
    const sessions = await Promise.all([api.session(), api.session()]);
    try {
      for (const [index, session] of sessions.entries()) {
        await session.query(
          `set lock_timeout = '2s'; begin isolation level ${isolation}; set local role ${api.roles.owner}`,
        );
        await session.query([first, second][index] ?? "");
      }
      await sessions[0].query("commit");
      return await sessions[1].query("commit").then(
        () => "done",
        ({ code, message }: Error & { code: string }) => [code, message],
      );
    } finally {
      await Promise.all(sessions.map((session) => session.end()));
    }
  };

  const EXPOSE = "create view api_v1.v as select * from staging.k";
  const LEAK = "create or replace view staging.a as select navn from private_marts.person";

  test("are refused when the second one commits", async () => {
    expect(await race(EXPOSE, LEAK)).toEqual(["42501", refusal("view", "api_v1.v")]);
    await api.query("drop view api_v1.v", api.roles.owner);
    const bulkLoad = `reset role; set local session_replication_role = replica; ${EXPOSE}`;
    expect(await race(LEAK, bulkLoad)).toEqual(["42501", refusal("view", "api_v1.v")]);
  });

  test.each(["read committed", "serializable"])(
    "do not wait for each other before their commits, nor fail if nothing is exposed, and leave no rows: %s",
    async (isolation) => {
      expect(await race(EXPOSE, "create table staging.other (); drop table staging.other", isolation)).toBe("done");
      expect(await api.query("select from gatehouse.guarded")).toEqual([]);
    },
  );

  test("are checked after the next migrations, if a restore has changed the trigger of the check", async () => {
    await api.query(
      "alter table gatehouse.guarded disable trigger all; alter table gatehouse.guarded enable trigger all",
    );
    const enabled =
      "select tgenabled from pg_trigger where tgrelid = 'gatehouse.guarded'::regclass and not tgisinternal";
    expect(await api.query(enabled)).toEqual([{ tgenabled: "O" }]);
    api.migrate();
    expect(await api.query(enabled)).toEqual([{ tgenabled: "A" }]);
  });
});

test.each([
  ["a view over public data", "create view api_v1.k as select * from marts.dim_kommune"],
  ["a private view over private data", "create view private_marts.k as select * from private_marts.person"],
  ["a private view over public data", "create view private_marts.k as select * from marts.dim_kommune"],
  [
    "a table that inherits from the same one as a private table",
    "create table private_marts.child () inherits (staging.base); create table marts.child () inherits (staging.base)",
  ],
  ["a view over private data elsewhere", "create view staging.k as select * from private_marts.person"],
  [
    "a private table that refers to a public one",
    "create table private_marts.k (nr text references marts.dim_kommune)",
  ],
])("allows %s", async (_, sql) => {
  expect(await attempt(sql)).toBe("done");
});

test("makes a schema private with its existing relations when it is configured", async () => {
  await api.query(
    "create table staging.a (id integer); create view api_v1.later as select * from staging.a",
    api.roles.owner,
  );
  expect(() => api.migrate({ private: "private_marts,private_raw,staging" })).toThrow(
    refusal("view", "api_v1.later", "staging.a"),
  );
  expect(await attempt("create view api_v1.other as select * from staging.a")).toBe("done");
  await api.query("drop view api_v1.later", api.roles.owner);
  api.migrate({ private: "private_marts,private_raw,staging" });
  expect(await attempt("create view api_v1.other as select * from staging.a")).toBe(
    refusal("view", "api_v1.other", "staging.a"),
  );
  api.migrate();
});

test("reports a view of private data, created without the guard, in the next migration until it is dropped", async () => {
  await api.query(
    `alter event trigger gatehouse_guard_private disable;
     set role ${api.roles.owner}; create view api_v1.people as select * from private_marts.person; reset role;
     alter event trigger gatehouse_guard_private enable`,
  );
  const served = await api.get("/people");
  expect([served.status, served.body]).toEqual([200, '[{"id":1,"navn":"Sample Person"}]']);
  expect(() => api.migrate()).toThrow(refusal("view", "api_v1.people"));
  expect(await attempt("create view api_v1.other as select 1 as x")).toBe(refusal("view", "api_v1.people"));
  await api.query("drop view api_v1.people", api.roles.owner);
  expect((await api.get("/people")).status).toBe(404);
  api.migrate();
});
