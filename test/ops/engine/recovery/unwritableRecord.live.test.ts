/** With the real engine: the record of steps cannot be written while a deployment runs, e.g. because the disk is full. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ComponentResource } from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test } from "vitest";
import { apply } from "../../../../ops/engine/apply.ts";
import { NO_POLICY } from "../../../../ops/engine/policyPack.ts";
import { recordFile } from "../../../../ops/engine/recovery/stepRecord.ts";
import { openFolderStack } from "../stacks.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-unwritable-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("refuses to start a deployment whose steps cannot be recorded", async () => {
  let ran = false;
  const stack = await openFolderStack(folder, () => Promise.resolve(void (ran = true)));
  const file = recordFile(stack.workspace.workDir, "dev");
  mkdirSync(file);
  const options = { stack, checkpoints: false, recovered: true, policy: NO_POLICY };
  await expect(apply(options, "up", () => undefined)).rejects.toThrow(
    /^the steps of the deployment cannot be recorded: EISDIR: .*\. Make .*creations-dev\.jsonl writable, or set GATEHOUSE_CHECKPOINTS=true/,
  );
  expect(ran).toBe(false);
});

test("fails the step that cannot be recorded, and does not wait for it", async () => {
  const stack = await openFolderStack(folder, async () => {
    const file = recordFile(join(folder, "workspace"), "dev");
    rmSync(file);
    mkdirSync(file);
    new ComponentResource("gatehouse:test:Sample", "sample");
    return Promise.resolve();
  });
  await expect(apply({ stack, checkpoints: false, policy: NO_POLICY }, "up", () => undefined)).rejects.toThrow(
    /the steps of the deployment cannot be recorded: EISDIR/,
  );
});
