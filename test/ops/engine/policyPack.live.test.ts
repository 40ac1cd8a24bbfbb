import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeExecutable } from "../../helpers/executable.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { checkPolicyPack } from "../../../ops/engine/policyPack.ts";
import { packageFolder } from "../../../config/files/folders.ts";

const ANALYZER = join("policy", "bin", "pulumi-analyzer-policy-nodejs");

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "gatehouse-policy-"));
  cpSync(join(packageFolder(), "policy"), join(project, "policy"), { recursive: true });
});
afterEach(() => rmSync(project, { recursive: true }));

/** Why the pack of the copied project does not start. */
async function reason(environment: Record<string, string | undefined> = process.env): Promise<string> {
  const error: unknown = await checkPolicyPack(environment, project).catch((thrown: unknown) => thrown);
  if (!(error instanceof UserError)) throw new Error("the pack starts", { cause: error });
  const [, message] =
    /^the policy pack does not start: (.*)\. Restore policy\/, put a supported Node\.js first on PATH \(.*\), and run npm ci\. See docs\/policy\.md, Where it cannot run\.$/.exec(
      error.message,
    ) ?? [];
  return message ?? error.message;
}

/** A PATH whose `node` is a script. */
function nodeThat(...lines: readonly string[]): Record<string, string> {
  const bin = join(project, "node-bin");
  mkdirSync(bin);
  writeExecutable(join(bin, "node"), ["#!/bin/sh", ...lines].join("\n"));
  return { PATH: bin };
}

test("accepts the pack of the project", async () => {
  const { PATH } = process.env;
  // The Node.js of this test runs TypeScript; the first one on PATH may not.
  await checkPolicyPack({ PATH: `${join(process.execPath, "..")}:${PATH ?? ""}` });
});

test("rejects a pack without its analyzer", async () => {
  rmSync(join(project, ANALYZER));
  expect(await reason()).toBe(`spawn ${join(project, ANALYZER)} ENOENT`);
});

test("rejects an analyzer that is not executable", async () => {
  chmodSync(join(project, ANALYZER), 0o644);
  expect(await reason()).toBe(`spawn ${join(project, ANALYZER)} EACCES`);
});

test("rejects a PATH without Node.js", async () => {
  expect(await reason({ PATH: "/nowhere" })).toMatch(/: node: not found$/);
});

test("rejects a Node.js that does not run TypeScript", async () => {
  const error = 'TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for policy/pack.ts';
  const environment = nodeThat(`echo '${error}' >&2`, "echo '    at Object.getFileProtocolModuleFormat' >&2", "exit 1");
  expect(await reason(environment)).toBe(error);
});

test("rejects a project whose packages are not installed", async () => {
  expect(await reason()).toMatch(/^Error: Cannot find module '.*\/@pulumi\/pulumi\/cmd\/run-policy-pack\/index\.js'$/);
});

test("rejects an analyzer that ends without a port", async () => {
  expect(await reason(nodeThat("exit 0"))).toBe("exit code 0");
});
