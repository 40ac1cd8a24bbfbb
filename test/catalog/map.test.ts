import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { areaValues, latestRows, withoutLastArea } from "../../catalog/src/components/map/areas.ts";
import { classesOf, classOf } from "../../catalog/src/components/map/classes.ts";
import { areaKeys, areaNumber, keyValue } from "../../catalog/src/components/map/keys.ts";
import { packageFolder } from "../../config/files/folders.ts";

const column = (name: string, type = "text") => ({ name, type, nullable: true, description: null, key: false });

describe("the columns that a map can be drawn by", () => {
  test.each<[string, readonly unknown[], string | undefined]>([
    ["kommune_nr", ["0301", "1103", null], "municipality"],
    ["kommunenummer", [301, 1103], "municipality"],
    ["fylke_nr", ["03", "11"], "county"],
    ["fylkesnummer", [3, 11], "county"],
    ["region_code", ["0", "0301", "3101"], "municipality"],
    ["municipality_number", ["0301", "3101"], "municipality"],
    ["komnr", [301, 3101], "municipality"],
    ["bostedskommune", ["0301", "3101"], "municipality"],
    ["county_no", ["03", "31"], "county"],
    ["region_code", ["03", "31"], "county"],
    ["region", ["Oslo", "0301"], undefined],
    ["kommune_navn", ["Oslo", "Halden"], undefined],
    ["kommune_nr", ["a", "b"], undefined],
    ["land_code", ["0301"], undefined],
    ["amount", ["0301"], undefined],
    // The table does not show the column.
    ["fylke_nr", [], "county"],
    ["kommune", [], undefined],
  ])("are found by name and values: %s with %j", (name, values, level) => {
    const found = areaKeys(
      [column(name)],
      values.map((value) => ({ [name]: value })),
    );
    expect(found).toEqual(level === undefined ? [] : [{ name, level }]);
  });

  test("are municipalities first", () => {
    const keys = areaKeys([column("fylke_nr"), column("kommune_nr")], [{ fylke_nr: "31", kommune_nr: "3101" }]);
    expect(keys.map(({ name }) => name)).toEqual(["kommune_nr", "fylke_nr"]);
  });
});

test("returns the number of an area with all of its digits, also from an integer", () => {
  expect(
    [301, "0301", "301", " 0301 ", 31, "03011", "K301", null, 3.1].map((value) => areaNumber(value, "municipality")),
  ).toEqual(["0301", "0301", "0301", "0301", null, null, null, null, null]);
  expect([3, "03", "3101", ""].map((value) => areaNumber(value, "county"))).toEqual(["03", "03", null, null]);
});

test.each([
  ["kommune_nr", "301", "0301"],
  ["kommune_nr", "0301", "0301"],
  ["kommune_nr", "3101", "3101"],
  ["kommune_nr", "x", "x"],
  ["kommune_nr", "", ""],
  ["fylke_nr", "3", "03"],
  ["orgnr", "301", "301"],
  ["region", "301", "301"],
])("returns the value of a key that other relations have as text: %s %s", (column, value, text) => {
  expect(keyValue(column, value)).toBe(text);
});

describe("the values of a map", () => {
  const areas = new Map(["0301", "3101", "1103"].map((id) => [id, id])).set("3001", "3101");
  const values = (rows: readonly Record<string, unknown>[]) =>
    areaValues(rows, { map: "nr", y: "y" }, "municipality", areas);

  test("contain numbers of today and of 2020, and lists what is not drawn", () => {
    expect(
      values([
        { nr: "0301", y: 1 },
        { nr: "3001", y: "2.50" },
        { nr: "1103", y: null },
        { nr: "0101", y: 4 },
        { nr: "0101", y: 5 },
        { nr: null, y: 6 },
      ]),
    ).toEqual({
      values: new Map([
        ["0301", 1],
        ["3101", 2.5],
      ]),
      repeated: [],
      missing: { count: 3, keys: ["", "0101"] },
      skipped: 1,
    });
  });

  test("do not contain an area of several rows", () => {
    expect(
      values([
        { nr: "3001", y: 1 },
        { nr: "3101", y: 2 },
        { nr: "0301", y: 3 },
      ]),
    ).toEqual({ values: new Map([["0301", 3]]), repeated: ["3101"], missing: { count: 0, keys: [] }, skipped: 0 });
  });

  test("are those of the latest time", () => {
    const rows = [{ year: 9 }, { year: 2024 }, { year: null }, { year: 2024 }];
    const sameArea = (): string => "0301";
    expect(latestRows(rows, "year", sameArea)).toEqual({ rows: [{ year: 2024 }, { year: 2024 }], time: "2024" });
    expect(latestRows(rows.slice(1, 2), "year", sameArea)).toEqual({ rows: [{ year: 2024 }], time: null });
    expect(latestRows(rows, undefined, sameArea)).toEqual({ rows, time: null });
    const instants = [".5", ".75"].map((fraction) => ({ at: `2024-01-01T00:00:00${fraction}+00:00` }));
    expect(latestRows(instants, "at", sameArea).rows).toEqual([instants[1]]);
  });

  test("are those of the latest year, also if each area has one row", () => {
    const rows = [
      { year: 2005, nr: "0301" },
      { year: 2023, nr: "1103" },
      { year: 2014, nr: "4601" },
    ];
    expect(latestRows(rows, "year", ({ nr }) => String(nr))).toEqual({ rows: [rows[1]], time: "2023" });
  });

  test("are all rows if no area has several, whatever their date", () => {
    const rows = [
      { updated: "2023-05-01", nr: "0301" },
      { updated: "2024-01-01", nr: "3101" },
      { updated: "2022-01-01", nr: null },
      { updated: "2022-02-01", nr: null },
    ];
    const areaOf = (row: Record<string, unknown>): string | undefined => (row["nr"] as string | null) ?? undefined;
    expect(latestRows(rows, "updated", areaOf)).toEqual({ rows, time: null });
  });
});

describe("the classes of values", () => {
  const compact = (values: readonly number[]): number[][] =>
    classesOf(values).map(({ from, to, count, tone }) => [from, to, count, tone]);

  test("have about the same number of values, and the values' own limits", () => {
    expect(compact([1, 2, 3, 4, 5, 6, 7, 8, 9, 1000])).toEqual([
      [1, 2, 2, 1],
      [3, 4, 2, 2],
      [5, 6, 2, 3],
      [7, 8, 2, 4],
      [9, 1000, 2, 5],
    ]);
  });

  test("are one per value if there are few values", () => {
    expect(compact([7, 7, 7])).toEqual([[7, 7, 3, 3]]);
    expect(compact([4, 1, 1, 1, 1, 1])).toEqual([
      [1, 1, 5, 1],
      [4, 4, 1, 5],
    ]);
    expect(compact([])).toEqual([]);
  });

  test("have one class for the lowest value if many areas have it, and several for the others", () => {
    const many = (value: number): number[] => Array.from({ length: 290 }, () => value);
    const others = Array.from({ length: 66 }, (_, index) => index + 1);
    expect(compact([...many(0), ...others])).toEqual([
      [0, 0, 290, 1],
      [1, 17, 17, 2],
      [18, 33, 16, 3],
      [34, 49, 16, 4],
      [50, 66, 17, 5],
    ]);
    expect(compact([...many(0), ...many(1), 2, 3, 4, 5, 6, 7])).toEqual([
      [0, 0, 290, 1],
      [1, 1, 290, 2],
      [2, 3, 2, 3],
      [4, 5, 2, 4],
      [6, 7, 2, 5],
    ]);
    expect(compact([-2, -1, ...many(0), 1, 2, 3, 4])).toEqual([
      [-2, -2, 1, -5],
      [-1, -1, 1, -1],
      [0, 0, 290, 1],
      [1, 2, 2, 3],
      [3, 4, 2, 5],
    ]);
  });

  test("are separated by zero if there are values on both sides", () => {
    expect(compact([-5, -1, 0, 2, 3])).toEqual([
      [-5, -5, 1, -5],
      [-1, -1, 1, -1],
      [0, 0, 1, 1],
      [2, 2, 1, 3],
      [3, 3, 1, 5],
    ]);
    expect(compact([-2, -1])).toEqual([
      [-2, -2, 1, 1],
      [-1, -1, 1, 5],
    ]);
  });

  test("contain each value once, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }), (values) => {
        const classes = classesOf(values);
        expect(classes.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
        expect(classes.length).toBeLessThanOrEqual(6);
        for (const value of values) {
          const { from = Number.NaN, to = Number.NaN } = classOf(classes, value) ?? {};
          expect([from <= value, value <= to]).toEqual([true, true]);
        }
        classes.slice(1).forEach(({ from }, index) => expect(from).toBeGreaterThan(classes[index]?.to ?? Number.NaN));
      }),
    );
  });
});

describe("the geometry", () => {
  interface Area {
    readonly properties: { readonly id: string; readonly old?: string; readonly name: string };
  }
  const folder = packageFolder();
  const fileOf = (name: string): string =>
    readFileSync(join(folder, "catalog/src/components/map", `${name}.json`), "utf8");
  const areasOf = (name: string): readonly Area["properties"][] =>
    (JSON.parse(fileOf(name)) as { objects: { areas: { geometries: Area[] } } }).objects.areas.geometries.map(
      ({ properties }) => properties,
    );
  const { data } = Papa.parse<Record<string, string>>(
    readFileSync(join(folder, "local/sample/kommuner-2024.csv"), "utf8"),
    { header: true, skipEmptyLines: true },
  );
  const counties = new Map(data.map((row) => [row["fylke_nr"], row["fylke_navn"]]));

  test("has the counties of 2024", () => {
    expect(new Map(areasOf("counties").map(({ id, name }) => [id, name]))).toEqual(counties);
  });

  test("has the municipalities of 2024, of which Ålesund and Haram are one area", () => {
    const numbers = data.map((row) => row["kommune_nr"]).filter((number) => number !== "1508" && number !== "1580");
    expect(areasOf("municipalities").map(({ id }) => id)).toEqual([...numbers, "1507"].sort());
  });

  test("has the number of 2020 of each municipality of a county that was divided", () => {
    const renumbered = areasOf("municipalities").filter(({ id }) =>
      ["31", "32", "33", "39", "40", "55", "56"].includes(id.slice(0, 2)),
    );
    const former = (id: string): string => (id < "34" ? "30" : id < "41" ? "38" : "54");
    expect(renumbered.map(({ id, old }) => [id, old?.slice(0, 2)])).toEqual(
      renumbered.map(({ id }) => [id, former(id)]),
    );
    expect(new Set(renumbered.map(({ old }) => old)).size).toBe(51 + 23 + 39);
    expect(areasOf("municipalities").filter(({ old }) => old !== undefined)).toEqual(renumbered);
  });

  test("is small", () => {
    expect(fileOf("counties").length).toBeLessThan(40_000);
    expect(fileOf("municipalities").length).toBeLessThan(150_000);
  });
});

test("leaves out the last area of a response that is not complete, of which it can have a part of the rows only", () => {
  const rows = [...[1, 2].map((value) => ({ kommune_nr: "0301", value })), { kommune_nr: "1103", value: 3 }];
  expect(withoutLastArea(rows, "kommune_nr")).toEqual(rows.slice(0, 2));
  const ids = new Map([
    ["0301", "oslo"],
    ["1103", "stavanger"],
  ]);
  // Without it, the map has the value of one of its rows.
  expect(areaValues(rows, { map: "kommune_nr", y: "value" }, "municipality", ids).values).toEqual(
    new Map([["stavanger", 3]]),
  );
  expect(
    areaValues(withoutLastArea(rows, "kommune_nr"), { map: "kommune_nr", y: "value" }, "municipality", ids).values,
  ).toEqual(new Map());
});
