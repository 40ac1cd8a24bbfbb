import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Plan } from "../../../../infra/plan/types.ts";
import { accessOf } from "../../../../infra/access/access.ts";
import { change, fieldOf, leavesOf } from "./leaves.ts";

const golden = join(import.meta.dirname, "../../..", "golden");

/** Fields without a fact: names and titles of objects, warnings, and what exposures and rules repeat, such as the outposts. */
const SILENT = [
  // No client of these stacks has the scope offline_access.
  "clients[].tokens.refreshTokenValidity",
  "groupPolicies[].groups[]",
  "groupPolicies[].name",
  "outposts[].groups[]",
  "outposts[].name",
  "outposts[].namespace",
  "outposts[].port",
  "routes[].name",
  "routes[].rules[].host",
  "stack",
  "traefikServices[].port",
  "traefikServices[].service",
  "warnings[]",
];

test("turns every field of a plan that concerns access into a fact", () => {
  const silent = new Set(["dev", "local"].flatMap(silentFields));
  expect([...silent].sort()).toEqual(SILENT);
});

/** Fields of a plan that can be changed without a change of any fact. */
function silentFields(name: string): string[] {
  const text = readFileSync(join(golden, `${name}.plan.json`), "utf8");
  const before = JSON.stringify(flat(JSON.parse(text) as Plan));
  const fields = new Map(leavesOf(JSON.parse(text)).map((path) => [fieldOf(path), path]));
  return [...fields].flatMap(([field, path]) => {
    const plan = JSON.parse(text) as Plan;
    change(plan, path);
    return JSON.stringify(flat(plan)) === before ? [field] : [];
  });
}

function flat(plan: Plan): unknown {
  return Object.entries(accessOf(plan)).map(([section, facts]) => [section, [...facts]]);
}
