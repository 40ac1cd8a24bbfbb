import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../../config/files/folders.ts";

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(packageFolder(), "local", "stop.ts"), ...args], { encoding: "utf8" });

test("prints the options for --help", () => {
  const { status, stdout, stderr } = run("--help");
  expect([status, stdout.split("\n", 1)[0], stderr]).toEqual([0, "Usage: npm run stop -- [options]", ""]);
});

test("exits with 2 for an unknown option", () => {
  const { status, stdout, stderr } = run("--unknown");
  expect([status, stdout, stderr]).toEqual([2, "", "error: unknown option '--unknown'\n"]);
});
