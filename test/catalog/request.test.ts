import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isCompletelyOrdered,
  quotedName,
  tieBreakers,
  unsortedFirstPage,
  urlOf,
  viewRequest,
} from "../../catalog/src/api/request.ts";
import { isSortable } from "../../catalog/src/state/columns.ts";
import { comparison } from "../../catalog/src/state/operators.ts";
import { readView, type ViewState } from "../../catalog/src/state/view.ts";
import { LANGUAGES, snippet } from "../../catalog/src/text/snippets.ts";

const BASE = "https://data.example.org";
const first = readView(new URLSearchParams());

function address(view: Partial<ViewState>, schema = "marts"): string {
  const endpoint = {
    schema,
    relation: "fact_population",
    primary_key: ["kommune_nr", "year"],
    columns: [{ name: "folketall", type: "integer" }],
    stability: "open",
  } as const;
  return urlOf(BASE, viewRequest(endpoint, { ...first, ...view }));
}

describe("the request of a view", () => {
  test("is ordered by the key, so that pages do not overlap", () => {
    expect(address({})).toBe(`${BASE}/fact_population?order=kommune_nr,year&limit=100`);
    expect(address({ sort: { column: "year", descending: true }, page: 3, size: 25 })).toBe(
      `${BASE}/fact_population?order=year.desc.nullslast,kommune_nr&limit=25&offset=50`,
    );
  });

  describe("of a relation without a key", () => {
    const column = (name: string, type = "text") => ({ name, type });
    const endpoint = {
      schema: "api_v1",
      relation: "x",
      primary_key: [],
      stability: "stable" as const,
      columns: [
        column("doc", "jsonb"),
        column("region"),
        column("a,b", "numeric(5,2)"),
        column("day", "date"),
        column("tags", "text[]"),
        column("ok", "boolean"),
        column("id", "uuid"),
        column("kind", "marts.kind"),
      ],
    };

    test("is ordered by every column that can be sorted, after the chosen one", () => {
      const order = (view: Partial<ViewState>): unknown =>
        new URLSearchParams(viewRequest(endpoint, { ...first, ...view }).params.map((pair) => [...pair])).get("order");
      expect(order({})).toBe('region,"a,b",day,ok,id');
      expect(order({ sort: { column: "day", descending: true } })).toBe('day.desc.nullslast,region,"a,b",ok,id');
      expect(order({ columns: ["ok"], page: 2 })).toBe('region,"a,b",day,ok,id');
    });

    test("omits the order if no column can be sorted", () => {
      const none = { ...endpoint, columns: [column("doc", "json")] };
      expect(tieBreakers(none)).toEqual([]);
      expect(viewRequest(none, first).params).toEqual([["limit", "100"]]);
    });

    test("has an address that proxies accept, for any number of columns", () => {
      const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => column(`${name}_${at}`));
      expect(tieBreakers({ ...endpoint, columns: named("indicator", 200) })).toHaveLength(100);
      const wide = { ...endpoint, columns: named("æ".repeat(55), 200) };
      const url = urlOf(BASE, viewRequest(wide, { ...first, page: 2 }));
      expect(url.length).toBeGreaterThan(3500);
      expect(url.length).toBeLessThan(4200);
    });

    test("is ordered by no column whose name the gateway refuses in an order", () => {
      const names = ["a", 'in "quotes"', "back\\slash", "json_agg", "my jsonb_agg", "array_agg_strict", "b"];
      const columns = names.map((name) => column(name));
      expect(tieBreakers({ ...endpoint, columns })).toEqual(["a", "b"]);
      expect(tieBreakers({ primary_key: ["json_agg"], columns })).toEqual(["a", "b"]);
      expect(columns.filter(isSortable).map(({ name }) => name)).toEqual(["a", "b"]);
    });

    test("has at most 100 places between commas in its order and its list of columns", () => {
      const columns = Array.from({ length: 60 }, (_, at) => column(`a, ${at}`));
      const names = columns.map(({ name }) => name);
      const params = (view: Partial<ViewState>) =>
        new Map(viewRequest({ ...endpoint, columns }, { ...first, ...view }).params);
      const sort = { column: "doc", descending: false };
      expect(params({}).get("order")?.split(",")).toHaveLength(100);
      expect(params({ sort }).get("order")?.split(",")).toHaveLength(99);
      expect(
        params({ columns: names.slice(0, 50) })
          .get("select")
          ?.split(","),
      ).toHaveLength(100);
      expect(params({ columns: names.slice(0, 51) }).get("select")).toBeUndefined();
    });

    test.each(["json_agg", "a::region"])(
      "selects all columns instead of one whose name the gateway refuses: %s",
      (name) => {
        const { params } = viewRequest(
          { ...endpoint, columns: [column(name), column("b")] },
          { ...first, columns: [name] },
        );
        expect(new Map(params).has("select")).toBe(false);
      },
    );

    test("has a complete order if every column is in it, or the key is", () => {
      const complete = (types: readonly string[], primary_key: string[] = []): boolean =>
        isCompletelyOrdered({ primary_key, columns: types.map((type, at) => column(`c${at}`, type)) });
      expect(complete(["text", "interval", "inet", "uuid", "macaddr"])).toBe(true);
      expect(complete(["text", "marts.kind"])).toBe(false);
      expect(complete(["text", "jsonb"])).toBe(false);
      expect(complete(["text", "jsonb"], ["c0"])).toBe(true);
      expect(complete(Array.from({ length: 101 }, () => "text"))).toBe(false);
      expect(complete([])).toBe(false);
    });

    test("sorts a large one only for a chosen order or a later page", () => {
      const unsorted = (view: Partial<ViewState>, primary_key: string[] = []): boolean => {
        const of = { ...endpoint, primary_key };
        const wanted = { ...first, ...view };
        return unsortedFirstPage(of, wanted, viewRequest(of, wanted)).params.every(([name]) => name !== "order");
      };
      expect(unsorted({})).toBe(true);
      expect(unsorted({ page: 2 })).toBe(false);
      expect(unsorted({ sort: { column: "day", descending: false } })).toBe(false);
      expect(unsorted({}, ["id"])).toBe(false);
    });
  });

  test("selects columns and combines filters", () => {
    const filters = [
      { column: "kommune_nr", operator: "eq", value: "0301" },
      { column: "year", operator: "gte", value: "2020" },
      { column: "year", operator: "lte", value: "" },
      { column: "navn", operator: "filled", value: "" },
    ] as const;
    expect(address({ columns: ["year", "folketall"], filters })).toBe(
      `${BASE}/fact_population?select=year,folketall&kommune_nr=eq.0301&year=gte.2020&navn=not.is.null&order=kommune_nr,year&limit=100`,
    );
  });

  test("selects all columns if the list of some is longer than the gateway accepts next to an order", () => {
    const columns = Array.from({ length: 99 }, (_, index) => `column_${index}`.padEnd(40, "x"));
    expect(address({ columns })).not.toContain("select=");
    expect(address({ columns: columns.slice(0, 50) })).toContain(`select=${columns.slice(0, 50).join(",")}&`);
  });

  test("names a schema unless it is the default one", () => {
    const endpoint = { schema: "api_v1", relation: "x", primary_key: [], columns: null, stability: "stable" } as const;
    expect(viewRequest(endpoint, first).profile).toBeUndefined();
    expect(viewRequest({ ...endpoint, schema: "public_v1" }, first).profile).toBeUndefined();
    expect(viewRequest({ ...endpoint, stability: "open" }, first).profile).toBe("api_v1");
  });

  test.each([
    ["kommune_nr", "kommune_nr"],
    ["select", '"select"'],
    ["columns", '"columns"'],
    ["and", '"and"'],
    ['we"ird.na,me', '"we\\"ird.na,me"'],
    ["år", '"år"'],
    ["a->>b", '"a->>b"'],
  ])("quotes the column %j as %j", (name, quoted) => {
    expect(quotedName(name)).toBe(quoted);
  });

  test("keeps every value unchanged, for any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string({ unit: "grapheme", minLength: 1 }),
        (column, value) => {
          const url = new URL(address({ filters: [{ column, operator: "eq", value }] }));
          expect([...url.searchParams][0]).toEqual([quotedName(column), `eq.${value}`]);
          expect(url.origin).toBe(BASE);
        },
      ),
    );
  });

  test.each([
    ["contains", "50%_a\\b*", "ilike.*50\\%\\_a\\\\b_*"],
    ["starts", "03", "ilike.03*"],
    ["has", 'a"b', 'cs.{"a\\"b"}'],
    ["empty", "", "is.null"],
    // Rows without a value do not equal it either.
    ["neq", "x", "isdistinct.x"],
  ] as const)("writes %s %j as %j", (operator, value, expected) => {
    expect(comparison(operator, value)).toBe(expected);
  });
});

describe("the request as code", () => {
  const request = { url: `${BASE}/fact_population?navn=eq.%27a%27&limit=100`, profile: "marts" };

  test.each([
    ["curl", `curl --fail --globoff '${request.url}' \\\n  --header 'Accept-Profile: marts'\n`],
    [
      "JavaScript",
      `const response = await fetch("${request.url}", {\n  headers: { "Accept-Profile": "marts" },\n});\nif (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);\nconst rows = await response.json();\n`,
    ],
    [
      "Python",
      `import requests\n\nresponse = requests.get(\n    "${request.url}",\n    headers={"Accept-Profile": "marts"},\n    timeout=30,\n)\nresponse.raise_for_status()\nrows = response.json()\n`,
    ],
    [
      "R",
      `library(httr2)\n\nrows <- request("${request.url}") |>\n  req_headers("Accept-Profile" = "marts") |>\n  req_perform() |>\n  resp_body_json(simplifyVector = TRUE)\n`,
    ],
  ] as const)("is written in %s", (language, expected) => {
    expect(snippet(language, request)).toBe(expected);
  });

  test("names no schema for the default one", () => {
    for (const language of LANGUAGES)
      expect(snippet(language, { ...request, profile: undefined })).not.toContain("Profile");
  });

  test("quotes every value of a filter", () => {
    // What fast-check calls binary, without its table of all characters, which takes a second to make.
    const code = fc.integer({ min: 0, max: 0x10ffff }).filter((one) => one < 0xd800 || one > 0xdfff);
    const text = fc.string({ unit: code.map((one) => String.fromCodePoint(one)) });
    fc.assert(
      fc.property(text, (value) => {
        const url = address({ filters: [{ column: "navn", operator: "eq", value }] });
        expect(url).toMatch(/^[\w.:/?&=%,!~*()@-]+$/);
        for (const language of LANGUAGES) expect(snippet(language, { url, profile: "marts" })).toContain(url);
      }),
    );
  });
});
