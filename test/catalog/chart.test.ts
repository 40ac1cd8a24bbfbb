import { describe, expect, test } from "vitest";
import { choicesOf } from "../../catalog/src/components/chart/choices.ts";
import { drawingOf, rankedLabels } from "../../catalog/src/components/chart/series.ts";
import { areInUtc, ticksOf } from "../../catalog/src/components/chart/times.ts";

describe("a chart", () => {
  const column = (name: string, type: string) => ({ name, type, nullable: true, description: null, key: false });

  const year = column("year", "integer");
  const region = column("fylke_nr", "text");
  const value = column("value", "numeric");

  test("requires a number, and a time or a region", () => {
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

  test("draws no time axis for names of months", () => {
    const month = column("month", "text");
    const rows = ["January", "February"].map((name) => ({ month: name, year: 2024, value: 1 }));
    expect(choicesOf([month, value], rows)?.x.map(({ name }) => name)).toEqual(["month"]);
    expect(choicesOf([month, value], [], rows)).toBeNull();
    expect(choicesOf([month, value], [], [{ month: "2024-01" }])?.first.x).toBe("month");
  });

  test("draws no time axis for a measure whose name ends with a year", () => {
    const growth = column("vekst_siste_aar", "numeric(4,1)");
    const rows = [1.5, 2.5].map((each, index) => ({ vekst_siste_aar: each, year: 2023 + index, fylke_nr: "03" }));
    expect(choicesOf([growth, year, region], rows)?.first).toEqual({
      x: "year",
      y: "vekst_siste_aar",
      series: "fylke_nr",
    });
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
      positions: null,
      series: [
        { name: "a", points: [{ x: "2020", y: 1 }] },
        { name: "b", points: [{ x: "2021", y: 2.5 }] },
      ],
      all: 2,
      skipped: 3,
      repeated: false,
    });
    expect(drawingOf([rows[1] ?? {}, rows[1] ?? {}], { x: "x", y: "y", series: "" }).repeated).toBe(true);
  });

  describe("over time", () => {
    const overTime = (rows: readonly Record<string, unknown>[]) =>
      drawingOf(rows, { x: "x", y: "y", series: "s" }, true);
    const points = (rows: readonly Record<string, unknown>[]) =>
      overTime(rows).series.map(({ name, points }) => [name, ...points.map(({ x, y }) => [x, y])]);

    test("has years and dates at their distance, in order", () => {
      const labels = (...values: unknown[]) => {
        const { labels, positions } = overTime(values.map((x) => ({ x, y: 1, s: "a" })));
        return [labels, positions && [...positions.values()]];
      };
      expect(labels(2024, 2010, 2015)).toEqual([
        ["2010", "2015", "2024"],
        [2010, 2015, 2024],
      ]);
      expect(labels("2024-01-03", "2024-01-01")).toEqual([
        ["2024-01-01", "2024-01-03"],
        [Date.UTC(2024, 0, 1), Date.UTC(2024, 0, 3)],
      ]);
      const months = [Date.UTC(2024, 0), Date.UTC(2024, 1), Date.UTC(2024, 8)];
      expect(labels("2024-09", "2024-01", "2024-02")).toEqual([["2024-01", "2024-02", "2024-09"], months]);
      expect(labels("2024M09", "2024M01", "2024M02")).toEqual([["2024M01", "2024M02", "2024M09"], months]);
      expect(labels("2024-01", "2024-13")[1]).toBeNull();
      const [half, later] = ["2024-01-01T00:00:00.5+00:00", "2024-01-01T00:00:00.75+00:00"];
      expect(labels(later, half)[0]).toEqual([half, later]);
      // A time of the day without a zone is none of the browser's zone, which has hours twice.
      expect(labels("2024-10-27T02:30:00")[1]).toEqual([Date.UTC(2024, 9, 27, 2, 30)]);
      expect(labels("2024K2", "2024K10", "2023K4")).toEqual([["2023K4", "2024K2", "2024K10"], null]);
      expect(labels(202401, 202312)).toEqual([["202312", "202401"], null]);
      expect(labels("2024-01-01", "infinity")[1]).toBeNull();
      expect(labels("2024-01-01T00:00:00.0001", "2024-01-01T00:00:00.0002")[1]).toBeNull();
    });

    test("breaks a line where its series has no number", () => {
      expect(
        points([
          { x: 2012, y: 3, s: "a" },
          { x: 2011, y: null, s: "a" },
          { x: 2010, y: 1, s: "a" },
          { x: 2012, y: 2, s: "b" },
          { x: 2013, y: null, s: "b" },
        ]),
      ).toEqual([
        ["a", ["2010", 1], ["2011", null], ["2012", 3], ["2013", null]],
        ["b", ["2010", null], ["2011", null], ["2012", 2], ["2013", null]],
      ]);
    });

    test("connects what a series has if it has no more than half of the dates of all", () => {
      expect(
        points([
          { x: "2024-01-01", y: 1, s: "monthly" },
          { x: "2024-01-15", y: null, s: "monthly" },
          { x: "2024-02-01", y: 2, s: "monthly" },
          ...[1, 8, 15, 22, 29].map((day) => ({ x: `2024-01-${`${day}`.padStart(2, "0")}`, y: day, s: "weekly" })),
        ])[0],
      ).toEqual(["monthly", ["2024-01-01", 1], ["2024-01-15", null], ["2024-02-01", 2]]);
    });

    test("draws the first series by name, and counts the others", () => {
      const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
      const { series, all } = overTime(names.toReversed().map((s) => ({ x: 2024, y: 1, s })));
      expect([series.map(({ name }) => name), all]).toEqual([names.slice(0, 8), 12]);
    });

    test("draws the same series with every language of the browser", () => {
      const names = ["Ørsta", "Ålesund", "Zürich", "Ås", "Ærø", "Østfold 10", "Østfold 9", "Ål", "Oslo", "Öland"];
      const { series } = overTime(names.map((s) => ({ x: 2024, y: 1, s })));
      expect(series.map(({ name }) => name)).toEqual([
        "Oslo",
        "Zürich",
        "Ærø",
        "Öland",
        "Ørsta",
        "Østfold 9",
        "Østfold 10",
        "Ål",
      ]);
    });

    test("has the times of some rows as ticks, with room between them", () => {
      const ticks = (...values: unknown[]) => ticksOf(overTime(values.map((x) => ({ x, y: 1, s: "a" }))));
      expect(ticks(2010, 2011, 2015, 2024).map(({ text }) => text)).toEqual(["2010", "2015", "2024"]);
      expect(ticks("2024-01-01T00:00:00+00:00", "2024-02-01T12:00:00+00:00").map(({ text }) => text)).toEqual([
        "2024-01-01",
        "2024-02-01",
      ]);
      expect(ticks("2024-01-01T00:00:00+00:00", "2024-01-01T12:30:00+00:00").map(({ text }) => text)).toEqual([
        "2024-01-01 00:00",
        "2024-01-01 12:30",
      ]);
      const months = Array.from({ length: 12 }, (_, index) => `2024-${`${index + 1}`.padStart(2, "0")}`);
      expect(ticks(...months).map(({ text }) => text)).toEqual(["2024-01", "2024-04", "2024-07", "2024-10"]);
    });

    test("shows the time of day for ticks that are not at midnight in UTC, and names UTC", () => {
      const norwegian = ["2023-12-31T23:00:00+00:00", "2024-03-31T22:00:00+00:00"];
      expect(ticksOf(overTime(norwegian.map((x) => ({ x, y: 1, s: "a" })))).map(({ text }) => text)).toEqual([
        "2023-12-31 23:00",
        "2024-03-31 22:00",
      ]);
      expect([norwegian, ["2024-01-01T00:00:00Z"]].map(areInUtc)).toEqual([true, true]);
      const others = [["2024-01-01T00:00:00+01:00", "2024-01-01T00:00:00Z"], ["2024-01-01"], ["2024-01-01T00:00:00"]];
      expect([...others, []].map(areInUtc)).toEqual([false, false, false, false]);
    });
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
