import { expect, test } from "vitest";
import type { PathMatch } from "../../../ops/import/matches.ts";
import { overlap } from "../../../ops/import/publicPaths.ts";

const exact = (path: string): PathMatch => ({ kind: "exact", path });
const prefix = (path: string): PathMatch => ({ kind: "prefix", path });

test.each([
  [exact("/open"), prefix("/open"), true],
  [exact("/open/a"), prefix("/open"), true],
  [exact("/op"), prefix("/open"), false],
  [prefix("/open"), prefix("/open"), true],
  [prefix("/op"), prefix("/open"), true],
  [prefix("/other"), prefix("/open"), false],
  [exact("/open"), exact("/open"), true],
  [exact("/open"), exact("/open/a"), false],
])("finds a common request of %j and %j: %s", (a, b, common) => {
  expect([overlap(a, b), overlap(b, a)]).toEqual([common, common]);
});
