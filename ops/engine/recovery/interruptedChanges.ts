/** Resources that an interrupted deployment updated or deleted: the state has their values from before. */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { isLookedUp } from "../../clients/authentikObjects.ts";
import { changeResources, exportState, type Operation, type Resource } from "../state/state.ts";
import { polls } from "../polls.ts";
import type { Report } from "../../terminal/progress.ts";
import { isProvider, lastOf } from "../step.ts";
import { readRecord, type Recorded, recordSteps, writeRecord } from "./stepRecord.ts";
import { existingResources } from "./interruptedCreations.ts";

export type Changed = Pick<Resource, "urn" | "type"> & Required<Pick<Recorded, "changed">>;

/** For `initErrors` of a resource that is updated without a difference. */
const INTERRUPTED = "the deployment was interrupted";
/** For `initErrors` of a resource that was imported and not read yet; a read removes them. */
export const NOT_READ = "created by an interrupted deployment, not read yet";
const ROLE = "postgresql:index/role:Role";
/** 10 s. What cannot be read remains in the record, so nothing has to wait for it. */
const RETRIES = { retries: 5, factor: 1, minTimeout: 2_000, maxTimeout: 2_000 };
/** Milliseconds. Kubernetes deletes a namespace after its pods, which have 30 s by default. */
const MAX_DELETION_MS = 120_000;

const STEPS: Readonly<Record<string, Changed["changed"]>> = { updating: "update", deleting: "delete" };

/**
 * Returns the resources that an interrupted run may have updated or deleted.
 * @param recorded entries of the record of steps
 * @param pending pending operations of the state
 */
export function changedIn(recorded: readonly Recorded[], pending: readonly Operation[]): Changed[] {
  return [
    ...recorded.flatMap(({ urn, type, changed }) => (changed ? [{ urn, type, changed }] : [])),
    ...pending.flatMap(({ type: operation, resource: { urn, type } }) => {
      const changed = STEPS[operation];
      return changed ? [{ urn, type, changed }] : [];
    }),
  ];
}

function isInCluster({ type }: Pick<Resource, "type">): boolean {
  return type.startsWith("kubernetes:");
}

/**
 * Makes the next deployment update objects of the cluster, also without a difference. A read does not suffice: it has only the fields and list
 * items that the inputs have (pulumi-kubernetes, `pruneLiveState`). Postgres returns no password without superuser rights, so that of a role is set
 * again; authentik's provider sets those of new users only.
 */
export function withUpdates(resources: readonly Resource[], changed: readonly Pick<Resource, "urn">[]): Resource[] {
  const urns = new Set(changed.map(({ urn }) => urn));
  return resources.map((resource) => {
    if (!urns.has(resource.urn) || resource.custom === false || resource.delete || isProvider(resource.type))
      return resource;
    if (isInCluster(resource))
      return resource.initErrors?.includes(NOT_READ) ? resource : { ...resource, initErrors: [INTERRUPTED] };
    if (resource.type !== ROLE) return resource;
    const { password: _old, ...inputs } = resource.inputs ?? {};
    const { password: _former, ...outputs } = resource.outputs ?? {};
    return { ...resource, inputs, outputs };
  });
}

/**
 * Reads what was deleted in the cluster, and what was updated or deleted elsewhere: the providers of authentik and Postgres read every field, and
 * update nothing without a difference.
 * @returns objects of the cluster whose deletion has not ended; the objects elsewhere, if their servers do not answer, e.g. because the interrupted
 * deployment changed their addresses
 */
export async function readChanged(
  stack: Stack,
  changed: readonly Changed[],
  report: Report,
  interrupted: AbortSignal | undefined,
): Promise<Changed[]> {
  const deleted = changed.filter((one) => isInCluster(one) && one.changed === "delete");
  const remaining = await refreshUntilDeleted(stack, deleted, report, interrupted);
  const elsewhere = changed.filter((one) => !isInCluster(one) && !isProvider(one.type));
  const objects = await inState(stack, elsewhere);
  try {
    // The Terraform provider takes a 404 of the gateway for a deleted object.
    await existingResources(stack, objects.filter(({ type }) => isLookedUp(type)).slice(0, 1), {
      ...RETRIES,
      signal: interrupted,
    });
    await refresh(stack, objects);
    return remaining;
  } catch {
    return [...remaining, ...elsewhere];
  }
}

/**
 * Reads deleted objects until their deletion has ended, for two minutes or until Ctrl-C: one that a finalizer or a grace period keeps would remain in
 * the state, and the next deployment would not create it again.
 * @returns those whose deletion has not ended
 */
async function refreshUntilDeleted(
  stack: Stack,
  deleted: readonly Changed[],
  report: Report,
  interrupted: AbortSignal | undefined,
): Promise<Changed[]> {
  let objects = await inState(stack, deleted);
  const hasEnded = async (): Promise<boolean> => {
    await refresh(stack, objects);
    objects = (await inState(stack, deleted)).filter(isTerminating);
    if (objects.length > 0)
      report(`waiting for the deletion of ${objects.map(({ urn }) => lastOf(urn, "::")).join(", ")}`);
    return objects.length === 0;
  };
  await polls(hasEnded, MAX_DELETION_MS, interrupted);
  return deleted.filter(({ urn }) => objects.some((object) => object.urn === urn));
}

function isTerminating({ outputs }: Resource): boolean {
  return (outputs?.["metadata"] as { deletionTimestamp?: string } | undefined)?.deletionTimestamp !== undefined;
}

async function inState(stack: Stack, changed: readonly Changed[]): Promise<Resource[]> {
  if (changed.length === 0) return [];
  const urns = new Set(changed.map(({ urn }) => urn));
  const { resources = [] } = (await exportState(stack)).deployment;
  return resources.filter((resource) => urns.has(resource.urn) && !resource.delete);
}

/**
 * Runs a refresh of the whole stack, which removes the marks of {@link withUpdates}, and sets them again, also if it fails. In the meantime they are in
 * the record of steps, for the next run if this one is killed.
 */
export async function keepingUpdates<T>(stack: Stack, work: () => Promise<T>): Promise<T> {
  const { resources = [] } = (await exportState(stack)).deployment;
  const marked = resources.filter(({ initErrors }) => initErrors?.includes(INTERRUPTED));
  if (marked.length === 0) return work();
  const before = await readRecord(stack);
  recordSteps(
    stack,
    marked.map(({ urn, type }) => ({ urn, type, changed: "update" })),
  );
  const restore = async (): Promise<void> => {
    await changeResources(stack, (after) => withUpdates(after, marked));
    writeRecord(stack, before);
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // What failed first is reported. If the marks cannot be set now, the next run sets them.
    await restore().catch(() => undefined);
    throw error;
  }
  await restore();
  return result;
}

/** Reads resources that have a provider from their servers; those that do not exist leave the state. */
export async function refresh(stack: Stack, resources: readonly Resource[]): Promise<void> {
  const target = resources.flatMap(({ urn, provider }) => (provider === undefined ? [] : [urn]));
  if (target.length > 0) await stack.refresh({ target });
}
