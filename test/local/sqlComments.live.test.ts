import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
  await api.query(`create schema staging authorization ${api.roles.owner}`);
});
afterAll(() => api.stop());

beforeEach(async () => {
  await api.query(
    `drop table if exists marts.base cascade; drop table if exists marts.other cascade;
     create table marts.base ("Key" integer primary key, navn text, "odd (col)" text);
     comment on table marts.base is 'The base';
     comment on column marts.base."Key" is 'The key';
     comment on column marts.base."odd (col)" is 'The odd one';
     create table marts.other (id integer, note text);
     comment on column marts.other.note is 'A note'`,
    api.roles.owner,
  );
});

const owner = (sql: string): Promise<unknown> => api.query(sql, api.roles.owner);

/** Comments of a view: that of the view itself, then those of its columns in order. */
async function comments(view: string): Promise<(string | null)[]> {
  const rows = await api.query<{ comment: string | null }>(
    `select obj_description('${view}'::regclass, 'pg_class') as comment
     union all select * from (select col_description(attrelid, attnum) from pg_attribute
     where attrelid = '${view}'::regclass and attnum > 0 order by attnum) as columns`,
  );
  return rows.map(({ comment }) => comment);
}

describe("comments are copied to a view", () => {
  test.each([
    ["plain", `select "Key", navn, "odd (col)" from marts.base`, ["The base", "The key", null, "The odd one"]],
    ["renamed", `select navn as "Key", "Key" as id from marts.base`, ["The base", null, "The key"]],
    [
      "in another order, with an expression",
      `select "Key" + 1 as next, "odd (col)" as odd from marts.base`,
      ["The base", null, "The odd one"],
    ],
    ["joined", `select note, "Key" from marts.base join marts.other on id = "Key"`, [null, "A note", "The key"]],
    ["through a subquery", `select k from (select "Key" as k from marts.base offset 0) as s`, ["The base", "The key"]],
    [
      "through a common table expression",
      `with c as materialized (select "Key" as k from marts.base) select k from c`,
      ["The base", "The key"],
    ],
    [
      "next to its own subqueries",
      `select (select max(note) from marts.other) as most, "Key" from marts.base where exists (select note from marts.other)`,
      [null, null, "The key"],
    ],
    [
      "with names and texts in brackets",
      `select 'a ({ :resno 1 } "' as "b ({ x", "Key" from marts.base`,
      ["The base", null, "The key"],
    ],
    ["grouped", `select "Key", count(*) as n from marts.base group by "Key"`, ["The base", "The key", null]],
  ])("copies the comments for a query: %s", async (_, query, expected) => {
    await owner(`create view api_v1.v as ${query}`);
    expect(await comments("api_v1.v")).toEqual(expected);
    await owner("drop view api_v1.v; create materialized view api_v1.v as " + query);
    expect(await comments("api_v1.v")).toEqual(expected);
    await owner("drop materialized view api_v1.v");
  });

  test("copies from view to view, also through one that is not exposed", async () => {
    await owner(
      `create view staging.middle as select "Key" as k from marts.base; create view api_v1.first as select k as a from staging.middle;
       create view api_v1.second as select a as b from api_v1.first`,
    );
    expect(await comments("staging.middle")).toEqual([null, null]);
    expect(await comments("api_v1.first")).toEqual(["The base", "The key"]);
    expect(await comments("api_v1.second")).toEqual(["The base", "The key"]);
  });

  test("are in the description of the API", async () => {
    await owner(`create view api_v1.v as select "Key" as k from marts.base`);
    await api.restart();
    const { definitions } = JSON.parse((await api.get("/")).body) as {
      definitions: Record<string, { description: string; properties: Record<string, { description: string }> }>;
    };
    expect(definitions["v"]?.description).toBe("The base");
    expect(definitions["v"]?.properties["k"]?.description).toMatch(/^The key/);
  });
});

describe("a copied comment", () => {
  beforeEach(() =>
    owner(
      `create view api_v1.first as select "Key" as a, navn from marts.base; create view api_v1.second as select a as b, navn from api_v1.first`,
    ),
  );

  test("changes, disappears and appears with its source", async () => {
    await owner(`comment on column marts.base."Key" is 'Another key'; comment on column marts.base.navn is 'The name'`);
    expect(await comments("api_v1.second")).toEqual(["The base", "Another key", "The name"]);
    await owner(`comment on column marts.base."Key" is null; comment on table marts.base is 'New base'`);
    expect(await comments("api_v1.first")).toEqual(["New base", null, "The name"]);
    expect(await comments("api_v1.second")).toEqual(["New base", null, "The name"]);
  });

  test("is replaced by a comment of a user, which is copied in turn", async () => {
    await owner(`comment on column api_v1.first.a is 'Written'; comment on view api_v1.second is 'Mine'`);
    expect(await comments("api_v1.first")).toEqual(["The base", "Written", null]);
    expect(await comments("api_v1.second")).toEqual(["Mine", "Written", null]);
    await owner(`comment on column marts.base."Key" is 'Another key'; comment on table marts.base is 'New base'`);
    api.migrate();
    expect(await comments("api_v1.first")).toEqual(["New base", "Written", null]);
    expect(await comments("api_v1.second")).toEqual(["Mine", "Written", null]);
  });

  test("is copied again after the comment of a user is removed", async () => {
    await owner(`comment on column api_v1.first.a is 'Written'`);
    await owner(`comment on column api_v1.first.a is null`);
    expect(await comments("api_v1.second")).toEqual(["The base", "The key", null]);
  });

  test("follows the new definition of a replaced view", async () => {
    await owner(`create or replace view api_v1.first as select id as a, note as navn from marts.other`);
    expect(await comments("api_v1.first")).toEqual([null, null, "A note"]);
    expect(await comments("api_v1.second")).toEqual([null, null, "A note"]);
  });

  test("is kept when a column or a view is renamed", async () => {
    await owner(`alter view api_v1.first rename column a to c; alter view api_v1.first rename to third`);
    await owner(`comment on column marts.base."Key" is 'Another key'`);
    expect(await comments("api_v1.third")).toEqual(["The base", "Another key", null]);
  });
});

test("copies comments of views that are older than the trigger in the migration, and none without it", async () => {
  await api.query("alter event trigger gatehouse_comments disable");
  await owner(`create view api_v1.early as select "Key" as a from marts.base`);
  expect(await comments("api_v1.early")).toEqual([null, null]);
  api.migrate();
  expect(await comments("api_v1.early")).toEqual(["The base", "The key"]);
  await owner(`comment on column marts.base."Key" is 'Another key'`);
  expect(await comments("api_v1.early")).toEqual(["The base", "Another key"]);
});

test("does not block DDL behind the DDL of an open transaction after views were dropped", async () => {
  const sessions = await Promise.all([api.session(), api.session()]);
  const [first, second] = sessions;
  try {
    // As dbt materializes a view. The rows of what it drops remain until the next DDL.
    await owner(
      `create view api_v1.base as select "Key" from marts.base; create view api_v1.other as select note from marts.other;
       create view api_v1.base__dbt_tmp as select "Key" from marts.base; alter view api_v1.base rename to base__dbt_backup;
       alter view api_v1.base__dbt_tmp rename to base; drop view api_v1.base__dbt_backup`,
    );
    const stale = `select 'view' as what from gatehouse.view_origins where view not in (select oid from pg_class)
      union all select 'comment' from gatehouse.carried_comment where relation not in (select oid from pg_class)`;
    expect(await api.query(stale)).not.toEqual([]);
    await first.query("begin; alter table marts.base add column a integer");
    await second.query("set lock_timeout = '2s'; begin; alter table marts.other add column b integer");
    await second.query("commit");
    await first.query("commit");
    expect(await api.query(stale)).toEqual([]);
  } finally {
    await Promise.all(sessions.map((session) => session.end()));
  }
  await owner("drop view api_v1.base, api_v1.other");
});

describe("a database that is restored", () => {
  const GROUPED = `create materialized view api_v1.grouped as select "Key", navn, count(*) as n from marts.base group by "Key"`;
  const TABLES = ["gatehouse.carried_comment", "gatehouse.view_origins"];

  /** Restores as pg_restore does: a materialized view that needs a primary key after the rows of tables, and event triggers at the end. */
  const restore = async (): Promise<void> => {
    const dump = await Promise.all(
      TABLES.map(async (table) => ({
        table,
        rows: (await api.query<{ rows: string }>(`select json_agg(t)::text as rows from ${table} t`))[0]?.rows,
      })),
    );
    const [comments] = await api.query<{ sql: string }>(
      `select string_agg(format('comment on %s is %L', what, comment), ';') as sql from (
         select 'materialized view api_v1.grouped' as what, obj_description('api_v1.grouped'::regclass, 'pg_class') as comment
         union all
         select format('column api_v1.grouped.%I', attname), col_description(attrelid, attnum) from pg_attribute
         where attrelid = 'api_v1.grouped'::regclass and attnum > 0) as _`,
    );
    await api.query(
      `alter event trigger gatehouse_comments disable; drop materialized view api_v1.grouped; delete from ${TABLES.join("; delete from ")}`,
    );
    for (const { table, rows } of dump)
      await api.query(`insert into ${table} select * from json_populate_recordset(null::${table}, '${rows}')`);
    await owner(`${GROUPED}; ${comments?.sql}`);
    await api.query("alter event trigger gatehouse_comments enable");
  };
  afterEach(() => owner("drop materialized view if exists api_v1.grouped"));

  test("still copies changed comments to a materialized view that is created after the rows of the tables", async () => {
    await owner(GROUPED);
    await owner("comment on column api_v1.grouped.navn is 'Written'");
    await restore();
    expect(await comments("api_v1.grouped")).toEqual(["The base", "The key", "Written", null]);
    await owner(`comment on column marts.base."Key" is 'Another key'; comment on column marts.base.navn is 'The name'`);
    expect(await comments("api_v1.grouped")).toEqual(["The base", "Another key", "Written", null]);
  });

  test("contains no temporary view", async () => {
    const session = await api.session();
    try {
      await session.query(
        "create temporary view passing as select 1 as a; create view api_v1.lasting as select 1 as a",
      );
      const views =
        "select view from gatehouse.view_origins where view in ('passing'::regclass, 'api_v1.lasting'::regclass)";
      expect((await session.query(views)).rows).toHaveLength(1);
    } finally {
      await session.end();
    }
    await api.query("drop view api_v1.lasting");
  });

  test("gets tables that can be restored from the tables of an earlier version", async () => {
    await owner(GROUPED);
    await api.query(
      `drop event trigger gatehouse_comments; drop view gatehouse.passed_on, gatehouse.written_comment;
       alter table gatehouse.carried_comment drop column name, alter column relation type regclass;
       alter table gatehouse.view_origins alter column view type regclass`,
    );
    api.migrate();
    await restore();
    await owner(`comment on column marts.base."Key" is 'Another key'`);
    expect(await comments("api_v1.grouped")).toEqual(["The base", "Another key", null, null]);
  });
});

describe("transactions that change comments of one view", () => {
  /** Runs a statement in a transaction that remains open. */
  const open = async (session: Awaited<ReturnType<DataApi["session"]>>, sql: string): Promise<void> => {
    await session.query(`set role ${api.roles.owner}; set lock_timeout = '2s'; begin`);
    await session.query(sql);
  };

  test("do not wait for each other, and the next statement copies what one of them could not", async () => {
    await owner(
      `create view api_v1.both as select "Key", note from marts.base join marts.other on id = "Key";
       create view api_v1.more as select "Key", note from marts.base join marts.other on id = "Key"`,
    );
    const sessions = await Promise.all([api.session(), api.session()]);
    const [first, second] = sessions;
    try {
      await open(first, `comment on column marts.base."Key" is 'Another key'`);
      await open(second, "comment on column marts.other.note is 'Another note'");
      await first.query("create view api_v1.last as select 1 as a");
      await second.query("commit");
      await first.query("commit");
    } finally {
      await Promise.all(sessions.map((session) => session.end()));
    }
    expect(await comments("api_v1.both")).toEqual([null, "Another key", "A note"]);
    await owner("comment on view api_v1.last is 'Any statement'");
    expect(await comments("api_v1.both")).toEqual([null, "Another key", "Another note"]);
    expect(await comments("api_v1.more")).toEqual([null, "Another key", "Another note"]);
    await owner("drop view api_v1.both, api_v1.more, api_v1.last");
  });

  test("continue when one of them drops the view", async () => {
    const names = Array.from({ length: 20 }, (_, at) => `c${at}`);
    await owner(
      `create table marts.wide (${names.map((name) => `${name} integer`).join(", ")}); create view api_v1.wide as select * from marts.wide`,
    );
    const comments = names.map((name) => `comment on column marts.wide.${name} is 'Text'`).join(";");
    // Long enough for the other transaction to commit.
    await api.query(
      `alter event trigger gatehouse_comments disable; ${comments}; alter event trigger gatehouse_comments enable;
       do $$ begin execute format('alter function %s set lock_timeout = ''20s''',
         (select oid::regprocedure from pg_proc where pronamespace = 'gatehouse'::regnamespace and proname = 'comment')); end $$`,
    );
    const sessions = await Promise.all([api.session(), api.session()]);
    const [first, second] = sessions;
    try {
      await open(first, "drop view api_v1.wide");
      const commented = open(second, "comment on table marts.wide is 'The wide one'");
      const waiting = "select query from pg_stat_activity where wait_event_type = 'Lock' and query like 'comment on%'";
      await vi.waitFor(async () => expect(await api.query(waiting)).toHaveLength(1), 240_000);
      await first.query("commit");
      await commented;
      await second.query("commit");
    } finally {
      await Promise.all(sessions.map((session) => session.end()));
    }
    api.migrate();
    expect(await api.query("select view from gatehouse.skipped_view")).toEqual([]);
    await owner("drop table marts.wide");
  });

  test("do not wait for one that reads the rules of views which are not known yet", async () => {
    await api.query("alter event trigger gatehouse_comments disable");
    await owner("create view api_v1.unknown as select note from marts.other");
    await api.query("alter event trigger gatehouse_comments enable");
    const sessions = await Promise.all([api.session(), api.session()]);
    const [first, second] = sessions;
    try {
      await open(first, "alter table marts.other add column a integer");
      await open(second, `create view api_v1.v as select "Key" from marts.base`);
      await second.query("commit");
      await first.query("commit");
    } finally {
      await Promise.all(sessions.map((session) => session.end()));
    }
    expect(await comments("api_v1.v")).toEqual(["The base", "The key"]);
    await owner("drop view api_v1.unknown, api_v1.v");
  });
});
