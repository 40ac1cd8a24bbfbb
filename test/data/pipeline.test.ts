/** Objects of pipelines are served or rejected immediately, without a deployment. */
import { afterEach, describe, expect, inject, test } from "vitest";
import { sendRequest, asOwner, rowsOf, until, withDatabase } from "./apiClient.ts";

const marts = { headers: { "Accept-Profile": "marts" } };

/** Runs statements and returns code, message and hint of the error; undefined without an error. */
async function errorOf(...statements: string[]): Promise<unknown> {
  const failure = await asOwner(...statements).then(
    () => undefined,
    (error: unknown) => error,
  );
  const { code, message, hint } = (failure ?? {}) as { code?: string; message?: string; hint?: string };
  return failure === undefined ? undefined : { code, message, hint };
}

const leakError = (what: string, from: string) => ({
  code: "42501",
  message: `${what} serves rows of ${from}, which contains personal data: everyone could read them`,
  hint: `Take the rows of ${from} out of it (a partition: detach it), drop it, or move it to a private schema.`,
});

describe("a new table", () => {
  afterEach(() => asOwner("drop table if exists marts.fact_new, private_marts.fact_new, raw.fact_new cascade"));

  test.each(["marts", "raw"])("is readable and described in %s without a deployment", async (schema) => {
    const headers = { "Accept-Profile": schema };
    expect((await sendRequest("GET /fact_new", { headers })).status).toBe(404);
    await asOwner(
      `create table ${schema}.fact_new (id integer primary key, seen text)`,
      `comment on column ${schema}.fact_new.seen is 'What was seen'`,
      `insert into ${schema}.fact_new values (1, 'one')`,
    );
    await until(200, async () => (await sendRequest("GET /fact_new", { headers })).status);
    expect(await rowsOf("GET /fact_new", { headers })).toEqual([{ id: 1, seen: "one" }]);
    const [endpoint] = await rowsOf(`GET /meta_endpoints?schema=eq.${schema}&relation=eq.fact_new`);
    expect(endpoint?.["kind"]).toBe("fact");
    await until("What was seen", () => descriptionOf("fact_new", "seen", headers));
  });

  test("is not readable in private_marts through any schema or name", async () => {
    await asOwner(
      `create table private_marts.fact_new (id integer primary key, seen text)`,
      `insert into private_marts.fact_new values (1, 'secret_canary')`,
      // When this one is served, the schema cache has been reloaded after the private one was created.
      `create table marts.fact_new (id integer)`,
    );
    await until(200, async () => (await sendRequest("GET /fact_new", marts)).status);
    for (const path of ["/fact_new", "/private_marts.fact_new", "/private_marts%2Efact_new"]) {
      for (const schema of ["api_v1", "raw", "private_marts", "private_raw"]) {
        const response = await sendRequest(`GET ${path}`, { headers: { "Accept-Profile": schema } });
        expect([path, schema, response.status]).toEqual([path, schema, 404]);
        expect(response.body).not.toContain("secret_canary");
      }
    }
    expect(await rowsOf("GET /meta_endpoints?relation=eq.fact_new&select=schema")).toEqual([{ schema: "marts" }]);
  });

  test("returns 404 after it is dropped", async () => {
    await asOwner("create table marts.fact_new (id integer)");
    await until(200, async () => (await sendRequest("GET /fact_new", marts)).status);
    await asOwner("drop table marts.fact_new");
    await until(404, async () => (await sendRequest("GET /fact_new", marts)).status);
    expect(await rowsOf("GET /meta_endpoints?relation=eq.fact_new")).toEqual([]);
  });
});

describe("a private table", () => {
  afterEach(() => asOwner("drop schema if exists staging cascade").catch(() => undefined));

  test.each([
    ["a view", "create view api_v1.leak as select * from private_marts.secret_person", "view api_v1.leak"],
    [
      "a view over a join and a subquery",
      `create view marts.leak as select id from marts.fact_observation
       where id in (select observation from private_marts.secret_person)`,
      "view marts.leak",
    ],
    [
      "a materialized view",
      "create materialized view raw.leak as select secret_name from private_marts.secret_person",
      "materialized view raw.leak",
    ],
    [
      "a child table",
      "create table marts.leak (secret_id integer, secret_name text, observation integer); alter table private_marts.secret_person inherit marts.leak",
      "table marts.leak",
    ],
  ])("rejects %s", async (_, statement, what) => {
    expect(await errorOf("begin", statement)).toEqual(leakError(what, "private_marts.secret_person"));
    await expectNoLeak();
  });

  test("rejects a view over a view in a schema that is not served, and a move of that view to an exposed schema", async () => {
    await withDatabase((client) =>
      client.query(`create schema staging authorization ${inject("data").plan.roles.owner}`),
    );
    await asOwner("create view staging.leak as select secret_name from private_marts.secret_person");
    const refused = leakError("view api_v1.leak", "private_marts.secret_person");
    expect(await errorOf("alter view staging.leak set schema api_v1")).toEqual(refused);
    expect(await errorOf("create view api_v1.leak as select * from staging.leak")).toEqual(refused);
    await expectNoLeak();
  });

  test("rejects a move of the table of an exposed view to a private schema", async () => {
    await asOwner("create table private_raw.moving (a text)", "alter table private_raw.moving set schema raw");
    await asOwner("create view api_v1.moving as select a from raw.moving");
    const refused = await errorOf("alter table raw.moving set schema private_raw");
    await asOwner("drop view api_v1.moving", "drop table raw.moving");
    expect(refused).toEqual(leakError("view api_v1.moving", "private_raw.moving"));
  });

  async function expectNoLeak(): Promise<void> {
    for (const schema of ["api_v1", "marts", "raw"]) {
      const response = await sendRequest("GET /leak", { headers: { "Accept-Profile": schema } });
      expect([schema, response.status]).toEqual([schema, 404]);
    }
  }
});

describe("the comment of a column", () => {
  afterEach(() => asOwner("drop table if exists marts.fact_new cascade"));

  test("is inherited by wrapper views unless the view has its own", async () => {
    const text = (): Promise<string | undefined> => descriptionOf("new_wrapper", "renamed");
    await asOwner(
      "create table marts.fact_new (seen text)",
      "comment on column marts.fact_new.seen is 'first'",
      "create view marts.between as select seen from marts.fact_new",
      "create view api_v1.new_wrapper as select seen as renamed from marts.between",
    );
    await until("first", text);
    await asOwner("comment on column marts.fact_new.seen is 'second'");
    await until("second", text);
    await asOwner("comment on column api_v1.new_wrapper.renamed is 'own'");
    await until("own", text);
    await asOwner("comment on column marts.fact_new.seen is 'third'");
    await until("third", () => descriptionOf("fact_new", "seen", marts.headers));
    expect(await text()).toBe("own");
  });
});

/** Returns the description of a column in the Swagger document. */
async function descriptionOf(
  relation: string,
  column: string,
  headers: Record<string, string> = {},
): Promise<string | undefined> {
  const { definitions } = JSON.parse((await sendRequest("GET /", { headers })).body) as {
    definitions: Record<string, { properties: Record<string, { description?: string }> } | undefined>;
  };
  return definitions[relation]?.properties[column]?.description;
}
