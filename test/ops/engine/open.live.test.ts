import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pulumiCommand } from "../../../ops/engine/open.ts";
import { writeExecutable } from "../../helpers/executable.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-open-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeCli(version: string): string {
  const file = join(folder, version);
  writeExecutable(file, `#!/bin/sh\necho ${version}\n`);
  return file;
}

test("keeps the CLI of a command when another command uses another one", async () => {
  const [local, cluster] = [writeCli("v3.250.0+local"), writeCli("v3.250.0")];
  const data = join(folder, "data");
  const command = await pulumiCommand(data, cluster);
  const others = [local, cluster, local, cluster].map((cli) => pulumiCommand(data, cli));
  const versions = [command, ...(await Promise.all(others))].map(({ command: file }) =>
    execFileSync(file, { encoding: "utf8" }).trim(),
  );
  expect(versions).toEqual(["v3.250.0", "v3.250.0+local", "v3.250.0", "v3.250.0+local", "v3.250.0"]);
});
