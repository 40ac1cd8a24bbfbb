import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recoverInterrupted } from "../../../../ops/engine/recovery/recovery.ts";
import { recordFile, recordSteps } from "../../../../ops/engine/recovery/stepRecord.ts";
import { scriptedStack } from "../stacks.ts";

test("deletes the record of a stack that was destroyed in between", async () => {
  const workDir = mkdtempSync(join(tmpdir(), "gatehouse-record-"));
  const stack = scriptedStack(workDir, `echo '{ "version": 3, "deployment": {} }'`, "local");
  const urn = "urn:pulumi:local::gatehouse::kubernetes:core/v1:Secret::robot";
  recordSteps(stack, [{ urn, type: "kubernetes:core/v1:Secret", custom: true, provider: "urn:gone::id", inputs: {} }]);
  expect(await recoverInterrupted(stack, () => {})).toEqual({ steps: [], unread: [] });
  expect(existsSync(recordFile(workDir, "local"))).toBe(false);
  rmSync(workDir, { recursive: true });
});
