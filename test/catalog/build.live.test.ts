/** `npm run build:catalog` with the environment of any caller. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFolder } from "../../config/files/folders.ts";
import { FULL } from "../helpers/full.ts";

let folder: string;
let production: Map<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-catalog-build-"));
  production = await scripts("production");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Builds the catalog, and returns its scripts by path. */
async function scripts(environment: string): Promise<Map<string, string>> {
  const target = join(folder, environment);
  const options = { cwd: packageFolder(), env: { ...process.env, NODE_ENV: environment } };
  await promisify(execFile)(process.execPath, ["catalog/server/build.ts", target], options);
  const files = readdirSync(target, { recursive: true, encoding: "utf8" }).filter((path) => /\.m?js$/.test(path));
  return new Map(files.sort().map((path) => [path, readFileSync(join(target, path), "utf8")]));
}

const environments = FULL ? ["development", "test"] : ["development"];
test.each(environments)("builds the same production scripts if NODE_ENV is %s", async (environment) => {
  const built = await scripts(environment);
  expect(built.has("server.mjs")).toBe(true);
  for (const [path, script] of built) {
    expect([path, script.includes(packageFolder())]).toEqual([path, false]);
    expect([path, /\b(fileName|lineNumber|columnNumber):/.test(script)]).toEqual([path, false]);
  }
  expect(built).toEqual(production);
});
