/**
 * Which Pulumi on PATH is used for a cluster, compared with the rules of the Automation API. An engine before 3.221 starts a policy pack in
 * Node.js in another way (`NewPolicyAnalyzer` of sdk/go/common/resource/plugin/analyzer_plugin.go), so it does not find ours.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { lt, parse, SemVer } from "semver";
import { afterAll, expect, test } from "vitest";
import { writeExecutable } from "../../helpers/executable.ts";
import { versionProblem } from "../../../ops/toolchain/find.ts";
import { pinned } from "../../../ops/toolchain/tools.ts";

const { version: PINNED, minimumVersion: MINIMUM = "" } = pinned("pulumi");
const root = mkdtempSync(path.join(tmpdir(), "gatehouse-pulumi-version-"));
afterAll(() => rmSync(root, { recursive: true }));

/** Returns whether the Automation API accepts a CLI that prints this version. */
async function isAccepted(output: string): Promise<boolean> {
  const file = path.join(root, "bin", "pulumi");
  mkdirSync(path.dirname(file), { recursive: true });
  writeExecutable(file, `#!/bin/sh\nprintf '%s\\n' '${output}'\n`);
  return PulumiCommand.get({ root, version: new SemVer(MINIMUM) }).then(
    () => true,
    () => false,
  );
}

test.each([
  ["v3.221.1", "is 3.221.1, older than 3.222.0"],
  ["v3.222.0-alpha.1", "is 3.222.0-alpha.1, older than 3.222.0"],
  ["v2.25.2", "is 2.25.2, older than 3.222.0"],
  ["v4.0.0", "is 4.0.0, of a newer major version than 3.222.0"],
  ["dev", 'prints "dev" instead of a version'],
  ["", 'prints "" instead of a version'],
  ["v3.222.0", undefined],
  ["3.222.1", undefined],
  [`v${PINNED}`, undefined],
  ["v3.251.0-alpha.x1234+dirty", undefined],
  ["v3.999.0", undefined],
])("decides on %j as the Automation API does", async (output, expected) => {
  expect(versionProblem(output, MINIMUM)).toBe(expected);
  expect(await isAccepted(output)).toBe(expected === undefined);
});

test("refuses a local variant, which the Automation API would accept", async () => {
  expect(versionProblem("v3.250.0+local", MINIMUM)).toBe("is v3.250.0+local, which lacks state backends");
  expect(await isAccepted("v3.250.0+local")).toBe(true);
});

/** For an older CLI the Automation API does something else, e.g. it reads events from a file instead of a connection. */
test("requires a minimum version that is newer than every version that the Automation API distinguishes", () => {
  const automation = path.dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/automation/index.js"));
  const text = ["stack.js", "localWorkspace.js", "cmd.js", "minimumVersion.js"]
    .map((file) => readFileSync(path.join(automation, file), "utf8"))
    .join("\n");
  const compared = [...text.matchAll(/(?:compare\(|[gl]te?\(ver, |SemVer\()"v?(\d+\.\d+\.\d+[^"]*)"/g)].map(
    ([, one]) => one ?? "",
  );
  expect(compared).toEqual(expect.arrayContaining(["3.2.0-alpha", "3.181.0", "3.205.0"]));
  expect(compared.filter((one) => !lt(one, MINIMUM))).toEqual([]);
});

test("requires a minimum version that is older than the pinned version, which is that of the SDK", () => {
  const require = createRequire(import.meta.url);
  const { version } = require("@pulumi/pulumi/package.json") as { version: string };
  expect([PINNED, lt(MINIMUM, PINNED), parse(MINIMUM)?.raw]).toEqual([version, true, MINIMUM]);
});
