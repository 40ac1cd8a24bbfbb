import { describe, expect, test } from "vitest";
import { familyOf, isMeasure, isRegion, isSortable, isTime, operatorsOf } from "../../catalog/src/state/columns.ts";

describe("a column", () => {
  const column = (name: string, type: string, key = false) => ({ name, type, nullable: true, description: null, key });

  test.each([
    ["numeric(10,2)", "number"],
    ["integer[]", "array"],
    ["character varying(3)", "text"],
    ["timestamp with time zone", "time"],
    ["jsonb", "document"],
    ["boolean", "boolean"],
    ["marts.colour", "other"],
  ])("has the family of its type: %s -> %s", (type, family) => {
    expect(familyOf({ type })).toBe(family);
    expect(operatorsOf({ type })).toContain("empty");
  });

  test("is a measure, a time or a region", () => {
    expect([isMeasure(column("folketall", "integer")), isMeasure(column("year", "integer"))]).toEqual([true, false]);
    expect(isMeasure(column("id", "integer", true))).toBe(false);
    // The API returns money as text with a currency.
    expect(isMeasure(column("price", "money"))).toBe(false);
    expect([isTime(column("year", "integer")), isTime(column("day", "date")), isTime(column("navn", "text"))]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isRegion(column("kommune_nr", "text")), isRegion(column("orgnr", "text"))]).toEqual([true, false]);
  });

  test.each(["utslipp_per_aar", "liters_pr_år", "per_year"])("is a measure if it is a rate: %s", (name) => {
    expect([isTime(column(name, "numeric")), isMeasure(column(name, "numeric"))]).toEqual([false, true]);
    expect(isTime(column("fiscal_year", "integer"))).toBe(true);
  });

  test("is a time if it is a text column whose values start with a digit", () => {
    const month = column("month", "text");
    const isTimeWith = (...values: unknown[]): boolean =>
      isTime(
        month,
        values.map((value) => ({ month: value })),
      );
    expect([isTimeWith("January", null), isTimeWith("2024-01", null), isTimeWith()]).toEqual([false, true, true]);
    expect(isTime(month, [{ other: "x" }])).toBe(true);
  });

  test.each<[string, string, readonly unknown[], boolean]>([
    ["fiscal_year", "integer", [2023, 2024, null], true],
    ["fiscal_year", "numeric", ["2023", 2024], true],
    ["periode_aar", "integer", [202401, 20240131], true],
    ["vekst_siste_aar", "integer", [3, 12, 0], false],
    ["vekst_siste_aar", "numeric(4,1)", [2.5, -1, null], false],
    ["antall_siste_år", "bigint", [2024, 31], false],
    ["change_last_year", "double precision", [2024, 0.5], false],
    ["year", "numeric", [2023, 2024], true],
    ["quarter", "smallint", [1, 4], true],
    ["tid", "numeric", [1.5, 2], false],
    ["siste_aar", "boolean", [true, false], false],
  ])("of numbers is a time by its name only with values that look like one: %s %s %j", (name, type, values, time) => {
    const rows = values.map((value) => ({ [name]: value }));
    const of = column(name, type);
    expect([isTime(of, rows), isMeasure(of, rows)]).toEqual([time, !time && type !== "boolean"]);
  });

  test.each([
    ["jsonb", true],
    ["uuid", true],
    ["text[]", true],
    ["int4range", true],
    ["numeric(5,2)", true],
    ["json", false],
    ["json[]", false],
    ["xml", false],
    ["point", false],
    ["circle", false],
  ])("can be sorted if Postgres can order its type: %s: %j", (type, sortable) => {
    expect(isSortable({ name: "a", type })).toBe(sortable);
  });
});
