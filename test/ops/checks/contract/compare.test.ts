import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, isMissingRelation } from "../../../../ops/checks/contract/compare.ts";
import { isWidening } from "../../../../ops/checks/contract/types.ts";
import { columnOf, columns, contractOf, contracts, contractsWithColumn, withColumn } from "./contracts.ts";

const EXPECTED = contractOf({ kommuner: { kommune_nr: "text not null", folk: "integer" }, summary: { n: "bigint" } });

describe("a breaking change", () => {
  test("is a missing relation", () => {
    const found = contractOf({ kommuner: { kommune_nr: "text not null", folk: "integer" } });
    expect(compare(EXPECTED, found)).toEqual([
      { relation: "summary", was: "1 column", is: undefined, breaking: true, reason: "removed" },
    ]);
  });

  test("is a renamed column, as one removed and one added", () => {
    const found = contractOf({ kommuner: { nr: "text not null", folk: "integer" }, summary: { n: "bigint" } });
    expect(compare(EXPECTED, found)).toEqual([
      {
        relation: "kommuner",
        column: "kommune_nr",
        was: "text not null",
        is: undefined,
        breaking: true,
        reason: "removed",
      },
      { relation: "kommuner", column: "nr", was: undefined, is: "text not null", breaking: false, reason: "added" },
    ]);
  });

  test.each([
    ["text", "integer", "another type"],
    ["bigint", "integer", "narrower type"],
    ["integer not null", "integer", "may be null"],
    ["integer not null", "bigint", "wider type, may be null"],
    ["integer not null", "text", "another type, may be null"],
    ["integer", "text not null", "another type, never null"],
  ])("is a changed type: %s → %s (%s)", (was, is, reason) => {
    expect(compare(contractOf({ r: { c: was } }), contractOf({ r: { c: is } }))).toEqual([
      { relation: "r", column: "c", was, is, breaking: true, reason },
    ]);
  });
});

test("a schema that is no longer the default schema breaks clients, and one that becomes it does not", () => {
  const isDefault = { ...EXPECTED, isDefault: true };
  expect(compare(isDefault, EXPECTED)).toEqual([
    {
      relation: undefined,
      was: "default schema",
      is: "not the default schema",
      breaking: true,
      reason: "clients without Accept-Profile read another schema",
    },
  ]);
  expect(compare(EXPECTED, isDefault)).toEqual([
    { relation: undefined, was: undefined, is: "default schema", breaking: false, reason: "added" },
  ]);
  expect(compare(isDefault, isDefault)).toEqual([]);
});

describe("a change that breaks no client", () => {
  test("is an additional relation or column", () => {
    const found = contractOf({
      kommuner: { areal: "numeric", kommune_nr: "text not null", folk: "integer" },
      meta_endpoints: { name: "text", tags: "text[]" },
      summary: { n: "bigint" },
    });
    expect(compare(EXPECTED, found)).toEqual([
      { relation: "kommuner", column: "areal", was: undefined, is: "numeric", breaking: false, reason: "added" },
      { relation: "meta_endpoints", was: undefined, is: "2 columns", breaking: false, reason: "added" },
    ]);
  });

  test.each([
    ["integer", "bigint", "wider type"],
    ["integer", "integer not null", "never null"],
    ["character varying(3)", "text not null", "wider type, never null"],
  ])("is a compatible type: %s → %s (%s)", (was, is, reason) => {
    expect(compare(contractOf({ r: { c: was } }), contractOf({ r: { c: is } }))).toEqual([
      { relation: "r", column: "c", was, is, breaking: false, reason },
    ]);
  });

  test("is another order of the columns", () => {
    const found = contractOf({ summary: { n: "bigint" }, kommuner: { folk: "integer", kommune_nr: "text not null" } });
    expect(compare(EXPECTED, found)).toEqual([]);
  });
});

test("distinguishes a missing relation from a missing column and an additional relation", () => {
  const found = contractOf({ kommuner: { kommune_nr: "text not null" }, more: {} });
  expect(compare(EXPECTED, found).map((change) => [change.relation, isMissingRelation(change)])).toEqual([
    ["kommuner", false],
    ["more", false],
    ["summary", true],
  ]);
});

describe("for any contract", () => {
  test("finds no change between equal contracts", () => {
    fc.assert(
      fc.property(contracts, (found) => {
        expect(compare(found, found)).toEqual([]);
      }),
    );
  });

  test("reports a missing relation as breaking", () => {
    fc.assert(
      fc.property(contractsWithColumn, ({ contract, relation }) => {
        const relations = new Map(contract.relations);
        relations.delete(relation);
        const changes = compare(contract, { ...contract, relations });
        expect(changes.map((change) => [change.relation, change.column, change.breaking])).toEqual([
          [relation, undefined, true],
        ]);
      }),
    );
  });

  test("reports exactly the columns that are missing or not wider as breaking", () => {
    fc.assert(
      fc.property(contractsWithColumn, fc.option(columns, { nil: undefined }), (chosen, next) => {
        const { contract, relation, column, shape } = chosen;
        fc.pre(next === undefined || (next.type !== shape.type && !isWidening(shape.type, next.type)));
        const changes = compare(contract, withColumn(contract, relation, column, next));
        expect(changes.map((change) => [change.relation, change.column, change.breaking])).toEqual([
          [relation, column, true],
        ]);
      }),
    );
  });

  test("reports a column that becomes nullable as breaking", () => {
    fc.assert(
      fc.property(contractsWithColumn, ({ contract, relation, column, shape }) => {
        const strict = withColumn(contract, relation, column, { ...shape, nullable: false });
        const found = withColumn(contract, relation, column, { ...shape, nullable: true });
        expect(compare(strict, found).map(({ breaking, reason }) => [breaking, reason])).toEqual([
          [true, "may be null"],
        ]);
        expect(compare(found, strict).map(({ breaking, reason }) => [breaking, reason])).toEqual([
          [false, "never null"],
        ]);
      }),
    );
  });

  test("reports each addition as not breaking", () => {
    fc.assert(
      fc.property(contracts, contracts, (contract, more) => {
        const relations = new Map(contract.relations);
        for (const [name, list] of more.relations) {
          relations.set(name, new Map([...list, ...(contract.relations.get(name) ?? [])]));
        }
        const changes = compare(contract, { ...contract, relations });
        expect(changes.filter(({ breaking, was }) => breaking || was !== undefined)).toEqual([]);
        const isNew = (name: string) => !contract.relations.has(name);
        const expected = [...more.relations].flatMap(([name, list]) =>
          isNew(name) ? [name] : [...list.keys()].filter((column) => !contract.relations.get(name)?.has(column)),
        );
        expect(changes.map(({ relation, column }) => column ?? relation).sort()).toEqual(expected.sort());
      }),
    );
  });
});

test("describes a column as in a CREATE TABLE statement", () => {
  const [change] = compare(contractOf({ r: {} }), contractOf({ r: { c: "numeric(5,2) not null" } }));
  expect(change?.is).toBe("numeric(5,2) not null");
  expect(columnOf("numeric(5,2) not null")).toEqual({ type: "numeric(5,2)", nullable: false });
});
