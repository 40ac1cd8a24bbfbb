import { describe, expect, test } from "vitest";
import { choicesOf } from "../../catalog/src/chart/choices.ts";
import { drawingOf, rankedLabels } from "../../catalog/src/chart/series.ts";

describe("a chart", () => {
  const column = (name: string, type: string) => ({ name, type, nullable: true, description: null, key: false });

  const year = column("year", "integer");
  const region = column("fylke_nr", "text");
  const value = column("value", "numeric");

  test("needs a number, and a time or a region", () => {
    expect(choicesOf([year, region, value])?.first).toEqual({ x: "year", y: "value", series: "fylke_nr" });
    expect(choicesOf([region, value])?.first).toEqual({ x: "fylke_nr", y: "value", series: "" });
    const inYears = (...years: number[]) =>
      years.map((each, index) => ({ year: each, fylke_nr: `${index}`, value: 1 }));
    expect(choicesOf([year, region, value], inYears(2024, 2024))?.first).toEqual({
      x: "fylke_nr",
      y: "value",
      series: "",
    });
    expect(choicesOf([year, region, value], inYears(2023, 2024))?.first.x).toBe("year");
    const name = { ...region, name: "fylke_navn" };
    expect(choicesOf([region, name, value])?.first.x).toBe("fylke_navn");
    expect([choicesOf([year, region]), choicesOf([value]), choicesOf([])]).toEqual([null, null, null]);
    const ids = [column("id", "bigint"), column("station_id", "integer")];
    expect([choicesOf([year, ...ids]), choicesOf([year, ...ids, value])?.first.y]).toEqual([null, "value"]);
  });

  test("has a bar for each row whose text differs from the others, if the rows have no time or region to compare", () => {
    const sector = column("sector", "text");
    const rows = (count: number, text = (index: number): string | null => `s${index}`) =>
      Array.from({ length: count }, (_, index) => ({ year: 2024, sector: text(index), value: index }));
    const axis = (columns: Parameters<typeof choicesOf>[0], of: ReturnType<typeof rows>) =>
      choicesOf(columns, of)?.first;
    expect(axis([sector, value], rows(25))).toEqual({ x: "sector", y: "value", series: "" });
    expect(axis([year, sector, value], rows(2))).toEqual({ x: "sector", y: "value", series: "" });
    expect(choicesOf([year, sector, value], rows(2))?.x.map(({ name }) => name)).toEqual(["year", "sector"]);
    const without = [
      rows(1),
      rows(26),
      rows(3, () => "same"),
      rows(2, (index) => (index ? "a" : null)),
      rows(2, () => ""),
    ];
    expect(without.map((of) => axis([sector, value], of))).toEqual(without.map(() => undefined));
    expect(choicesOf([sector, value])).toBeNull();
  });

  test("has no time axis of names of months", () => {
    const month = column("month", "text");
    const rows = ["January", "February"].map((name) => ({ month: name, year: 2024, value: 1 }));
    expect(choicesOf([month, value], rows)?.x.map(({ name }) => name)).toEqual(["month"]);
    expect(choicesOf([month, value], [], rows)).toBeNull();
    expect(choicesOf([month, value], [], [{ month: "2024-01" }])?.first.x).toBe("month");
  });

  test("draws every number in its series, in order, and adds nothing up", () => {
    const rows = [
      { x: 2021, y: "2.50", s: "b" },
      { x: 2020, y: 1, s: "a" },
      { x: 2020, y: null, s: "a" },
      { x: 2020, y: "", s: "a" },
      { x: null, y: 3, s: "a" },
    ];
    expect(drawingOf(rows, { x: "x", y: "y", series: "s" })).toEqual({
      labels: ["2020", "2021"],
      series: [
        { name: "b", points: [{ x: "2021", y: 2.5, series: "b" }] },
        { name: "a", points: [{ x: "2020", y: 1, series: "a" }] },
      ],
      all: 2,
      skipped: 3,
      repeated: false,
    });
    expect(drawingOf([rows[1] ?? {}, rows[1] ?? {}], { x: "x", y: "y", series: "" }).repeated).toBe(true);
  });

  test("ranks the bars of a single series while there is room for their names", () => {
    const ranked = (count: number, series = "", rows = 1): readonly string[] | null => {
      const all = Array.from({ length: count * rows }, (_, index) => ({
        x: `r${index % count}`,
        y: index,
        s: `${index}`,
      }));
      return rankedLabels(drawingOf(all, { x: "x", y: "y", series }));
    };
    expect(ranked(3)).toEqual(["r2", "r1", "r0"]);
    expect(ranked(25)?.[0]).toBe("r24");
    expect([ranked(0), ranked(26), ranked(3, "s"), ranked(3, "", 2)]).toEqual([null, null, null, null]);
  });
});
