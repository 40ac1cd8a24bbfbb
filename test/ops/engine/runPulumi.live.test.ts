import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runPulumi } from "../../../ops/engine/runPulumi.ts";
import { writeExecutable } from "../../helpers/executable.ts";

test("returns the error of a command that does not read its input, which is larger than the buffer of a pipe", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-pulumi-"));
  const cli = join(folder, "pulumi");
  writeExecutable(cli, "#!/bin/sh\necho 'error: the stack is locked' >&2\nexit 1\n");
  try {
    await expect(runPulumi(cli, ["stack", "import"], { cwd: folder }, "x".repeat(5_000_000))).rejects.toThrow(
      "pulumi stack import failed: error: the stack is locked",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
