/** With the real engine: a deployment that does not complete keeps the access of the one before. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ComponentResource, ResourceHook, Stash } from "@pulumi/pulumi";
import type { PulumiFn, Stack, StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PROJECT_NAME } from "../../../../config/files/projectFile.ts";
import { accessOf } from "../../../../infra/access/access.ts";
import { DeployedAccess } from "../../../../infra/access/deployedAccess.ts";
import { PlannedAccess, plannedName } from "../../../../infra/access/plannedAccess.ts";
import { type AccessRecord, DEPLOYED_ACCESS, PLANNED_ACCESS, recordOf } from "../../../../infra/access/record.ts";
import { apply, recover } from "../../../../ops/engine/apply.ts";
import { NO_POLICY } from "../../../../ops/engine/policyPack.ts";
import { accessInEffect } from "../../../../ops/engine/recovery/accessRecords.ts";
import { type Recorded, readRecord, recordedOf, recordSteps } from "../../../../ops/engine/recovery/stepRecord.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";
import { readState, recordsOf } from "../../../../ops/engine/state/stackState.ts";
import { openFolderStack } from "../stacks.ts";

const quiet = (): void => {};
const [TWO, ONE] = [["wiki", "board"], ["wiki"]].map((names) =>
  recordOf({ ...accessOf(undefined), group: new Map(names.map((name) => [name, { created: true }])) }),
) as [AccessRecord, AccessRecord];

let folder: string;
let stack: Stack;
let program: PulumiFn;
let checkpoints: boolean;
beforeEach(async () => {
  checkpoints = true;
  folder = mkdtempSync(join(tmpdir(), "gatehouse-access-"));
  stack = await openFolderStack(folder, () => program());
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A program of a plan with two services, or with one: the deletion of the other's route fails. */
function programOf(record: AccessRecord): PulumiFn {
  return async () => {
    const parent = new ComponentResource("gatehouse:index:Gatehouse", "gatehouse");
    const planned = new PlannedAccess(record, { parent });
    await new Promise((resolve) => planned.urn.apply(resolve));
    new Stash("kept", { input: "" }, { parent });
    const hook = new ResourceHook("refused", async () => {
      await checkpointWithout(plannedName(TWO));
      throw new Error("refused");
    });
    if (record === TWO) new Stash("route", { input: "" }, { parent, hooks: { beforeDelete: [hook] } });
    new DeployedAccess("access", { record, after: [] }, { parent });
  };
}

/** Returns when the saved state has no resource of a name. A deployment without checkpoints saves none meanwhile. */
async function checkpointWithout(name: string): Promise<void> {
  const file = join(folder, "state", ".pulumi", "stacks", PROJECT_NAME, "dev.json");
  if (checkpoints) await vi.waitFor(() => expect(readFileSync(file, "utf8")).not.toContain(`::${name}"`), 60_000);
}

async function up(record: AccessRecord, access?: readonly Resource[]): Promise<unknown> {
  program = programOf(record);
  const deployable = { stack, policy: NO_POLICY, checkpoints, ...(access && { access }) };
  return apply(deployable, "up", quiet).catch((error: unknown) => error);
}

async function accessBefore(planned: AccessRecord): Promise<Resource[]> {
  return accessInEffect((await readState(stack)).resources, planned);
}

async function recorded(): Promise<Record<"deployed" | "planned", AccessRecord[]>> {
  const { resources } = await readState(stack);
  return { deployed: recordsOf(resources, DEPLOYED_ACCESS), planned: recordsOf(resources, PLANNED_ACCESS) };
}

test.each([true, false])("keeps it when a deletion fails, with checkpoints: %s", async (has) => {
  checkpoints = has;
  expect(await up(TWO, await accessBefore(TWO))).toMatchObject({ changes: { create: 6 } });
  expect(await up(ONE, await accessBefore(ONE))).toMatchObject({ errors: [expect.stringContaining("refused")] });
  expect(await recorded()).toEqual({ deployed: [ONE], planned: [ONE, TWO] });
  expect(await readRecord(stack)).toEqual([]);
  // Another failure keeps all, and a deployment that completes only its own.
  expect(await up(ONE, await accessBefore(ONE))).toMatchObject({ name: "EngineError" });
  expect(await recorded()).toEqual({ deployed: [ONE], planned: [ONE, TWO] });
  expect(await up(TWO, await accessBefore(TWO))).toMatchObject({ changes: { delete: 1 } });
  expect(await recorded()).toEqual({ deployed: [TWO], planned: [TWO] });
});

test("control: without the records of access, the engine deletes the former one", async () => {
  await up(TWO);
  expect(await up(ONE)).toMatchObject({ name: "EngineError" });
  expect(await recorded()).toEqual({ deployed: [ONE], planned: [ONE] });
});

test("adds that of its plan after a deployment without checkpoints was killed", async () => {
  await up(TWO);
  // What it leaves: the state of before, the records of access, and the event of a component, which has no outputs.
  recordSteps(stack, await accessBefore(ONE));
  const { type, urn } = (await accessBefore(ONE)).at(-1) as Resource;
  const event = {
    op: "create",
    urn,
    type,
    new: { urn, type, inputs: {}, outputs: {} },
  } as unknown as StepEventMetadata;
  recordSteps(stack, [recordedOf(event) as Recorded]);
  expect(await recover(stack, quiet)).toEqual({ steps: [], unread: [] });
  expect(await recorded()).toEqual({ deployed: [TWO], planned: [TWO, ONE] });
  expect(await readRecord(stack)).toEqual([]);
});
