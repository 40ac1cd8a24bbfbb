import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "../../ops/toolchain/paths.ts";

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(projectFolder(), "local", script), ...args], { encoding: "utf8" });

test.each([
  ["start.ts", "Usage: npm start -- [options]"],
  ["stop.ts", "Usage: npm run stop -- [options]"],
])("%s prints its options for --help, and exits with 2 for an unknown one", (script, usage) => {
  const help = run(script, "--help");
  expect([help.status, help.stdout.split("\n", 1)[0], help.stderr]).toEqual([0, usage, ""]);
  const wrong = run(script, "--unknown");
  expect([wrong.status, wrong.stdout, wrong.stderr]).toEqual([2, "", "error: unknown option '--unknown'\n"]);
});
