import fc from "fast-check";
import { expect, test } from "vitest";
import { bibtex, type Cited } from "../../catalog/src/text/citation.ts";

const CITED: Cited = {
  name: "marts.fact_å",
  title: "50 % {of} $1 & #2_~^\\",
  publishers: ["A_B", "C"],
  licence: "CC BY 4.0",
  url: "https://catalog.example.org/data/marts/fact_%C3%A5?where.a=eq.{x}",
  ingested: null,
  read: new Date("2026-02-03T12:00:00Z"),
};

test("writes an entry in which TeX interprets no character", () => {
  expect(bibtex(CITED)).toBe(`@misc{marts.fact_a,
  author = {{A\\_B} and {C}},
  title = {{50 \\% \\{of\\} \\$1 \\& \\#2\\_\\textasciitilde{}\\textasciicircum{}\\textbackslash{}}},
  note = {Table marts.fact\\_å. CC BY 4.0},
  url = {https://catalog.example.org/data/marts/fact_%C3%A5?where.a=eq.%7Bx%7D},
  urldate = {2026-02-03},
}
`);
});

test("states the year of the rows if it is known, and no author without a publisher", () => {
  const entry = bibtex({ ...CITED, publishers: [], ingested: new Date("2025-06-01T00:00:00Z") });
  expect(entry).toContain("  year = {2025},\n");
  expect(entry).not.toContain("author");
});

test("has balanced braces for any text", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (title, publisher, url) => {
      const depth = [...bibtex({ ...CITED, title, publishers: [publisher], url }).matchAll(/(?<!\\)(?:\\\\)*([{}])/g)];
      expect(depth.reduce((open, [, brace]) => open + (brace === "{" ? 1 : -1), 0)).toBe(0);
    }),
  );
});

test("names the day in the time zone of the visitor, as the citation as text does", () => {
  const read = new Date(2026, 6, 1, 0, 30);
  expect(bibtex({ ...CITED, read })).toContain("urldate = {2026-07-01}");
});
