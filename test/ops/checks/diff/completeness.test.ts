import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Plan } from "../../../../infra/plan/types.ts";
import { accessOf } from "../../../../infra/access/access.ts";

const golden = join(import.meta.dirname, "../../..", "golden");

/** Fields without a fact: names and titles of objects, warnings, and what exposures and rules repeat, such as the outposts. */
const SILENT = [
  ...["outposts[].groups[]", "outposts[].name", "outposts[].namespace", "outposts[].port"],
  ...["routes[].name", "routes[].rules[].host", "routes[].service", "stack"],
  ...["traefikServices[].port", "traefikServices[].service", "warnings[]"],
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

/** `routes[].name`. */
function fieldOf(path: Path): string {
  return path.map((key, index) => (typeof key === "number" ? "[]" : index === 0 ? key : `.${key}`)).join("");
}

function flat(plan: Plan): unknown {
  return Object.entries(accessOf(plan)).map(([section, facts]) => [section, [...facts]]);
}

type Path = readonly (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

function change(root: unknown, path: Path): void {
  const parent = path.slice(0, -1).reduce<unknown>((inside, key) => (inside as Record<string, unknown>)[key], root);
  const key = path.at(-1) ?? "";
  const inside = parent as Record<string | number, unknown>;
  const value = inside[key];
  if (typeof value === "number") inside[key] = value + 1;
  else if (typeof value === "boolean") inside[key] = !value;
  else if (key === "protection") inside[key] = value === "open" ? "proxy" : "open";
  else inside[key] = `${String(value)}-changed`;
}
