import { expect, test } from "vitest";
import { freshnessOf } from "../../catalog/src/state/freshness.ts";

test.each([
  [[], "unknown"],
  [["fresh"], "fresh"],
  [["fresh", "unknown"], "unknown"],
  [["unknown", "late", "fresh"], "late"],
] as const)("sources that are %j together are %s", (sources, expected) => {
  expect(freshnessOf(sources.map((freshness) => ({ freshness })))).toBe(expected);
});
