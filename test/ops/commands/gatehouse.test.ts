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

  audit       Compare a cluster with the plan of its stack. Only reads.
  completion  Print the completion script of a shell, for the name gatehouse. See docs/commands.md.
  contract    Check and accept the contract of the data API: contract/<stack>/<schema>.json. See docs/versioning.md.
  deploy      Deploy the stack of a cluster context: check, preview, confirm, apply, verify. See docs/deploy.md.
  diagnose    Print the cause of a login loop, an unprotected service or a domain that does not work. See docs/diagnose.md.
  diff        Print which access a change of the stack files adds or removes. See docs/ci.md.
  doctor      Check every prerequisite of the first deployment, and print a hint for each. Only reads.
  import      Write entries of protected_services for existing routes and authentik applications. Only reads. See docs/importing.md.
  init        Write a first stack file, and the Pulumi project around it, into this folder.
  plan        Print what a stack exposes: hosts, protections, groups, records and grants.
  preview     Print what a deployment would change, without a question. See docs/ci.md.
  verify      Probe every route, header, name, certificate and grant of a live deployment.

To see the arguments of a command: gatehouse COMMAND --help
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

test("prints the version of the package for --version", async () => {
  let out = "";
  expect(await main(["--version"], { ...SHELL, out: (text) => void (out += text) })).toBe(0);
  const { version } = JSON.parse(readFileSync(join(SHELL.project, "package.json"), "utf8")) as { version: string };
  expect(out).toBe(`${version}\n`);
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
