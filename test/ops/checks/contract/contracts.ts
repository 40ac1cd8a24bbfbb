import fc from "fast-check";
import type { Column, Columns, Contract } from "../../../../ops/checks/contract/contract.ts";

/** A contract of `api_v1` from relation → column → `integer not null`. */
export function contractOf(relations: Readonly<Record<string, Readonly<Record<string, string>>>>): Contract {
  const toColumns = (columns: Readonly<Record<string, string>>): Columns =>
    new Map(Object.entries(columns).map(([name, text]) => [name, columnOf(text)]));
  return {
    schema: "api_v1",
    relations: new Map(Object.entries(relations).map(([name, columns]) => [name, toColumns(columns)])),
  };
}

export function columnOf(text: string): Column {
  return { type: text.replace(/ not null$/, ""), nullable: !text.endsWith(" not null") };
}

/** Types of which some are wider than others, and one that compares with nothing. */
export const TYPES = [
  "smallint",
  "integer",
  "bigint",
  "real",
  "double precision",
  "json",
  "jsonb",
  "text",
  "date",
  "public.level",
  "character varying",
  "character varying(3)",
  "character varying(30)",
  "numeric",
  "numeric(5,0)",
  "numeric(5,2)",
  "numeric(9,4)",
  "numeric(3,-2)",
  "integer[]",
  "bigint[]",
  "text[]",
];
export const types = fc.constantFrom(...TYPES);

export const columns: fc.Arbitrary<Column> = fc.record({ type: types, nullable: fc.boolean() });

// Postgres's names: anything but empty and NUL; among them what JavaScript's objects have already.
const names = fc.oneof(
  fc.constantFrom("a", "b", "2024", "constructor", "__proto__", "with space", "Æ", " not null"),
  fc.string({ minLength: 1, maxLength: 63 }),
);

export const contracts: fc.Arbitrary<Contract> = fc
  .array(fc.tuple(names, fc.array(fc.tuple(names, columns), { maxLength: 5 })), { maxLength: 5 })
  .map((relations) => ({
    schema: "api_v1",
    relations: new Map(relations.map(([name, list]) => [name, new Map(list)])),
  }));

/** A contract, and one column of it. */
export const contractsWithColumn = contracts
  .filter(({ relations }) => [...relations.values()].some(({ size }) => size > 0))
  .chain((contract) =>
    fc.constantFrom(
      ...[...contract.relations].flatMap(([relation, list]) =>
        [...list].map(([column, shape]) => ({ contract, relation, column, shape })),
      ),
    ),
  );

/** The contract with a column exchanged, or without it. */
export function withColumn(contract: Contract, relation: string, column: string, shape: Column | undefined): Contract {
  const list = new Map(contract.relations.get(relation));
  if (shape) list.set(column, shape);
  else list.delete(column);
  return { ...contract, relations: new Map(contract.relations).set(relation, list) };
}
