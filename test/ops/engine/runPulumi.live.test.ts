import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runPulumi } from "../../../ops/engine/runPulumi.ts";
import { writeExecutable } from "../../helpers/executable.ts";

let folder: string;
let cli: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-pulumi-"));
  cli = join(folder, "pulumi");
});
afterAll(() => rmSync(folder, { recursive: true }));

test("returns the error of a command that does not read its input, which is larger than the buffer of a pipe", async () => {
  writeExecutable(cli, "#!/bin/sh\necho 'error: the stack is locked by 1 lock:' >&2\necho '  kari' >&2\nexit 1\n");
  await expect(runPulumi(cli, ["stack", "import"], { cwd: folder }, "x".repeat(5_000_000))).rejects.toThrow(
    "pulumi stack import failed: the stack is locked by 1 lock:\nkari",
  );
});

test("names the time of a command that does not end", async () => {
  writeExecutable(cli, "#!/bin/sh\nexec sleep 600\n");
  await expect(runPulumi(cli, ["config", "--json"], { cwd: folder, timeout: 200 })).rejects.toThrow(
    "pulumi config --json failed: no answer within 0.2 s",
  );
});
