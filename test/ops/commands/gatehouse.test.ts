import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../../ops/commands/gatehouse.ts";
import { SHELL } from "../../helpers/shell.ts";

test("runs the named command with its own arguments", async () => {
  let out = "";
  expect(await main(["plan", "--help"], { ...SHELL, out: (text) => void (out += text) })).toBe(0);
  expect(out).toMatch(/^Usage: gatehouse plan \[options\] STACK\n/);
});

const USAGE = `Usage: gatehouse COMMAND [ARGUMENT...]

Commands: audit, completion, contract, deploy, diagnose, diff, doctor, import, init, plan, preview, verify. To see the arguments of one: gatehouse COMMAND --help
`;

test.each([[["moon"]], [[]], [["constructor"]]])("exits with 2 and the list of commands for %j", async (args) => {
  let error = "";
  expect(await main(args, { ...SHELL, error: (text) => void (error += text) })).toBe(2);
  expect(error).toBe(USAGE);
});

test("prints the list of commands for --help", async () => {
  let out = "";
  expect(await main(["--help"], { ...SHELL, out: (text) => void (out += text) })).toBe(0);
  expect(out).toBe(USAGE);
});

test("defines npm scripts for exactly these commands", () => {
  const { scripts } = JSON.parse(readFileSync(join(SHELL.project, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = Object.values(scripts).flatMap((script) => /gatehouse\.ts (\w+)/.exec(script)?.[1] ?? []);
  expect(named.sort()).toEqual([
    "audit",
    "contract",
    "diagnose",
    "diff",
    "doctor",
    "import",
    "plan",
    "preview",
    "verify",
  ]);
});
