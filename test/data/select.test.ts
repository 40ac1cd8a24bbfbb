/** What a `select` can make Postgres return in addition to the columns of a row; each with a control that reaches PostgREST without the gateway. */
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { checkDataApi } from "../../ops/checks/verify/dataApi.ts";
import { asAdministrator, asOwner, responseTo, rowsOf, sendRequest, until } from "./apiClient.ts";
import { podAddress } from "./defences.ts";
import { NO_ROUTE } from "./expectedResponses.ts";

const marts = { "Accept-Profile": "marts" };

/** The status of a refused query, the address that it is redirected to, and the response there. */
const UNROUTED = [302, "/rpc/unrouted-query", NO_ROUTE];
async function redirected(query: string): Promise<unknown[]> {
  const { status, headers } = await sendRequest(`GET /ref_number?${query}`, { headers: marts });
  const location = String(headers["location"]);
  return [status, location, await responseTo(`GET ${location}`, { headers: marts })];
}

beforeAll(async () => {
  await asOwner("create table marts.oids (id bigint, json_aggregate text)");
  await asAdministrator(
    "insert into marts.oids values ('private_marts.secret_person'::regclass::oid::bigint, 'person')",
  );
  await until(200, async () => (await sendRequest("GET /oids", { headers: marts })).status);
});
afterAll(() => asOwner("drop table if exists marts.oids"));

describe("a function of the whole row", () => {
  test.each([
    "json_agg",
    "jsonb_agg",
    "json_agg_strict",
    "array_agg",
    "all:json_agg",
    "number,json_agg",
    "json_agg::text",
    '"json_agg"',
    "%6Ason_agg",
    encodeURIComponent(String.raw`"json\_agg"`),
    encodeURIComponent(String.raw`"j\son_agg"`),
    encodeURIComponent(String.raw`"a\\","\json_agg"`),
    "number&select=json_agg",
  ])("is not routed: select=%s", async (select) => {
    expect(await responseTo(`GET /ref_number?select=${select}`, { headers: marts })).toEqual(NO_ROUTE);
  });

  test("is not routed in related rows", async () => {
    const target = "/dim_fylke?select=fylke_nr,dim_kommune(json_agg)";
    expect(await responseTo(`GET ${target}`, { headers: marts })).toEqual(NO_ROUTE);
  });

  test.each([
    "json_agg",
    "array_agg",
    '"jsonb_agg".desc',
    "%6Ason_agg",
    "number,jsonb_agg",
    String.raw`"json\_agg"`,
    "%22json%5C_agg%22",
    "%22json%5c_agg%22",
  ])("is not routed in an order, where it collects all rows in memory: order=%s", async (order) => {
    for (const query of [`select=count&order=${order}`, `select=number,dim_kommune(count)&dim_kommune.order=${order}`])
      expect(await redirected(query)).toEqual(UNROUTED);
  });

  test("control: is computed for an order by PostgREST itself", async () => {
    const line = "GET /ref_number?select=count&order=jsonb_agg";
    expect(await rowsOf(line, { headers: marts, to: await podAddress() })).toEqual([{ count: 1500 }]);
  });

  test("is not routed after more parameters than Traefik compares", async () => {
    expect(await redirected(`select=json_agg${"&".repeat(10_001)}`)).toEqual(UNROUTED);
  });

  test.each(["json_agg", encodeURIComponent(String.raw`"json\_agg"`)])(
    "control: returns every row in one from PostgREST itself, past the maximum number of rows: select=%s",
    async (select) => {
      const [row] = await rowsOf(`GET /ref_number?select=${select}`, { headers: marts, to: await podAddress() });
      expect(row?.["json_agg"]).toHaveLength(1500);
    },
  );

  test("is not confused with a column with a backslash in its name", async () => {
    await asOwner(String.raw`create table marts."a\b" ("c\d" integer)`, String.raw`insert into marts."a\b" values (1)`);
    const target = `/${encodeURIComponent(String.raw`a\b`)}`;
    await until(200, async () => (await sendRequest(`GET ${target}`, { headers: marts })).status);
    const select = encodeURIComponent(String.raw`"c\\d"`);
    expect(await rowsOf(`GET ${target}?select=${select}`, { headers: marts })).toEqual([{ [String.raw`c\d`]: 1 }]);
    await asOwner(String.raw`drop table marts."a\b"`);
  });
});

describe("the name of an object by its OID", () => {
  test.each([
    "id::regclass",
    "id::%20regclass",
    "id::REGCLASS",
    "id::_regclass",
    "id::setof%20regclass",
    "id::SETOF%20%20regnamespace",
    "name:id::regclass",
    "count::regrole",
    "count::setof%09regrole",
  ])("is not routed: select=%s", async (select) => {
    expect(await responseTo(`GET /oids?select=${select}`, { headers: marts })).toEqual(NO_ROUTE);
  });

  test("control: returns the name of a private table from PostgREST itself", async () => {
    const rows = await rowsOf("GET /oids?select=id::regclass", { headers: marts, to: await podAddress() });
    expect(rows).toEqual([{ id: "private_marts.secret_person" }]);
    const sets = await rowsOf("GET /oids?select=id::setof%20regclass", { headers: marts, to: await podAddress() });
    expect(sets).toEqual(rows);
  });
});

describe("a column with brackets in its name", () => {
  const table = encodeURIComponent("Andel (prosent), år");
  const names = encodeURIComponent('"Andel (prosent)","Antall (stk)"');
  beforeAll(async () => {
    await asOwner(
      'create table marts."Andel (prosent), år" (id integer primary key, "Andel (prosent)" numeric, "Antall (stk)" integer)',
      'insert into marts."Andel (prosent), år" values (1, 2.5, 3)',
    );
    await until(200, async () => (await sendRequest(`GET /${table}`, { headers: marts })).status);
  });
  afterAll(() => asOwner('drop table if exists marts."Andel (prosent), år" cascade'));

  test("is returned, and its relation is estimated, since it is no related row", async () => {
    const row = { "Andel (prosent)": 2.5, "Antall (stk)": 3 };
    expect(await rowsOf(`GET /${table}?select=${names}`, { headers: marts })).toEqual([row]);
    const headers = { ...marts, Prefer: "count=estimated" };
    expect(await rowsOf(`GET /${table}?select=${names}`, { headers })).toEqual([row]);
  });

  test("does not hide related rows inside of related rows", async () => {
    const nested = "dim_kommune(fylke_nr,dim_fylke(dim_kommune(kommune_nr)))";
    expect(await responseTo(`GET /dim_fylke?select=${names},${nested}`, { headers: marts })).toEqual(NO_ROUTE);
    const escaped = encodeURIComponent(String.raw`"a\",${nested},"b"`);
    expect(await responseTo(`GET /dim_fylke?select=${escaped}`, { headers: marts })).toEqual(NO_ROUTE);
  });

  test("is verified with its relation, whose name the two descriptions encode in different ways", async () => {
    await asOwner('create view api_v1."måling (a.b), år" as select id from marts."Andel (prosent), år"');
    const failed = async () => {
      const checks = await checkDataApi(inject("data").url, { exposed: ["api_v1", "marts"], hidden: [] }, 1000);
      return checks.filter(({ ok }) => !ok);
    };
    // Both instances of PostgREST describe it.
    await until([], failed);
    expect((await sendRequest("GET /openapi.json")).body).toContain('"/m%C3%A5ling%20%28a%2Eb%29%2C%20%C3%A5r"');
    await asOwner('drop view api_v1."måling (a.b), år"');
  });
});

describe("columns", () => {
  const columns = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}:number`).join(",");
  test("are returned up to 100", async () => {
    const [row] = await rowsOf(`GET /ref_number?limit=1&select=${columns(100)}`, { headers: marts });
    expect(Object.keys(row ?? {})).toHaveLength(100);
  });

  test("are not routed above 100", async () => {
    const target = `/ref_number?limit=1&select=${columns(101)}`;
    expect(await responseTo(`GET ${target}`, { headers: marts })).toEqual(NO_ROUTE);
  });

  test("of the description are not routed above 100, which PostgREST would compare in seconds", async () => {
    expect(await responseTo(`GET /openapi.json?select=${columns(101)}`, {})).toEqual(NO_ROUTE);
    const { status } = await sendRequest("GET /openapi.json?schema=marts");
    expect(status).toBe(200);
  });

  test("are returned with other casts, and with names that contain those of functions", async () => {
    const target = "/oids?select=id::text,json_aggregate,kind:json_aggregate::varchar";
    const [row] = await rowsOf(`GET ${target}`, { headers: marts });
    expect(row).toMatchObject({ json_aggregate: "person", kind: "person" });
  });
});

describe("an estimate", () => {
  test.each(["count=planned", "count=estimated"])("is not routed for related rows: %s", async (Prefer) => {
    const target = "/dim_fylke?select=fylke_nr,dim_kommune!inner(kommune_nr)";
    expect(await responseTo(`GET ${target}`, { headers: { ...marts, Prefer } })).toEqual(NO_ROUTE);
  });

  test("is the only applied preference if it is in the first of two Prefer lines", async () => {
    const lines = [...Object.entries(marts), ["Prefer", "count=planned"], ["Prefer", "handling=lenient"]] as const;
    const { status, headers } = await sendRequest("HEAD /ref_number?limit=0", { headers: lines });
    expect([status, headers["preference-applied"]]).toEqual([206, "count=planned"]);
  });
});
