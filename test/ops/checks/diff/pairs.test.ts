/** Pairs of configurations, each with a story and the expected access diff. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { accessDiff } from "../../../../ops/checks/diff/diff.ts";
import { describeChanges, opensToPublic } from "../../../../ops/checks/diff/report.ts";
import { painter } from "../../../../ops/terminal/paint.ts";
import { shell, stack } from "../../../config/stacks.ts";

interface Pair {
  readonly story: string;
  /** Sections in place of those of test/config/stacks.ts; a section that is null is left out, and so is the stack itself. */
  readonly base: Record<string, unknown> | null;
  readonly head: Record<string, unknown> | null;
  readonly opensToPublic: boolean;
  readonly expected: string;
}

const folder = join(import.meta.dirname, "pairs");
const files = readdirSync(folder);

test.each(files)("prints the expected access diff of %s", (file) => {
  const pair = parse(readFileSync(join(folder, file), "utf8")) as Pair;
  const changes = accessDiff(planOf(pair.base), planOf(pair.head));
  expect(`${describeChanges(changes, painter(false))}\n`).toBe(pair.expected);
  expect(opensToPublic(changes)).toBe(pair.opensToPublic);
});

function planOf(sections: Pair["base"]) {
  if (sections === null) return undefined;
  const changed = Object.entries(sections).map(([name, value]) => [name, value ?? undefined]);
  return computePlan(parseStack(stack(Object.fromEntries(changed) as Record<string, unknown>), shell));
}
