/** Counts, ranges and formats of responses, and errors, each with status, headers and body. */
import { describe, expect, test } from "vitest";
import { ALWAYS, JSON_TYPE, NOTICE, errorResponse, rowsResponse } from "./expectedResponses.ts";
import { sendRequest, asOwner, responseTo, until } from "./apiClient.ts";

const marts = { "Accept-Profile": "marts" };
const raw = { "Accept-Profile": "raw" };
const T = "/fact_observation";
const OBJECT = "application/vnd.pgrst.object+json";

describe("HEAD with limit=0 and Prefer: count=exact", () => {
  test.each([
    ["/dim_kommune", "marts", "*/357"],
    ["/dim_fylke", "marts", "*/15"],
    ["/ssb_kommuner", "raw", "*/357"],
    ["/distrikt_summary", "api_v1", "*/15"],
    ["/ref_number", "marts", "*/1500"],
  ])("returns no rows for %s in %s, with the Content-Range %s", async (path, profile, range) => {
    const target = `${path}?limit=0`;
    const headers = { "Accept-Profile": profile, Prefer: "count=exact" };
    const expected = rowsResponse({ status: 206, profile, target, range, applied: "count=exact", body: "" });
    expect(await responseTo(`HEAD ${target}`, { headers })).toEqual(expected);
  });

  test("counts the rows that match a filter", async () => {
    const headers = { ...marts, Prefer: "count=exact" };
    const response = await sendRequest("HEAD /dim_kommune?limit=0&fylke_nr=eq.11", { headers });
    expect([response.headers["content-range"], response.body]).toEqual(["*/23", ""]);
  });
});

describe("counts", () => {
  const two = [{ number: 1 }, { number: 2 }];
  test.each(["count=exact", "count=planned", "count=estimated"])("%s is returned with the rows", async (applied) => {
    const target = "/ref_number?limit=2&order=number";
    const response = await responseTo(`GET ${target}`, { headers: { ...marts, Prefer: applied } });
    expect(response).toEqual(rowsResponse({ status: 206, target, range: "0-1/1500", applied, body: two }));
  });

  test("return 200 if the response contains all rows", async () => {
    const target = "/dim_fylke?fylke_nr=eq.03";
    const body = [{ fylke_nr: "03", fylke_navn: "Oslo" }];
    const response = await responseTo(`GET ${target}`, { headers: { ...marts, Prefer: "count=exact" } });
    expect(response).toEqual(rowsResponse({ target, range: "0-0/1", applied: "count=exact", body }));
  });

  const tooLarge = errorResponse(
    400,
    {
      code: "exact_count_refused",
      message: "only tables of up to 1000000 rows are counted exactly; use Prefer: count=estimated or count=planned",
    },
    { "cache-control": "no-store", ...NOTICE },
  );
  test.each([
    ["one preference", [["Prefer", "count=exact"]]],
    ["among others", [["Prefer", "handling=lenient, count=exact"]]],
    [
      "in the last of two lines",
      [
        ["Prefer", "handling=lenient"],
        ["Prefer", "count=exact"],
      ],
    ],
    [
      "in the first of two lines",
      [
        ["Prefer", "count=exact"],
        ["Prefer", "handling=lenient"],
      ],
    ],
  ] as const)("return 400 for count=exact of more than 1,000,000 rows: %s", async (_, lines) => {
    const headers = [["Accept-Profile", "raw"], ...lines] as const;
    expect(await responseTo("GET /readings?limit=1", { headers })).toEqual(tooLarge);
  });

  test.each(["count=planned", "count=estimated"])(
    "return the estimate of the statistics for %s of more than 1,000,000 rows",
    async (prefer) => {
      const response = await sendRequest("HEAD /readings?limit=0", { headers: { ...raw, Prefer: prefer } });
      expect([response.status, response.headers["content-range"]]).toEqual([206, "*/1000001"]);
    },
  );
});

describe("Range", () => {
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => ({ number: from + i + 1 }));
  const target = "/ref_number?order=number";
  test.each([
    [{ Range: "5-6" }, "5-6/*", rows(5, 6)],
    [{ Range: "1498-" }, "1498-1499/*", rows(1498, 1499)],
    [{ "Range-Unit": "items", Range: "0-0" }, "0-0/*", rows(0, 0)],
    [{ Range: "1500-" }, "*/*", []],
  ])("returns the rows of %j", async (headers, range, body) => {
    expect(await responseTo(`GET ${target}`, { headers: { ...marts, ...headers } })).toEqual(
      rowsResponse({ target, range, body }),
    );
  });

  test("returns 206 with a count", async () => {
    const headers = { ...marts, Range: "5-6", Prefer: "count=exact" };
    const expected = rowsResponse({ status: 206, target, range: "5-6/1500", applied: "count=exact", body: rows(5, 6) });
    expect(await responseTo(`GET ${target}`, { headers })).toEqual(expected);
  });

  test("returns 416 after the last row with a count", async () => {
    const headers = { ...marts, Range: "2000-2001", Prefer: "count=exact" };
    const body = {
      code: "PGRST103",
      message: "Requested range not satisfiable",
      hint: null,
      details: "An offset of 2000 was requested, but there are only 1500 rows.",
    };
    const expected = rowsResponse({ status: 416, target, range: "*/1500", applied: "count=exact", body });
    expect(await responseTo(`GET ${target}`, { headers })).toEqual(expected);
  });

  test("returns 416 if the lower bound is above the upper one", async () => {
    const details = "The lower boundary must be lower than or equal to the upper boundary in the Range header.";
    const error = { code: "PGRST103", message: "Requested range not satisfiable", details };
    expect(await responseTo(`GET ${target}`, { headers: { ...marts, Range: "3-1" } })).toEqual(
      errorResponse(416, error),
    );
  });
});

describe("response formats", () => {
  test("include CSV for Accept: text/csv", async () => {
    const target = `${T}?order=id&select=id,label,amount,tags`;
    const type = "text/csv; charset=utf-8";
    const body = [
      "id,label,amount,tags",
      '1,"Grey heron",1.5,"{bird,water}"',
      '2,"grey seal",2,"{mammal,water}"',
      '3,"Red fox",-3,{mammal}',
      '4,"100% sure, ""maybe"" (not)",1000000000000000000000,{}',
      '5,Blåbær,0,"{plant,""two words""}"',
      "6,,,{}",
    ].join("\n");
    const response = await responseTo(`GET ${target}`, { headers: { ...marts, Accept: "text/csv" } });
    expect(response).toEqual(rowsResponse({ type, target, range: "0-5/*", body }));
  });

  test("include CSV if Accept prefers it", async () => {
    const response = await sendRequest(`GET ${T}?id=eq.1&select=id`, {
      headers: { ...marts, Accept: "*/*;q=0.1, text/csv" },
    });
    expect([response.headers["content-type"], response.body]).toEqual(["text/csv; charset=utf-8", "id\n1"]);
  });

  test("include a single object for one row", async () => {
    const target = `${T}?id=eq.1&select=id`;
    const type = `${OBJECT}; charset=utf-8`;
    const response = await responseTo(`GET ${target}`, { headers: { ...marts, Accept: OBJECT } });
    expect(response).toEqual(rowsResponse({ type, target, range: "0-0/*", body: { id: 1 } }));
  });

  test.each([
    ["id=lt.3", "The result contains 2 rows"],
    ["id=eq.99", "The result contains 0 rows"],
  ])("return 406 for a single object of %s", async (filter, details) => {
    const { status, headers, body } = await responseTo(`GET ${T}?${filter}`, { headers: { ...marts, Accept: OBJECT } });
    const message = "JSON object requested, multiple (or no) rows returned";
    expect({ status, body }).toEqual({ status: 406, body: { code: "PGRST116", details, hint: null, message } });
    expect(headers).toEqual({ ...ALWAYS, "content-type": JSON_TYPE });
  });
});

describe("errors", () => {
  test.each([
    ["nope=eq.1", 400, { code: "42703", message: "column fact_observation.nope does not exist" }],
    ["select=nope", 400, { code: "42703", message: "column fact_observation.nope does not exist" }],
    [
      "id=nope.1",
      400,
      {
        code: "PGRST100",
        message: '"failed to parse filter (nope.1)" (line 1, column 1)',
        details: 'unexpected "p" expecting "not" or operator (eq, gt, ...)',
      },
    ],
    ["id=eq.x", 400, { code: "22P02", message: 'invalid input syntax for type integer: "x"' }],
    ["id=eq.99999999999", 400, { code: "22003", message: 'value "99999999999" is out of range for type integer' }],
    ["label=match.(", 400, { code: "2201B", message: "invalid regular expression: parentheses () not balanced" }],
    ["label=fts(nolang).x", 400, { code: "42704", message: 'text search configuration "nolang" does not exist' }],
    [
      "order=id.up",
      400,
      {
        code: "PGRST100",
        message: '"failed to parse order (id.up)" (line 1, column 4)',
        details: 'unexpected "u" expecting "asc", "desc", "nullsfirst" or "nullslast"',
      },
    ],
    [
      "and=(id.eq.1",
      400,
      {
        code: "PGRST100",
        message: '"failed to parse logic tree ((id.eq.1)" (line 1, column 12)',
        details: 'unexpected end of input expecting "," or ")"',
      },
    ],
    ["select=id.sum()", 400, { code: "PGRST123", message: "Use of aggregate functions is not allowed" }],
    [
      "limit=-1",
      416,
      {
        code: "PGRST103",
        message: "Requested range not satisfiable",
        details: "Limit should be greater than or equal to zero.",
      },
    ],
  ])("%s returns %i", async (query, status, error) => {
    expect(await responseTo(`GET ${T}?${query}`, { headers: marts })).toEqual(errorResponse(status, error));
  });

  test.each(["image/png", "application/octet-stream", "application/xml"])("return 415 for %s", async (accept) => {
    const message = `None of these media types are available: ${accept}`;
    const response = await responseTo(`GET ${T}`, { headers: { ...marts, Accept: accept } });
    expect(response).toEqual(errorResponse(415, { code: "PGRST107", message }));
  });

  test("return 415 for the plan of a query", async () => {
    const headers = { ...marts, Accept: "application/vnd.pgrst.plan+json" };
    const message = `None of these media types are available: application/vnd.pgrst.plan+json; for="application/json"`;
    expect(await responseTo(`GET ${T}`, { headers })).toEqual(errorResponse(415, { code: "PGRST107", message }));
  });

  test("return 400 for an exact count of a view over more than 1,000,000 rows", async () => {
    await asOwner("create view api_v1.all_readings as select reading from raw.readings");
    try {
      await until(200, async () => (await sendRequest("GET /all_readings?limit=1")).status);
      const response = await responseTo("HEAD /all_readings?limit=0", { headers: { Prefer: "count=exact" } });
      expect([response.status, response.headers["content-range"]]).toEqual([400, undefined]);
    } finally {
      await asOwner("drop view api_v1.all_readings");
    }
  });
});
