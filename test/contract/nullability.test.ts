import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isNode, parseNodeTree } from "../../ops/contract/nodeTree.ts";
import { Nullability, type Source } from "../../ops/contract/nullability.ts";

describe("a node tree", () => {
  test("is read with its lists, nulls, escapes and data", () => {
    const tree = parseNodeTree(
      String.raw`({QUERY :cteList <> :name we\ ird\ \{x\} :colon :x :nulling (b) :value 5 [ 20 0 ] :inner {VAR :no 1}})`,
    );
    const inner = { tag: "VAR", fields: new Map([["no", "1"]]) };
    const fields = Object.entries({
      cteList: null,
      name: "we ird {x}",
      colon: ":x",
      nulling: ["b"],
      value: ["5", "[", "20", "0", "]"],
      inner,
    });
    expect(tree).toEqual([{ tag: "QUERY", fields: new Map(fields) }]);
  });

  test("gives back every name that Postgres escapes", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        const escaped = name.replace(/[^]/g, (character) => `\\${character}`);
        const node = parseNodeTree(`{TARGETENTRY :resname ${escaped} :resjunk false}`);
        expect(isNode(node) && [...node.fields]).toEqual([
          ["resname", name],
          ["resjunk", "false"],
        ]);
      }),
    );
  });

  test.each(["", "(", ")", "{", "{A :b}", "a b", "{A :b 1"])("%j is none", (text) => {
    expect(() => parseNodeTree(text)).toThrow(/^node tree: /);
  });
});

/** Whether the only column of a view on the table 100 is never null, by the expression of that column. */
function isNeverNull(expression: string, rest = ":setOperations <> :groupingSets <>"): boolean {
  const table = "{RANGETBLENTRY :rtekind 0 :relid 100}";
  const query = `({QUERY :rtable (${table}) :targetList ({TARGETENTRY :expr ${expression} :resno 1}) ${rest}})`;
  const sources = new Map<string, Source>([
    ["100", { notNull: new Set([1]), query: undefined }],
    ["200", { notNull: new Set(), query }],
  ]);
  return new Nullability(sources).isNeverNull("200", 1);
}

const NOT_NULL = "{VAR :varno 1 :varattno 1 :vartype 23 :varnullingrels (b) :varlevelsup 0}";

describe("a column of a view", () => {
  test("is never null as the base column is", () => {
    expect(isNeverNull(NOT_NULL)).toBe(true);
    expect(isNeverNull(NOT_NULL.replace("varattno 1", "varattno 2"))).toBe(false);
  });

  test.each([
    ["on the side of an outer join that may be missing", NOT_NULL.replace("(b)", "(b 3)")],
    ["of a Postgres that does not note outer joins", NOT_NULL.replace(":varnullingrels (b) ", "")],
    ["of a query around this one", NOT_NULL.replace("levelsup 0", "levelsup 1")],
    ["of a relation that was not read", NOT_NULL.replace("varno 1", "varno 2")],
    [
      "cast from jsonb",
      `{FUNCEXPR :funcid 500 :funcformat 1 :args (${NOT_NULL.replace("vartype 23", "vartype 3802")})}`,
    ],
    ["cast by a function of one's own", `{FUNCEXPR :funcid 16400 :funcformat 1 :args (${NOT_NULL})}`],
    ["given to a function", `{FUNCEXPR :funcid 481 :funcformat 0 :args (${NOT_NULL})}`],
    ["null itself", "{CONST :consttype 23 :constisnull true :constvalue <>}"],
    ["of an unknown kind", "{CASEEXPR :args <>}"],
  ])("%s may be null", (_, expression) => {
    expect(isNeverNull(expression)).toBe(false);
  });

  test("of a union or of grouping sets may be null", () => {
    expect(isNeverNull(NOT_NULL, ":setOperations {SETOPERATIONSTMT :op 1} :groupingSets <>")).toBe(false);
    expect(isNeverNull(NOT_NULL, ":setOperations <> :groupingSets ({GROUPINGSET :kind 2})")).toBe(false);
  });

  test.each([
    ["a cast of Postgres's own", `{FUNCEXPR :funcid 481 :funcformat 1 :args (${NOT_NULL})}`],
    ["coalesce with one that is", `{COALESCEEXPR :args ({CASEEXPR :args <>} ${NOT_NULL})}`],
    ["a constant", "{CONST :consttype 23 :constisnull false :constvalue 4 [ 1 0 0 0 ]}"],
    ["count(*)", "{AGGREF :aggfnoid 2803}"],
  ])("%s is never null", (_, expression) => {
    expect(isNeverNull(expression)).toBe(true);
  });
});
