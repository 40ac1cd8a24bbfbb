/** Rows of relations: filters, order, pages and related rows, each with status, headers and body. */
import { describe, expect, test } from "vitest";
import { errorResponse, rowsResponse } from "./expectedResponses.ts";
import { sendRequest, rowsOf, responseTo } from "./apiClient.ts";

const marts = { "Accept-Profile": "marts" };
const T = "/fact_observation";

describe("rows", () => {
  test("are an array in the default schema", async () => {
    const target = "/distrikt_summary?fylke_nr=eq.03";
    const body = [{ fylke_nr: "03", fylke_navn: "Oslo", kommuner: 1 }];
    expect(await responseTo(`GET ${target}`)).toEqual(
      rowsResponse({ profile: "api_v1", target, range: "0-0/*", body }),
    );
  });

  test("contain values of every type", async () => {
    const target = `${T}?id=in.(1,6)&order=id`;
    const [heron, nothing] = [
      {
        id: 1,
        kommune_nr: "0301",
        label: "Grey heron",
        amount: 1.5,
        taken: "2024-01-01",
        active: true,
        tags: ["bird", "water"],
        span: "[1,5)",
        doc: {
          a: { b: [1, 2] },
          n: 1,
        },
        "odd name, æ": "x",
      },
      {
        id: 6,
        kommune_nr: null,
        label: null,
        amount: null,
        taken: null,
        active: null,
        tags: [],
        span: null,
        doc: null,
        "odd name, æ": null,
      },
    ];
    const response = await responseTo(`GET ${target}`, { headers: marts });
    expect(response).toEqual(rowsResponse({ target, range: "0-1/*", body: [heron, nothing] }));
  });

  test("are an empty array without a match", async () => {
    const target = `${T}?id=eq.99`;
    expect(await responseTo(`GET ${target}`, { headers: marts })).toEqual(
      rowsResponse({ target, range: "*/*", body: [] }),
    );
  });

  test("can be filtered by region_code and by orgnr", async () => {
    const landing = await rowsOf("GET /ssb_kommuner?region_code=eq.0301", { headers: { "Accept-Profile": "raw" } });
    expect(landing.map((row) => row["region_name"])).toEqual(["Oslo"]);
    const entity = await rowsOf("GET /dim_enhet?orgnr=eq.958935420", { headers: marts });
    expect(entity.map((row) => row["kommune_nr"])).toEqual(["0301"]);
  });
});

describe("limit, offset, order and select", () => {
  test.each([
    ["limit=2&order=id&select=id", "0-1/*", [{ id: 1 }, { id: 2 }]],
    ["limit=2&offset=1&order=id&select=id", "1-2/*", [{ id: 2 }, { id: 3 }]],
    ["limit=0", "*/*", []],
    ["offset=100", "*/*", []],
    ["limit=1&order=id.desc&select=id", "0-0/*", [{ id: 6 }]],
    ["limit=2&order=amount.desc.nullslast,id&select=id", "0-1/*", [{ id: 4 }, { id: 2 }]],
    ["limit=2&order=amount.nullsfirst,id&select=id", "0-1/*", [{ id: 6 }, { id: 3 }]],
    ["limit=3&order=active.desc.nullslast,id.desc&select=id", "0-2/*", [{ id: 5 }, { id: 3 }, { id: 1 }]],
    ["limit=1&order=doc->n.desc.nullslast&select=id", "0-0/*", [{ id: 3 }]],
    ["id=eq.2&select=n:label,id::text,doc->n,doc->>n", "0-0/*", [{ n: "2", id: "2" }]],
    ["id=eq.2&select=name:label,doc->a->b", "0-0/*", [{ name: "grey seal", b: [] }]],
    ['id=eq.1&select="odd name, æ"', "0-0/*", [{ "odd name, æ": "x" }]],
  ])("%s returns %s", async (query, range, body) => {
    const target = `${T}?${query}`;
    const sent = target.replaceAll(/[^!-~]| |"|>/g, encodeURIComponent);
    expect(await responseTo(`GET ${sent}`, { headers: marts })).toEqual(rowsResponse({ target, range, body }));
  });

  test("return at most 1000 rows, and X-Max-Rows", async () => {
    for (const query of ["order=number", "order=number&limit=5000"]) {
      const response = await sendRequest(`GET /ref_number?${query}`, { headers: marts });
      const rows = JSON.parse(response.body) as { number: number }[];
      expect([rows.length, rows.at(-1)?.number]).toEqual([1000, 1000]);
      expect([response.headers["x-max-rows"], response.headers["content-range"]]).toEqual(["1000", "0-999/*"]);
    }
    const rest = await sendRequest("GET /ref_number?order=number&offset=1000", { headers: marts });
    expect([(JSON.parse(rest.body) as unknown[]).length, rest.headers["content-range"]]).toEqual([500, "1000-1499/*"]);
  });
});

/** Filters, and the ids of the matching rows. */
const FILTERS: readonly (readonly [query: string, ids: readonly number[]])[] = [
  ["id=eq.2", [2]],
  ["id=neq.2", [1, 3, 4, 5, 6]],
  ["amount=gt.0", [1, 2, 4]],
  ["amount=gte.0", [1, 2, 4, 5]],
  ["amount=lt.0", [3]],
  ["amount=lte.0", [3, 5]],
  ["amount=isdistinct.2", [1, 3, 4, 5, 6]],
  ["label=like.*e*", [1, 2, 3, 4]],
  ["label=like(all).{G*,*n}", [1]],
  ["label=ilike.gre*", [1, 2]],
  ["label=match.^G", [1]],
  ["label=imatch.^g", [1, 2]],
  ["label=eq(any).{Red fox,x}", [3]],
  ["label=eq.Blåbær", [5]],
  ["id=in.(1,3)", [1, 3]],
  ['label=in.("100% sure, \\"maybe\\" (not)")', [4]],
  ["active=is.null", [4, 6]],
  ["active=is.true", [1, 3, 5]],
  ["active=is.false", [2]],
  ["active=is.unknown", [4, 6]],
  ["active=not.is.null", [1, 2, 3, 5]],
  ["taken=gte.2024-03-01", [3, 5]],
  ["label=fts.seal", [2]],
  ["label=fts(english).foxes", [3]],
  ["label=plfts(english).foxes red", [3]],
  ["label=phfts.red fox", [3]],
  ["label=wfts.grey -seal", [1]],
  ["tags=cs.{water}", [1, 2]],
  ['tags=cs.{"two words"}', [5]],
  ["tags=cd.{bird,water,x}", [1, 4, 6]],
  ["tags=ov.{bird,plant}", [1, 5]],
  ['doc=cs.{"n":1}', [1]],
  ["span=cs.[4,5)", [1, 2]],
  ["span=ov.[4,6)", [1, 2]],
  ["span=sl.[8,9)", [1]],
  ["span=sr.[5,6)", [3]],
  ["span=nxr.[1,9)", [1, 2]],
  ["span=nxl.[10,12)", [3]],
  ["span=adj.[5,7)", [1]],
  ["doc->>n=eq.2", [2]],
  ["doc->a->b->0=eq.1", [1]],
  ['"odd name, æ"=eq.x', [1]],
  // Several filters must all match.
  ["id=gt.1&id=lt.3", [2]],
  ["kommune_nr=eq.0301&active=is.false", [2]],
  ["or=(id.eq.1,id.eq.3)", [1, 3]],
  ["not.or=(id.eq.1,id.eq.2)", [3, 4, 5, 6]],
  ["and=(id.gt.1,or(id.lt.3,not.and(id.gte.4,id.lte.6)))", [2, 3]],
  ["id=not.in.(1,2)&or=(active.is.true,label.is.null)", [3, 5, 6]],
];

describe("a filter", () => {
  test.each(FILTERS)("%s returns the rows %j", async (query, ids) => {
    const target = `${T}?${query}&order=id&select=id`;
    const sent = target.replaceAll(/[^!-~]|[ "%>\\^]/g, encodeURIComponent);
    const range = `0-${ids.length - 1}/*`;
    const expected = rowsResponse({ target: target.replaceAll("%", "%25"), range, body: ids.map((id) => ({ id })) });
    expect(await responseTo(`GET ${sent}`, { headers: marts })).toEqual(expected);
  });
});

describe("related rows, by foreign key within a schema,", () => {
  test.each([
    ["to one", `${T}?id=eq.1&select=id,dim_kommune(kommune_navn)`, [{ id: 1, dim_kommune: { kommune_navn: "Oslo" } }]],
    ["to none", `${T}?id=eq.6&select=id,dim_kommune(kommune_navn)`, [{ id: 6, dim_kommune: null }]],
    [
      "spread",
      "/dim_kommune?kommune_nr=eq.0301&select=kommune_nr,...dim_fylke(fylke_navn)",
      [{ kommune_nr: "0301", fylke_navn: "Oslo" }],
    ],
    [
      "to many, ordered and limited",
      "/dim_fylke?dim_kommune.limit=2&dim_kommune.order=kommune_nr.desc&fylke_nr=eq.11&select=dim_kommune(kommune_nr)",
      [{ dim_kommune: [{ kommune_nr: "1160" }, { kommune_nr: "1151" }] }],
    ],
    [
      "inner, which filters",
      "/dim_kommune?dim_fylke.fylke_navn=eq.Oslo&select=kommune_navn,dim_fylke!inner(fylke_navn)",
      [{ kommune_navn: "Oslo", dim_fylke: { fylke_navn: "Oslo" } }],
    ],
  ])("are returned: %s", async (_, target, body) => {
    expect(await responseTo(`GET ${target}`, { headers: marts })).toEqual(
      rowsResponse({ target, range: "0-0/*", body }),
    );
  });

  test("return 400 without a foreign key", async () => {
    const response = await responseTo(`GET ${T}?select=id,dim_enhet(*)`, { headers: marts });
    const message = "Could not find a relationship between 'fact_observation' and 'dim_enhet' in the schema cache";
    const details =
      "Searched for a foreign key relationship between 'fact_observation' and 'dim_enhet' in the schema 'marts', but no matches were found.";
    const hint = "Perhaps you meant 'dim_kommune' instead of 'dim_enhet'.";
    expect(response).toEqual(errorResponse(400, { code: "PGRST200", message, details, hint }));
  });
});
