/**
 * The access that can be in effect until a deployment has completed, its deletions included. The engine deletes the record of the plan before
 * (infra/access/plannedAccess.ts) among the other deletions, which can fail after it, and an engine that is killed without checkpoints saves no record.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { plannedName } from "../../../infra/access/plannedAccess.ts";
import { type AccessRecord, DEPLOYED_ACCESS, PLANNED_ACCESS } from "../../../infra/access/record.ts";
import { changeResources, exportState, type Resource } from "../state/state.ts";
import { recordsOf } from "../state/stackState.ts";
import { readRecord, recordSteps, writeRecord } from "./stepRecord.ts";

/**
 * Returns the access of a state and that of a plan, as the components that record a plan.
 * @returns none for a state without the record of a completed deployment, with which the next one reads as new altogether
 */
export function accessInEffect(resources: readonly Resource[], planned: AccessRecord): Resource[] {
  const deployed = resources.find(({ type }) => type === DEPLOYED_ACCESS);
  if (!deployed) return [];
  const { urn, parent } = deployed;
  const prefix = urn.slice(0, urn.lastIndexOf(DEPLOYED_ACCESS));
  const records = [...recordsOf(resources, DEPLOYED_ACCESS), ...recordsOf(resources, PLANNED_ACCESS), planned];
  const components = records.map((record): Resource => {
    const component = {
      urn: `${prefix}${PLANNED_ACCESS}::${plannedName(record)}`,
      type: PLANNED_ACCESS,
      custom: false,
    };
    return { ...component, ...(parent && { parent }), outputs: { ...record } };
  });
  return [...new Map(components.map((component) => [component.urn, component])).values()];
}

/**
 * Runs the engine, and keeps the records of access in the state if it fails. While it runs they are in the record of steps, for the next run if this
 * one is killed.
 * @throws what `run` throws
 */
export async function keepingAccess<T>(stack: Stack, access: readonly Resource[], run: () => Promise<T>): Promise<T> {
  if (access.length === 0) return run();
  const before = await readRecord(stack);
  recordSteps(stack, access);
  let result: T;
  try {
    result = await run();
  } catch (error) {
    // What failed first is reported. Records that cannot be kept now remain in the record of steps.
    await keep(stack, access).catch(() => undefined);
    throw error;
  }
  writeRecord(stack, before);
  return result;
}

async function keep(stack: Stack, access: readonly Resource[]): Promise<void> {
  const { resources = [], pending_operations: pending = [] } = (await exportState(stack)).deployment;
  // A change of the state removes pending operations, which the next run needs.
  if (pending.length > 0) return;
  const missing = missingIn(resources, access);
  if (missing.length > 0) await changeResources(stack, (now) => [...now, ...missingIn(now, access)]);
  const urns = new Set(access.map(({ urn }) => urn));
  writeRecord(
    stack,
    (await readRecord(stack)).filter(({ urn }) => !urns.has(urn)),
  );
}

/** Returns the records of access that a state lacks, and that differ from its deployed access. */
function missingIn(resources: readonly Resource[], access: readonly Resource[]): Resource[] {
  const [complete] = recordsOf(resources, DEPLOYED_ACCESS);
  const urns = new Set(resources.map(({ urn }) => urn));
  return access.filter(({ urn, outputs }) => !urns.has(urn) && outputs?.["facts"] !== complete?.facts);
}
