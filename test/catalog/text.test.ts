import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { readDeprecation } from "../../catalog/src/api/deprecation.ts";
import { en } from "../../catalog/src/i18n/en.ts";
import { dataNumbers, templates } from "../../catalog/src/i18n/template.ts";
import { nb } from "../../catalog/src/i18n/nb.ts";
import { blocksOf } from "../../catalog/src/text/changelog.ts";
import { toCsv } from "../../catalog/src/text/csv.ts";
import { parseExactly } from "../../catalog/src/text/json.ts";
import { webAddress } from "../../catalog/src/text/links.ts";
import { cellText, shortened, visible } from "../../catalog/src/text/visible.ts";
import { plainNumber } from "../../catalog/src/text/number.ts";

const CSV_CHARACTERS = "=+-@| \t\r\n\0\"',;.1aeø😀\u00A0\u200B\u202E\uFEFF\uFF1D\uFF0B";

/** Returns a cell of a file with several columns, whose cells are quoted only where they have to be. */
const csvCell = (value: unknown): string =>
  toCsv(["a", "b"], [{ a: value, b: 0 }]).slice("\uFEFFa,b\r\n".length, -",0\r\n".length);

describe("CSV", () => {
  test.each([
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ["+1+1", `"'+1+1"`],
    ["-2+3", `"'-2+3"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t'=1"`],
    ["\r=1", `"'\r'=1"`],
    ["  =1", `"'  =1"`],
    ["\u200B=1", `"'\u200B=1"`],
    ["\uFF1D1", `"'\uFF1D1"`],
    ["-1e5+cmd", `"'-1e5+cmd"`],
    ["-e5", `"'-e5"`],
    ["=1e5", `"'=1e5"`],
    ["-5", "-5"],
    ["-1e-05", "-1e-05"],
    ["+1.5E+10", "+1.5E+10"],
    ["-1,5e10", '"-1,5e10"'],
    ["+47,5", '"+47,5"'],
    [-5, "-5"],
    [null, ""],
    [true, "true"],
    ["a,b", '"a,b"'],
    ['an "x"', '"an ""x"""'],
    ["two\nlines", '"two\nlines"'],
    [{ a: [1] }, '"{""a"":[1]}"'],
    ["Ås", "Ås"],
    ["foo;=1+1", "foo;'=1+1"],
    ['foo; "=1+1', `"foo;' ""=1+1"`],
    ["a\n-1", `"a\n'-1"`],
    ["0;-5", "0;'-5"],
    ["=1;=1", `"'=1;'=1"`],
    ["a;b - c; d", "a;b - c; d"],
    ["a,=1", '"a,=1"'],
  ])("writes %j as %j", (value, expected) => {
    expect(csvCell(value)).toBe(expected);
  });

  test("has a line per row, and no formula in its header", () => {
    expect(
      toCsv(
        ["a", "=b"],
        [
          { a: 1, "=b": "x" },
          { a: null, "=b": "=y" },
        ],
      ),
    ).toBe(`\uFEFFa,"'=b"\r\n1,x\r\n,"'=y"\r\n`);
  });

  test("quotes every cell of a single column, so that an empty one is not a blank line", () => {
    expect(toCsv(["a"], [{ a: null }, { a: "" }, { a: 1 }, { a: "=x" }])).toBe(
      '\uFEFF"a"\r\n""\r\n""\r\n"1"\r\n"\'=x"\r\n',
    );
    expect(toCsv(["a"], [{ a: null }], false)).toBe('""\r\n');
  });

  test("neutralizes formulas at the start of a cell, for any data", () => {
    const unit = fc.constantFrom(...CSV_CHARACTERS);
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 6 }), (value) => {
        const cell = csvCell(value).replace(/^"/, "");
        if (!/^[+-]?\d+([.,]\d+)?(e[+-]?\d+)?"?$/.test(cell)) expect(cell).not.toMatch(/^\s*[=+\-@]/);
      }),
      { numRuns: 1000 },
    );
  });

  // In a time that grows with the square of the length, this would take minutes.
  test("has long runs of separators", () => {
    const [tabs, lines] = ["\t", "\n"].map((separator) => separator.repeat(300_000));
    expect(csvCell(tabs) === `"'${tabs}"`).toBe(true);
    expect(csvCell(`x${lines}=`) === `"x${"\n'".repeat(300_000)}="`).toBe(true);
  });

  // Excel separates cells by semicolons where the decimal separator is a comma, and there no cell after the first can be quoted.
  test("neutralizes formulas after a semicolon in a cell, for any data", () => {
    const text = fc.string({ unit: fc.constantFrom(...CSV_CHARACTERS), maxLength: 8 });
    fc.assert(
      fc.property(text, (value) => {
        const row = toCsv(["a", "b", "c"], [{ a: "x", b: value, c: "x" }], false);
        for (const cell of row.split(/[;\t\r\n]/).slice(1)) expect(cell).not.toMatch(/^[\s"]*[=+\-@|\uFF1D\uFF0B]/);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a text of the data", () => {
  test.each([
    ["\u0001\u001B[31m", "⟨U+0001⟩⟨U+001B⟩[31m"],
    ["\u202Egnp.exe", "⟨U+202E⟩gnp.exe"],
    ["a\u200Bb\uFEFF", "a⟨U+200B⟩b⟨U+FEFF⟩"],
    ["\uD800", "⟨U+D800⟩"],
    ["line\n\ttab", "line\n\ttab"],
    ["שלום 👩‍👧 Å", "שלום 👩‍👧 Å"],
    ["<script>", "<script>"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("is shortened without cutting a character in two", () => {
    expect(shortened("aaa😀", 4)).toEqual({ text: "aaa", cut: true });
    expect(shortened("aaaa", 4)).toEqual({ text: "aaaa", cut: false });
  });

  test("is empty for null, and JSON for objects and arrays", () => {
    expect([cellText(null), cellText(0), cellText(false), cellText(["a"]), cellText("x")]).toEqual([
      "",
      "0",
      "false",
      '["a"]',
      "x",
    ]);
  });

  test.each([
    ["https://example.org/a", "https://example.org/a"],
    ["javascript:alert(1)", undefined],
    [" java\nscript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["//example.org", undefined],
    [null, undefined],
  ])("%j links to %j", (text, address) => {
    expect(webAddress(text)).toBe(address);
  });

  // Chrome 120
  test("links without URL.canParse, which documented browsers lack", () => {
    const canParse = vi.spyOn(URL, "canParse");
    expect(webAddress("https://example.org/a")).toBe("https://example.org/a");
    expect(canParse).not.toHaveBeenCalled();
    canParse.mockRestore();
  });
});

test("keeps numbers that JavaScript cannot represent as text", () => {
  expect(parseExactly('[{"a":9007199254740993,"b":1.50,"c":7,"d":"1.50","e":-0.1,"f":null}]')).toEqual([
    { a: "9007199254740993", b: "1.50", c: 7, d: "1.50", e: -0.1, f: null },
  ]);
});

test("keeps numbers inside of documents and arrays as they are", () => {
  const [row] = parseExactly('[{"doc":{"v":1.50,"w":[9007199254740993]},"list":[1.50,"1.50",2]}]') as [
    Record<string, unknown>,
  ];
  expect([cellText(row["doc"]), cellText(row["list"])]).toEqual([
    '{"v":1.50,"w":[9007199254740993]}',
    '[1.50,"1.50",2]',
  ]);
});

describe("the deprecation of a schema", () => {
  test("states its start, its end and a link", () => {
    const headers = new Headers({
      Deprecation: "@1767225600",
      Sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
      Link: '<https://example.org/v2>; rel="deprecation"; type="text/html"',
    });
    expect(readDeprecation(headers)).toEqual({
      since: new Date("2026-01-01T00:00:00Z"),
      sunset: new Date("2027-01-01T00:00:00Z"),
      link: "https://example.org/v2",
    });
  });

  test("is absent for other schemas, and links to web pages only", () => {
    expect(readDeprecation(new Headers())).toBeNull();
    const headers = new Headers({ Deprecation: "@0", Link: '<javascript:alert(1)>; rel="deprecation"' });
    expect(readDeprecation(headers)).toEqual({ since: new Date(0), sunset: null, link: undefined });
  });
});

test("parses a changelog as headings, items and paragraphs", () => {
  expect(blocksOf("# Title\n\n## 2026, api_v1\n\nFirst: <b>.\n- added `x`\n")).toEqual([
    { kind: "heading", text: "2026, api_v1" },
    { kind: "paragraph", text: "First: <b>." },
    { kind: "item", text: "added `x`" },
  ]);
});

test("has the same texts with the same values in both languages", () => {
  const holes = (words: Record<string, string>): Record<string, string[]> =>
    Object.fromEntries(
      Object.entries(words).map(([key, text]) => [
        key,
        [...new Set([...text.matchAll(/\{(\w+)[:}]/g)].map(([, name]) => name ?? ""))].sort(),
      ]),
    );
  expect(holes(nb)).toEqual(holes(en));
});

test("quotes a value as the language does", () => {
  expect(templates("nb")(nb.quoted, { value: "x" })).toBe("«x»");
  expect(templates("en")(en.quoted, { value: "x" })).toBe("“x”");
  expect(Object.values(nb).join(" ")).not.toMatch(/["“”]/);
  expect(Object.values(en).join(" ")).not.toMatch(/["«»]/);
});

describe("a text with a number", () => {
  test.each([
    ["en", 1, "1 row", "Saved 1 row.", "A query that takes longer than 1 second is stopped."],
    ["en", 0, "0 rows", "Saved 0 rows.", "A query that takes longer than 0 seconds is stopped."],
    ["en", 1.5, "1.5 rows", "Saved 1.5 rows.", "A query that takes longer than 1.5 seconds is stopped."],
    ["nb", 1, "1 rad", "Lagret 1 rad.", "En spørring som tar lengre tid enn 1 sekund, stanses."],
    ["nb", 1200, "1 200 rader", "Lagret 1 200 rader.", "En spørring som tar lengre tid enn 1 200 sekunder, stanses."],
  ] as const)("has the form of its words in %s for %d", (language, count, ...expected) => {
    const words = language === "en" ? en : nb;
    const filled = templates(language);
    const texts = [words.countedRows, words.downloaded, words.limitTime];
    expect(texts.map((text) => filled(text, { count, statementTimeout: count }).replaceAll("\u00A0", " "))).toEqual(
      expected,
    );
  });

  test("keeps values that contain holes, and holes without a value", () => {
    expect(templates("en")("{a} {b} {c:x|y}", { a: "{b}", c: "1" })).toBe("{b} {b} y");
  });
});

test.each([
  ["en", 0.000123456, "0.0001235"],
  ["en", 0.25, "0.25"],
  ["en", 1234567.8912, "1,234,567.891"],
  ["en", -29, "-29"],
  ["nb", 1234.5, "1 234,5"],
])("writes a number of the data in %s with its first digits: %d", (language, value, expected) => {
  expect(dataNumbers(language)(value).replaceAll("\u00A0", " ")).toBe(expected);
});

test.each([
  ["nb", "1,5", "1.5"],
  ["nb", "\u22121 234,5", "-1234.5"],
  ["nb", "1\u00a0000", "1000"],
  ["nb", "1,000,000", "1,000,000"],
  ["en", "1,000", "1000"],
  ["en", "-1,234,567.891", "-1234567.891"],
  ["en", "1,5", "1,5"],
  ["en", "-2.25", "-2.25"],
  ["en", "NaN", "NaN"],
  ["nb", "a 1", "a 1"],
] as const)("reads a number in the notation of the language: %s %s", (language, written, sent) => {
  expect(plainNumber(written, language)).toBe(sent);
});
