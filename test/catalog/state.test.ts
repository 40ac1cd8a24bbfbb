import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conditionsOf } from "../../catalog/src/state/conditions.ts";
import { readList, toggled, writeList } from "../../catalog/src/state/list.ts";
import { type Operator, OPERATORS, takesValue } from "../../catalog/src/state/operators.ts";
import { listPath, sourcePath, tablePath } from "../../catalog/src/state/paths.ts";
import { matchesText } from "../../catalog/src/state/search.ts";
import { knownColumns, PAGE_SIZES, pageSizes, readView, writeView } from "../../catalog/src/state/view.ts";

const text = fc.string({ unit: "grapheme", minLength: 1 });
const reread = (params: URLSearchParams): URLSearchParams => new URLSearchParams(params.toString());

describe("the address of the list", () => {
  test("contains all of the state, for any state", () => {
    const state = fc.record({ tags: fc.uniqueArray(text), text: fc.string(), column: text, value: fc.string() });
    fc.assert(
      fc.property(state, (wanted) => {
        expect(readList(reread(writeList(wanted)))).toEqual(wanted);
      }),
    );
  });

  test("has one tag parameter per tag, and q", () => {
    expect(listPath({ tags: ["topic:health", "geo:norway"], text: "a b" })).toBe(
      "/data?tag=topic%3Ahealth&tag=geo%3Anorway&q=a+b",
    );
    expect(listPath()).toBe("/data");
  });

  test("adds a tag once and removes it again", () => {
    expect(toggled(["a:1"], "b:2")).toEqual(["a:1", "b:2"]);
    expect(toggled(["a:1", "b:2"], "a:1")).toEqual(["b:2"]);
    expect(readList(new URLSearchParams("tag=a:1&tag=a:1&tag=")).tags).toEqual(["a:1"]);
  });
});

describe("the address of the viewer", () => {
  const filter = fc
    .record({ column: text, operator: fc.constantFrom(...OPERATORS), value: fc.string() })
    .filter(({ operator, value }) => value !== "" || !takesValue(operator));
  const view = fc.record({
    columns: fc.uniqueArray(text),
    sort: fc.option(fc.record({ column: text, descending: fc.boolean() })),
    filters: fc.array(filter, { maxLength: 5 }),
    page: fc.integer({ min: 1, max: 1e6 }),
    size: fc.constantFrom(...PAGE_SIZES),
    chart: fc.option(
      fc.oneof(
        fc.constant("none" as const),
        fc.record({ x: text, y: text, series: fc.string() }),
        fc.record({ map: text, y: text }),
      ),
    ),
  });

  test("contains all of the state, for any column names", () => {
    fc.assert(
      fc.property(view, (wanted) => {
        expect(readView(reread(writeView(wanted)))).toEqual(wanted);
      }),
    );
  });

  test("is read without an error, for any text", () => {
    const params = fc.array(fc.tuple(fc.string(), fc.string()));
    fc.assert(
      fc.property(params, (pairs) => {
        const { page, size } = readView(
          new URLSearchParams([...pairs, ["page", "-3"], ["size", "1e9"], ["where.x", "drop"]]),
        );
        expect(page).toBeGreaterThanOrEqual(1);
        expect(PAGE_SIZES).toContain(size);
      }),
    );
    expect(readView(new URLSearchParams("page=-3&size=1000000&sort=x.up&where.x=drop.1&where.=eq.1"))).toEqual(
      readView(new URLSearchParams()),
    );
  });

  test.each(["Infinity", "1e300", "1.5", "0", "01", "9999999999", "x", ""])(
    "has the first page for page=%s",
    (page) => {
      expect(readView(new URLSearchParams({ page })).page).toBe(1);
    },
  );

  test("is shown without columns and a sorting that the relation does not have", () => {
    const shown = (query: string): string =>
      writeView(knownColumns(readView(new URLSearchParams(query)), [{ name: "a" }, { name: "b" }])).toString();
    expect(shown("col=gone&col=b&sort=gone.asc&where.gone=eq.1")).toBe("col=b&where.gone=eq.1");
    expect(shown("col=gone&sort=a.desc")).toBe("sort=a.desc");
  });

  test("is read without conditions that lack a value, which no request applies", () => {
    const { filters } = readView(new URLSearchParams("where.a=eq.&where.b=contains.&where.c=empty.&where.d=eq.0"));
    expect(filters).toEqual([
      { column: "c", operator: "empty", value: "" },
      { column: "d", operator: "eq", value: "0" },
    ]);
  });

  test.each([
    [1, [25]],
    [25, [25]],
    [60, [25, 100]],
    [100, [25, 100]],
    [1000, [25, 100, 250, 500]],
  ])("offers page sizes for at most %d rows in a response", (maxRows, sizes) => {
    expect(pageSizes(maxRows)).toEqual(sizes);
  });

  test("names schema and relation as segments of the path", () => {
    expect(tablePath("marts", "a/b ?c", { page: 2 })).toBe("/data/marts/a%2Fb%20%3Fc?page=2");
    expect(sourcePath("ssb/07459")).toBe("/sources/ssb%2F07459");
  });
});

describe("free text", () => {
  const endpoint = { schema: "marts", relation: "dim_kommune", title: "Kommuner", tags: ["topic:Health"] };

  test.each([
    ["", true],
    ["  ", true],
    ["KOMMUNE", true],
    ["marts.dim", true],
    ["health kommuner", true],
    ["topic:health", true],
    ["kommune fylke", false],
  ])("%j is found: %j", (text, found) => {
    expect(matchesText(endpoint, text)).toBe(found);
  });

  test("is found in every Unicode form of its accents", () => {
    const town = { ...endpoint, title: "A\u030Alesund" };
    expect(matchesText(town, "ålesund")).toBe(true);
  });
});

describe("the form of a filter", () => {
  const conditions = (type: string, text: string, operator: Operator = "gte"): string[] | undefined =>
    conditionsOf({ name: "a", type }, operator, text, "nb")?.map((filter) => `${filter.operator}.${filter.value}`);

  test.each([
    ["02.01.2024", "2024-01-02"],
    ["2. 1. 2024", "2024-01-02"],
    ["17.5.2024 13:30", "2024-05-17 13:30"],
    ["2024-01-02", "2024-01-02"],
    ["2024/1/2", "2024/1/2"],
    ["infinity", "infinity"],
  ])("reads the date %s with its day first", (written, value) => {
    expect(conditions("date", written)).toEqual([`gte.${value}`]);
    expect(conditions("timestamp with time zone", `${written} `)).toEqual([`gte.${value}`]);
  });

  test.each(["2/1/2024", "02-01-2024", "2.1.24", "1/2/24 13:30"])(
    "accepts no date without a clear order: %s",
    (date) => {
      expect(conditions("date", date)).toBeUndefined();
      expect(["text", "date[]"].map((type) => conditions(type, date))).toEqual([[`gte.${date}`], [`gte.${date}`]]);
      expect(conditions("date", date, "empty")).toEqual(["empty."]);
    },
  );

  test.each<[Operator, string, string[]]>([
    ["lte", "2024-12-31", ["lt.2025-01-01"]],
    ["gt", "28.2.2024", ["gte.2024-02-29"]],
    ["eq", "2024-12-31", ["gte.2024-12-31", "lt.2025-01-01"]],
    ["gte", "2024-12-31", ["gte.2024-12-31"]],
    ["lt", "2024-12-31", ["lt.2024-12-31"]],
    ["lte", "2024-12-31 12:00", ["lte.2024-12-31 12:00"]],
    ["lte", "2024-02-31", ["lte.2024-02-31"]],
    ["lte", "9999-12-31", ["lte.9999-12-31"]],
  ])("means the whole day by a day of timestamps: %s %s", (operator, written, expected) => {
    expect(conditions("timestamp without time zone", written, operator)).toEqual(expected);
  });

  test("keeps a day of dates, and reads numbers in the notation of the language", () => {
    expect(conditions("date", "2024-12-31", "lte")).toEqual(["lte.2024-12-31"]);
    expect(conditions("numeric", "1,5", "lte")).toEqual(["lte.1.5"]);
  });
});
