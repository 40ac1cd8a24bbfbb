import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWidening } from "../../../../ops/checks/contract/types.ts";
import { TYPES, types } from "./contracts.ts";

describe("a wider type", () => {
  test.each([
    ["smallint", "integer"],
    ["smallint", "bigint"],
    ["integer", "bigint"],
    ["json", "jsonb"],
    ["character varying(3)", "character varying(4)"],
    ["character varying(3)", "character varying"],
    ["character varying(3)", "text"],
    ["character varying", "text"],
    ["text", "character varying"],
    ["numeric(5,2)", "numeric(6,2)"],
    ["numeric(5,2)", "numeric(6,3)"],
    ["numeric(5,2)", "numeric"],
    ["numeric(5,0)", "numeric(6,0)"],
    ["numeric(3,-2)", "numeric(5,0)"],
    ["integer[]", "bigint[]"],
    ["character varying(3)[]", "text[]"],
  ])("is found in %s → %s", (from, to) => {
    expect(isWidening(from, to)).toBe(true);
  });
});

describe("no wider type", () => {
  test.each([
    ["bigint", "integer", "fewer values"],
    ["text", "character varying(3)", "fewer values"],
    ["character varying(4)", "character varying(3)", "fewer values"],
    ["numeric(5,2)", "numeric(5,3)", "fewer digits before the point"],
    ["numeric", "numeric(5,2)", "fewer values"],
    ["numeric(5,0)", "numeric(6,1)", "was whole"],
    ["numeric(5,0)", "numeric", "was whole"],
    ["integer", "numeric", "was whole"],
    ["integer", "numeric(10,0)", "is not known"],
    ["integer", "double precision", "was whole"],
    ["real", "double precision", "prints 0.1 as 0.10000000149011612"],
    ["real[]", "double precision[]", "prints 0.1 as 0.10000000149011612"],
    ["double precision", "numeric", "spells numbers otherwise"],
    ["numeric", "text", "another kind of JSON"],
    ["integer", "text", "another kind of JSON"],
    ["boolean", "integer", "another kind of JSON"],
    ["uuid", "text", "takes other filters"],
    ["jsonb", "json", "takes fewer filters"],
    ["character(3)", "text", "is padded"],
    ["character(3)", "character(4)", "is padded"],
    ["date", "timestamp with time zone", "another spelling"],
    ["timestamp without time zone", "timestamp with time zone", "another spelling"],
    ["integer", "integer[]", "another kind of JSON"],
    ["integer[]", "integer", "another kind of JSON"],
    ["public.level", "text", "is not known"],
    ["text", "public.level", "is not known"],
  ])("is found in %s → %s: %s", (from, to) => {
    expect(isWidening(from, to)).toBe(false);
  });
});

test("is transitive", () => {
  const wider = (type: string) => TYPES.filter((other) => isWidening(type, other));
  const chains = TYPES.flatMap((a) => wider(a).flatMap((b) => wider(b).map((c) => ({ a, b, c }))));
  expect(chains.length).toBeGreaterThan(20);
  expect(chains.filter(({ a, c }) => a !== c && !isWidening(a, c))).toEqual([]);
});

test("is antisymmetric, except for the two text types without a length", () => {
  fc.assert(
    fc.property(types, types, (a, b) => {
      fc.pre(a !== b && ![a, b].every((type) => ["text", "character varying"].includes(type)));
      expect(isWidening(a, b) && isWidening(b, a)).toBe(false);
    }),
  );
});

test("agrees with docs/versioning.md", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../..", "docs", "versioning.md"), "utf8");
  const [, wider = "", others = ""] = text.split("| from | to | |\n");
  const rows = (table: string) => [...table.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/gm)];
  expect([rows(wider).length, rows(others).length]).toEqual([9, 9]);
  expect(rows(wider).filter(([, from = "", to = ""]) => !isWidening(from, to))).toEqual([]);
  expect(rows(others).filter(([, from = "", to = ""]) => isWidening(from, to))).toEqual([]);
});
