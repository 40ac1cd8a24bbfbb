/** Selection of a schema by Accept-Profile; no response contains a private name. */
import { describe, expect, test } from "vitest";
import { ALWAYS, NO_ROUTE, errorResponse, PRIVATE, rowsResponse } from "./expectedResponses.ts";
import { asOwner, type RequestOptions, sendRequest, type Lines, responseTo, until } from "./apiClient.ts";

const marts = { "Accept-Profile": "marts" };

const noRelation = (name: string) =>
  errorResponse(404, { code: "42P01", message: `relation "${name}" does not exist` });

describe("Accept-Profile", () => {
  test.each([
    ["the first schema without the header", {}, "api_v1", "/distrikt_summary"],
    ["api_v1", { "Accept-Profile": "api_v1" }, "api_v1", "/distrikt_summary"],
    ["marts", marts, "marts", "/dim_fylke"],
    ["raw", { "Accept-Profile": "raw" }, "raw", "/ssb_kommuner"],
    ["marts with a header name in another case", { "aCCEPT-pROFILE": "marts" }, "marts", "/dim_fylke"],
    ["marts with blanks around the value", { "Accept-Profile": " \t marts " }, "marts", "/dim_fylke"],
  ])("selects %s", async (_, headers, profile, path) => {
    const target = `${path}?limit=0`;
    expect(await responseTo(`GET ${target}`, { headers })).toMatchObject({
      status: 200,
      headers: { "content-profile": profile },
      body: [],
    });
  });

  test("is required for a relation of marts or raw, which otherwise returns 404", async () => {
    for (const name of ["dim_kommune", "fact_observation", "ssb_kommuner", "readings", "nothing"]) {
      expect(await responseTo(`GET /${name}`)).toEqual(noRelation(`api_v1.${name}`));
    }
    expect(await responseTo("GET /ssb_kommuner", { headers: marts })).toEqual(noRelation("marts.ssb_kommuner"));
  });

  test.each(["/", "/person", "/secret_person", "/nothing", "/dim_kommune", "/openapi.json/x"])(
    "returns 404 for %s of a schema that is not exposed, whether or not it exists",
    async (path) => {
      const hidden = ["private_marts", "private_raw", "gatehouse", "catalog", "gatehouse_openapi"];
      for (const schema of [...hidden, "public", "pg_catalog", "information_schema", "nothing"]) {
        for (const method of ["GET", "HEAD", "OPTIONS"]) {
          const response = await responseTo(`${method} ${path}`, { headers: { "Accept-Profile": schema } });
          expect(response).toEqual(method === "HEAD" ? { ...NO_ROUTE, body: "" } : NO_ROUTE);
        }
      }
    },
  );

  test.each([
    "MARTS",
    "Marts",
    "marts,raw",
    "marts, private_marts",
    "marts;q=1",
    '"marts"',
    "api_v1x",
    "xapi_v1",
    "",
    " ",
    "*",
    "mart_",
    "marts\u00e9",
  ])("selects no schema with the value %j", async (value) => {
    expect(await responseTo("GET /dim_fylke", { headers: { "Accept-Profile": value } })).toEqual(NO_ROUTE);
  });

  test.each<[string, Lines]>([
    [
      "the exposed one first",
      [
        ["Accept-Profile", "marts"],
        ["Accept-Profile", "private_marts"],
      ],
    ],
    [
      "the private one first",
      [
        ["accept-profile", "private_marts"],
        ["Accept-Profile", "marts"],
      ],
    ],
    [
      "twice the same",
      [
        ["Accept-Profile", "marts"],
        ["Accept-Profile", "marts"],
      ],
    ],
    [
      "one of them empty",
      [
        ["Accept-Profile", ""],
        ["Accept-Profile", "marts"],
      ],
    ],
  ])("selects only an exposed schema if it is in two lines: %s", async (_, headers) => {
    expect((await responseTo("GET /secret_person", { headers })).status).toBe(404);
    const target = "/dim_fylke?fylke_nr=eq.03";
    const body = [{ fylke_nr: "03", fylke_navn: "Oslo" }];
    expect(await responseTo(`GET ${target}`, { headers })).toEqual(rowsResponse({ target, range: "0-0/*", body }));
  });

  test.each<[string, Lines]>([
    ["Accept_Profile", [["Accept_Profile", "marts"]]],
    ["Accept.Profile", [["Accept.Profile", "marts"]]],
    ["Content-Profile", [["Content-Profile", "marts"]]],
    ["Content-Profile of a private schema", [["Content-Profile", "private_marts"]]],
    ["X-Forwarded-Accept-Profile", [["X-Forwarded-Accept-Profile", "marts"]]],
  ])("cannot be replaced by %s", async (_, headers) => {
    expect(await responseTo("GET /dim_fylke", { headers })).toEqual(noRelation("api_v1.dim_fylke"));
  });
});

describe("a private name", () => {
  /** Expects that the responses for a private and an unknown name differ in the name only. */
  async function expectSame(
    line: (name: string) => string,
    [name, other]: [string, string],
    options: RequestOptions = {},
  ): Promise<void> {
    const [privateResponse, unknownResponse] = [
      await responseTo(line(name), options),
      await responseTo(line(other), options),
    ];
    expect(privateResponse.status).toBeGreaterThanOrEqual(400);
    expect(JSON.parse(JSON.stringify(privateResponse).replaceAll(name, other))).toEqual(unknownResponse);
  }
  const schema: [string, string] = ["private_marts", "unknown_marts"];
  const table: [string, string] = ["secret_person", "unknown_person"];
  const column: [string, string] = ["secret_name", "unknown_name"];

  test.each([
    ["a path", (name: string) => `GET /${name}`],
    ["a path with a schema", (name: string) => `GET /private_marts.${name}`],
    ["a quoted path", (name: string) => `GET /%22private_marts%22.%22${name}%22`],
    ["an embed", (name: string) => `GET /fact_observation?select=id,${name}(*)`],
    ["an embed by hint", (name: string) => `GET /fact_observation?select=id,dim_kommune!${name}(*)`],
    ["an inner embed", (name: string) => `GET /fact_observation?select=id,${name}!inner(*)`],
    ["a spread", (name: string) => `GET /fact_observation?select=id,...${name}(*)`],
    ["a deep embed", (name: string) => `GET /fact_observation?select=dim_kommune(${name}(*))`],
    ["a filter on an embed", (name: string) => `GET /fact_observation?${name}.secret_id=eq.1`],
    ["an order by an embed", (name: string) => `GET /fact_observation?order=${name}(secret_id)`],
    ["a column", (name: string) => `GET /fact_observation?select=${name}`],
    ["a filter", (name: string) => `GET /fact_observation?${name}=eq.1`],
    ["a logic tree", (name: string) => `GET /fact_observation?or=(${name}.eq.1,id.eq.1)`],
    ["a call", (name: string) => `GET /rpc/${name}`],
    ["a cast", (name: string) => `GET /fact_observation?select=id::${name}`],
    ["a text search configuration", (name: string) => `GET /fact_observation?label=fts(${name}).x`],
  ])("returns the same response as an unknown name for a table and a column in %s", async (_, line) => {
    await expectSame(line, table, { headers: marts });
    await expectSame(line, column, { headers: marts });
  });

  test.each([
    ["a path", (name: string) => `GET /${name}`],
    ["a path before a relation", (name: string) => `GET /${name}.person`],
    ["a nested path", (name: string) => `GET /${name}/person`],
    ["a cast", (name: string) => `GET /fact_observation?select=id::${name}.secret_person`],
    ["a schema of the description", (name: string) => `GET /openapi.json?schema=${name}`],
  ])("returns the same response as an unknown name for a schema in %s", async (_, line) => {
    await expectSame(line, schema, { headers: marts });
  });

  test("is not in the response for a table with a policy that reads a private table", async () => {
    await asOwner(
      "create table marts.member (id integer)",
      "alter table marts.member enable row level security",
      "create policy member on marts.member for select using (id in (select secret_id from private_marts.secret_person))",
    );
    try {
      await until(401, async () => (await sendRequest("GET /member", { headers: marts })).status);
      // As of other errors: CORS and Vary are kept, but not WWW-Authenticate.
      const { server: _server, ...headers } = ALWAYS;
      expect(await responseTo("GET /member", { headers: marts })).toEqual({ status: 401, headers, body: "" });
    } finally {
      await asOwner("drop table marts.member");
    }
  });

  // docs/limits.md, "Names in messages"
  test("is in the message for a view that casts to a private type, or calls a function of its owner", async () => {
    await asOwner(
      "create type private_marts.mood as enum ('good')",
      "create view marts.moods as select ('b' || 'ad')::private_marts.mood as mood",
      "create table private_marts.member (id integer)",
      "create function marts.member() returns integer language sql stable security definer as 'select id from private_marts.member'",
      "grant execute on function marts.member() to public",
      "create view marts.members as select marts.member() as id",
      "drop table private_marts.member",
    );
    try {
      for (const [path, status, code, message] of [
        ["/moods", 400, "22P02", 'invalid input value for enum private_marts.mood: "bad"'],
        ["/members", 404, "42P01", 'relation "private_marts.member" does not exist'],
      ] as const) {
        const expected = errorResponse(status, { code, message });
        await until(expected, () => responseTo(`GET ${path}`, { headers: marts }));
      }
    } finally {
      await asOwner(
        "drop view marts.moods, marts.members",
        "drop function marts.member",
        "drop type private_marts.mood",
      );
    }
  });

  test("returns no hint for a similar name", async () => {
    for (const name of [
      "secret_perso",
      "secret_persons",
      "person",
      "persons",
      "secret_landin",
      "carried_comment",
      "answe",
    ]) {
      for (const profile of ["api_v1", "marts", "raw"]) {
        for (const target of [
          `/${name}`,
          `/fact_observation?select=id,${name}(*)`,
          `/dim_kommune?select=${name}(*)`,
          `/rpc/${name}`,
        ]) {
          const { body } = await sendRequest(`GET ${target}`, { headers: { "Accept-Profile": profile } });
          expect(body.replaceAll(name, "")).not.toMatch(PRIVATE);
        }
      }
    }
  });

  test("returns no relation or description with personal data or a private name", async () => {
    for (const profile of ["api_v1", "marts", "raw"]) {
      const headers = { "Accept-Profile": profile };
      const root = await sendRequest("GET /", { headers });
      const paths = Object.keys((JSON.parse(root.body) as { paths: Record<string, unknown> }).paths);
      expect(paths.length).toBeGreaterThan(2);
      for (const path of [...paths, `/openapi.json?schema=${profile}`]) {
        const response = await sendRequest(`GET ${path}`, { headers });
        expect([path, response.status, PRIVATE.exec(response.body)?.[0]]).toEqual([path, 200, undefined]);
      }
    }
  });
});
