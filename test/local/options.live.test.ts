import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageFolder } from "../../config/files/folders.ts";

const run = (...args: string[]) => runOn(undefined, ...args);
const runOn = (data: string | undefined, ...args: string[]) =>
  spawnSync(process.execPath, [join(packageFolder(), "local", "stop.ts"), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...(data !== undefined && { GATEHOUSE_DATA: data }) },
  });

test("prints the options for --help", () => {
  const { status, stdout, stderr } = run("--help");
  expect([status, stdout.split("\n", 1)[0], stderr]).toEqual([0, "Usage: npm run stop -- [options]", ""]);
});

test("exits with 2 for an unknown option", () => {
  const { status, stdout, stderr } = run("--unknown");
  expect([status, stdout, stderr]).toEqual([2, "", "error: unknown option '--unknown'\n"]);
});

test("removes no folder that is not Gatehouse's", () => {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-other-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  writeFileSync(join(data, "thesis.tex"), "");
  const { status, stderr } = runOn(data, "--purge");
  expect([status, stderr]).toEqual([
    1,
    `No platform runs on ${data}.\n${data} is not a data folder of Gatehouse: nothing was removed.\n`,
  ]);
  expect(readdirSync(data)).toEqual(["thesis.tex"]);
});
