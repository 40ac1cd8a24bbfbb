import { expect, test } from "vitest";
import { freshnessOf } from "../../catalog/src/state/freshness.ts";

test.each([
  [[], "unknown"],
  [["fresh"], "fresh"],
  [["fresh", "unknown"], "unknown"],
  [["unknown", "late", "fresh"], "late"],
] as const)("combines the freshness of sources: %j -> %s", (sources, expected) => {
  expect(freshnessOf(sources.map((freshness) => ({ freshness })))).toBe(expected);
});
