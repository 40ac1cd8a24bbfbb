/** What the rules of the data API compare of a `select`, with the regular expressions that Traefik gets. Live: test/data/select.test.ts. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { estimatesRelated, selectsTooMuch } from "../../../infra/plan/matchers.ts";

/** Returns the last expression that a rule compares with `select`. */
function expressionOf(rule: string): RegExp {
  const [, text = ""] = /QueryRegexp\(`select`, `\(\?s\)([^`]*)`\)\)$/.exec(rule) ?? [];
  return new RegExp(text, "s");
}
const tooMuch = expressionOf(selectsTooMuch());
const related = expressionOf(estimatesRelated());

const NAMES = '"Andel (prosent)","Antall (stk)"';

test.each([NAMES, `id,${NAMES},"a (b)","c (d)","e (f)"`, '"Andel (prosent)"::text,"x":name', '"((((",id'])(
  "allows names with brackets, which are not related rows: %s",
  (select) => {
    expect([tooMuch.test(select), related.test(select)]).toEqual([false, false]);
  },
);

test.each(["rel(a)", `${NAMES},rel(a)`, "rel(a),b(c),d(e)", '"a":rel(b)', "id,count()"])(
  "allows related rows and aggregates, without an estimate: %s",
  (select) => {
    expect([tooMuch.test(select), related.test(select)]).toEqual([false, true]);
  },
);

test.each([
  "rel(a(b))",
  `${NAMES},rel(a(b))`,
  '"a":rel(b(c))',
  "a(b),c(d),e(f),g(h)",
  "a(b),c(d(e))",
  'rel("a)",b(c))',
  // A key of JSON can contain a quote (postgrest, pJsonPath): it does not begin a name.
  'j->k",rel(a(b)),j->l"',
  'j->>k",rel(a(b)),"x"',
  // Without escapes, the name ends at the second quote.
  String.raw`"a\",rel(b(c)),"d\","`,
  String.raw`id,"a\",rel(b(c)),"d"`,
  ' "a",rel(b(c))',
])("refuses related rows inside of related rows, and more than three: %s", (select) => {
  expect([tooMuch.test(select), related.test(select)]).toEqual([true, true]);
});

test("compares a select without quotes as if every bracket counted", () => {
  const nested = /[(][^)]*[(]|([(].*){4}/s;
  const select = fc.string({ unit: fc.constantFrom("a", ",", "(", ")", ":", "-"), maxLength: 30 });
  fc.assert(
    fc.property(select, (text) => {
      expect([tooMuch.test(text), related.test(text)]).toEqual([nested.test(text), text.includes("(")]);
    }),
  );
});

test("never reads more of a select as names than PostgREST: what follows a name with brackets counts like what follows one without", () => {
  const item = fc.string({ unit: fc.constantFrom("a", "(", ")", ":", "-", ">"), maxLength: 8 });
  const quoted = fc.string({ unit: fc.constantFrom("x", "(", ")", ",", " "), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.option(quoted), rest: item }), { maxLength: 5 }), (items) => {
      const write = (nameOf: (name: string) => string): string =>
        items.map(({ name, rest }) => (name === null ? "" : nameOf(name)) + rest).join(",");
      const plain = write(() => "x");
      // The names before the first bracket have no effect; after it, each quote makes the rule stricter.
      if (!plain.includes("("))
        expect([tooMuch.test(write((name) => `"${name}"`)), related.test(write((name) => `"${name}"`))]).toEqual([
          false,
          false,
        ]);
      else if (tooMuch.test(plain)) expect(tooMuch.test(write((name) => `"${name}"`))).toBe(true);
    }),
  );
});
