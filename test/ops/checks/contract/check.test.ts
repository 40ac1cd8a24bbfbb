/** The contracts of a database whose relations are given. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkContracts, META_VIEWS } from "../../../../ops/checks/contract/check.ts";
import { LockFolder } from "../../../../ops/checks/contract/lockFolder.ts";
import { Project } from "./project.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.remove());

/** Returns the details of the failed checks. Each relation of the database, and of the lock file, has one column. */
async function broken(found: string[], locked: string[], exposed: string[], complete?: string[]): Promise<string[]> {
  const relations = Object.fromEntries(locked.map((name) => [name, { id: "integer" }]));
  project.write("contract/dev/served.json", JSON.stringify({ schema: "served", relations }));
  const rows = found.map((name) => ({ name, columns: [{ name: "id", type: "integer", nullable: true }] }));
  const client = { query: () => Promise.resolve({ rows }) } as never;
  const checks = await checkContracts(client, new LockFolder(project.folder, "dev"), exposed, complete);
  return checks.filter(({ ok }) => !ok).map(({ detail }) => detail);
}

describe("the check before a deployment", () => {
  test("fails for a missing relation only if the last deployment of its schema is complete", async () => {
    const [found, locked] = [["t"], ["t", "gone"]];
    expect(await broken(found, locked, ["served"], ["served"])).toEqual([
      "1 breaking change\n  ✖ gone  1 column  removed\nRestore these, or see docs/versioning.md. npx gatehouse contract check prints them again.",
    ]);
    expect(await broken(found, locked, ["served"], [])).toEqual([]);
    expect(await broken(found, locked, ["served"])).toHaveLength(1);
  });

  test("passes for a schema without relations, e.g. of another database that replaces the deployed one", async () => {
    expect(await broken([], ["t"], ["served"], ["served"])).toEqual([]);
    expect(await broken([...META_VIEWS], ["t"], ["served"], ["served"])).toEqual([]);
    expect(await broken([], ["t"], ["served"])).toHaveLength(1);
  });

  test("does not compare the views of the default schema that the migrations replace", async () => {
    const [found, locked] = [["t"], ["t", ...META_VIEWS]];
    expect(await broken(found, locked, ["served"], ["served"])).toEqual([]);
    expect(await broken(found, locked, ["other", "served"], ["served"])).toHaveLength(1);
    expect(await broken(found, locked, ["served"])).toHaveLength(1);
  });
});

test("the views that the migrations replace are those of 060_meta_views.sql", () => {
  const file = join(import.meta.dirname, "../../../../infra/data/sql/060_meta_views.sql");
  const created = readFileSync(file, "utf8").matchAll(/^create or replace view :"api"\.(\w+)/gm);
  expect([...created].map(([, name]) => name)).toEqual(META_VIEWS);
});
