import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readLock, writeLock } from "../../../../ops/checks/contract/contract.ts";
import { contractOf, contracts } from "./contracts.ts";

describe("the lock file", () => {
  test("has one line per column, sorted", () => {
    const contract = contractOf({
      summary: { n: "bigint not null" },
      kommuner: { navn: "text", kommune_nr: "character varying(4) not null" },
    });
    expect(writeLock(contract)).toBe(`{
  "schema": "api_v1",
  "relations": {
    "kommuner": {
      "kommune_nr": "character varying(4) not null",
      "navn": "text"
    },
    "summary": {
      "n": "bigint not null"
    }
  }
}
`);
  });

  test("is read as it was written, for any names", () => {
    fc.assert(
      fc.property(contracts, (contract) => {
        expect(readLock(writeLock(contract), "f")).toEqual(contract);
      }),
    );
  });

  test("does not depend on the order of relations and columns", () => {
    fc.assert(
      fc.property(contracts, (contract) => {
        const relations = new Map(
          [...contract.relations].reverse().map(([name, list]) => [name, new Map([...list].reverse())]),
        );
        expect(writeLock({ ...contract, relations })).toBe(writeLock(contract));
      }),
    );
  });

  test.each([
    "",
    "{",
    "[]",
    "{}",
    '{"schema":"a"}',
    '{"schema":"a","relations":{"r":{"c":1}}}',
    '{"schema":"a","relations":{"r":[]}}',
    '{"relations":{}}',
    '{"schema":"a","default":"yes","relations":{}}',
  ])("rejects %s", (text) => {
    expect(() => readLock(text, "contract/dev/api_v1.json")).toThrow(
      "contract/dev/api_v1.json is not a lock file. Correct it, or run: git restore contract/dev/api_v1.json",
    );
  });

  test.each([
    [2, '{"schema":"a",\n"schema":"b","relations":{}}'],
    [3, '{"schema":"a","relations":{\n"r":{},\n"r":{}}}'],
    [2, '{"schema":"a","relations":{"r":{"c":"integer not null",\r\n"c":"integer"}}}'],
  ])("rejects a repeated name in line %i", (line, text) => {
    expect(() => readLock(text, "contract/dev/api_v1.json")).toThrow(
      `contract/dev/api_v1.json:${line}: the same object has the name of this line already. Remove one of the two lines, or run: git restore contract/dev/api_v1.json`,
    );
  });

  test("reports conflict markers", () => {
    const text = '{\n<<<<<<< HEAD\n"schema": "a"\n=======\n"schema": "b"\n>>>>>>> other\n}';
    expect(() => readLock(text, "contract/dev/api_v1.json")).toThrow(
      "contract/dev/api_v1.json has conflict markers of a merge. Keep the columns of both sides, apart from those that one side removed with --breaking, then run contract check.",
    );
  });

  test("records the default schema", () => {
    const contract = { ...contractOf({}), isDefault: true };
    expect(writeLock(contract)).toBe('{\n  "schema": "api_v1",\n  "default": true,\n  "relations": {}\n}\n');
    expect(readLock(writeLock(contract), "f")).toEqual(contract);
  });

  test("accepts CRLF line endings", () => {
    const contract = contractOf({ t: { a: "integer not null" } });
    expect(readLock(writeLock(contract).replaceAll("\n", "\r\n"), "f")).toEqual(contract);
  });
});
