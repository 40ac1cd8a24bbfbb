/** Requests generated from the API's description. */
import fc from "fast-check";
import { anyEncoding, anyHeaders, anyValue, CASTS, often, OPERATORS, UNEXPOSED_NAMES } from "./requestValues.ts";

/** A relation as the Swagger document describes it. */
export interface Described {
  readonly schema: string;
  readonly relation: string;
  readonly columns: readonly string[];
}

export interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

type Text = fc.Arbitrary<string>;

const joined = (separator: string, ...parts: Text[]): Text => fc.tuple(...parts).map((texts) => texts.join(separator));

/** Generates requests. @param relations at least one */
export function requests(relations: readonly Described[]): fc.Arbitrary<Request> {
  const names = relations.map(({ relation }) => relation);
  const elsewhere = [...relations.flatMap(({ columns }) => columns), ...UNEXPOSED_NAMES];
  return fc.constantFrom(...relations).chain(({ schema, relation, columns }) => {
    const path = often([relation], [...names, ...UNEXPOSED_NAMES, "openapi.json"]);
    const query = queries(often(columns, elsewhere).map(quoted), often(names, UNEXPOSED_NAMES));
    const slash = often(["/"], ["//", "/./", "/x/../"]);
    const method = often(["GET"], ["HEAD", "OPTIONS", "POST", "PATCH", "DELETE", "PUT"]);
    const target = fc.tuple(slash, path, anyEncoding, query).map(([before, name, encode, parameters]) => {
      const text = `${before}${encode(name)}${parameters === "" ? "" : `?${parameters}`}`;
      return text.replaceAll(/\p{Cc}| /gu, "%20");
    });
    return fc.record({ method, target, headers: anyHeaders(schema) });
  });
}

const quoted = (name: string): string => (/^\w+$/.test(name) ? name : `"${name}"`);

function queries(column: Text, relation: Text): Text {
  const field = joined("", column, often([""], ["->a", "->>a", "->0", "->a->>b", "->", "->>", "->-1"]));
  const parameter = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(field, joined(".", fc.constantFrom(...OPERATORS), anyValue)) },
    { weight: 3, arbitrary: fc.tuple(fc.constant("select"), selection(field, relation)) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom("or", "and", "not.or", "not.and"), logic(field)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant("order"), ordering(field)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom("limit", "offset"), fc.oneof(fc.nat(3_000).map(String), anyValue)),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        joined(".", relation, column),
        anyValue.map((text) => `eq.${text}`),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("columns", "on_conflict", "schema", "", "apikey"), anyValue) },
  );
  const pair = fc.tuple(parameter, anyEncoding).map(([texts, encode]) => texts.map(encode).join("="));
  return fc.array(pair, { maxLength: 3 }).map((pairs) => pairs.join("&"));
}

function ordering(field: Text): Text {
  const direction = often(["", ".asc", ".desc", ".desc.nullslast"], [".nope", "(id)"]);
  return fc.array(joined("", field, direction), { minLength: 1, maxLength: 4 }).map((list) => list.join(","));
}

/** Generates a logic tree: `(id.eq.1,or(…))` up to six levels deep, or one condition in up to 300 brackets. */
function logic(field: Text): Text {
  const inQuotes = anyValue.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`);
  const value = fc.oneof({ weight: 4, arbitrary: inQuotes }, { weight: 1, arbitrary: anyValue });
  const condition = joined(".", field, fc.constantFrom(...OPERATORS), value);
  const kind = fc.constantFrom("and", "or", "not.and", "not.or");
  const { branch } = fc.letrec<{ branch: string; list: string }>((tie) => ({
    branch: fc.oneof({ maxDepth: 6, depthSize: "large" }, condition, joined("", kind, tie("list"))),
    list: fc.array(tie("branch"), { minLength: 1, maxLength: 3 }).map((parts) => `(${parts.join(",")})`),
  }));
  const deep = fc.nat(300).map((depth) => `${"and(".repeat(depth)}id.eq.1${")".repeat(depth)}`);
  const tree = fc.oneof({ weight: 9, arbitrary: branch }, { weight: 1, arbitrary: deep });
  return fc.array(tree, { minLength: 1, maxLength: 3 }).map((parts) => `(${parts.join(",")})`);
}

/** Generates columns with casts and aliases, and related rows up to four levels deep. */
function selection(field: Text, relation: Text): Text {
  const prefix = often(["", "alias:"], ["...", '"odd":']);
  const hint = often([""], ["!inner", "!left", "!fact_observation_kommune_nr_fkey", "!secret_person_observation_fkey"]);
  const { list } = fc.letrec<{ list: string; item: string }>((tie) => ({
    item: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      joined("", prefix, field, often([""], CASTS)),
      often(["*"], ["count()", "id.sum()", ""]),
      fc
        .tuple(prefix, relation, hint, tie("list"))
        .map(([before, name, by, inner]) => `${before}${name}${by}(${inner})`),
    ),
    list: fc.array(tie("item"), { minLength: 1, maxLength: 3 }).map((items) => items.join(",")),
  }));
  return list;
}
