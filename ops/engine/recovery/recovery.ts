import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { PLANNED_ACCESS } from "../../../infra/access/record.ts";
import { isLookedUp } from "../../clients/authentikObjects.ts";
import { type Changed, changedIn, NOT_READ, readChanged, refresh, withUpdates } from "./interruptedChanges.ts";
import { existingResources } from "./interruptedCreations.ts";
import { MASKED, readRecord, recordSteps, writeRecord } from "./stepRecord.ts";
import { addSecretInputs } from "./providerInputs.ts";
import type { Report } from "../../terminal/progress.ts";
import { isProvider } from "../step.ts";
import { changeResources, exportState, type Resource } from "../state/state.ts";

/** The result of {@link recoverInterrupted}, as URNs. */
export interface Recovered {
  readonly steps: readonly string[];
  /** Objects that could not be read, or whose deletion has not ended; they remain in the record for the next deployment. */
  readonly unread: readonly string[];
}

/**
 * Completes the state after an interrupted deployment, whose steps are the pending operations of the engine (`pending_operations`) and those in
 * the record (ops/engine/recovery/stepRecord.ts). Created resources are added, since the next deployment would fail on existing names. For what
 * was updated or deleted the state has the values from before, so a revert would be no difference: see interruptedChanges.ts.
 * @param interrupted ends the wait for the identity provider and for deletions; the objects remain in the record
 * @throws Error when the identity provider, which returns some of the ids, does not answer
 */
export async function recoverInterrupted(stack: Stack, report: Report, interrupted?: AbortSignal): Promise<Recovered> {
  const { pending_operations: pending = [], resources = [] } = (await exportState(stack)).deployment;
  const creating = pending.flatMap(({ type, resource }) => (type === "creating" ? [resource] : []));
  const recorded = await readRecord(stack);
  const begun = [...recorded.filter(({ changed }) => !changed), ...creating];
  const creations = withParents([...new Map(begun.map((resource) => [resource.urn, resource])).values()], resources);
  const changed = changedIn(recorded, pending);
  if (creations.length === 0 && pending.length === 0 && changed.length === 0) {
    writeRecord(stack, []);
    return { steps: [], unread: [] };
  }
  // The first change of the state removes the pending operations, and a recovery can be interrupted, too.
  recordSteps(stack, [...creating, ...changed]);

  const known = new Set(resources.map(({ urn }) => urn));
  if (creations.some(({ urn, type }) => isProvider(type) && !known.has(urn)))
    await importProviders(stack, creations, changed, interrupted);
  await importExisting(stack, creations, changed, interrupted);
  await addDependencies(stack, creations);
  await refresh(stack, await notRead(stack));
  const unread = await readChanged(stack, changed, report, interrupted);
  writeRecord(stack, unread);
  return {
    steps: [...new Set([...creations.filter(({ type }) => type !== PLANNED_ACCESS), ...changed].map(({ urn }) => urn))],
    unread: unread.map(({ urn }) => urn),
  };
}

/** Returns creations whose parent and provider exist: a stack that was destroyed in between has none, and the engine refuses such a state. */
function withParents(creations: readonly Resource[], resources: readonly Resource[]): Resource[] {
  const known = new Set(resources.map(({ urn }) => urn));
  return creations.filter(({ urn, parent, provider }) => {
    const needed = [parent, provider && partsOf(provider)[0]].filter((one) => one !== undefined);
    if (needed.every((one) => known.has(one))) known.add(urn);
    return known.has(urn);
  });
}

async function notRead(stack: Stack): Promise<Resource[]> {
  const { resources = [] } = (await exportState(stack)).deployment;
  return resources.filter(({ initErrors }) => initErrors?.includes(NOT_READ));
}

/**
 * Adds the providers that the state lacks, with their dependencies. The record contains their configuration without secrets, which
 * a preview of the program returns. The program reads outputs, e.g. the address of a Service, so resources of other providers are read first.
 */
async function importProviders(
  stack: Stack,
  creations: readonly Resource[],
  changed: readonly Changed[],
  interrupted: AbortSignal | undefined,
): Promise<void> {
  const others = creations.filter(({ type }) => !isLookedUp(type));
  const added = await importExisting(stack, others, changed, interrupted, creations);
  const incomplete = new Set(
    added.flatMap(({ urn, type, inputs }) => (isProvider(type) && isMasked(inputs) ? [urn] : [])),
  );
  const needsSecret = ({ provider }: Resource): boolean =>
    provider !== undefined && incomplete.has(partsOf(provider)[0]);
  const complete = added.filter((resource) => !needsSecret(resource));
  await refresh(stack, complete);
  if (incomplete.size === 0) return;
  await addSecretInputs(stack, incomplete);
  await refresh(stack, added.filter(needsSecret));
}

/**
 * Adds existing resources to the state, and marks those that changed in the same write, which also removes the pending operations.
 * @param references creations whose references contain the ids of their providers
 * @returns those that it lacked
 */
async function importExisting(
  stack: Stack,
  creations: readonly Resource[],
  changed: readonly Changed[],
  signal: AbortSignal | undefined,
  references: readonly Resource[] = creations,
): Promise<Resource[]> {
  let imported: Resource[] = [];
  await changeResources(stack, async (resources) => {
    // One that was deleted to be created again has the id of its successor, which a fixed name gives.
    const known = new Set(resources.filter(({ pendingReplacement }) => !pendingReplacement).map(idOf));
    const found = await existingResources(stack, withProviderIds(resources, creations, references), { signal });
    imported = found
      .filter((resource) => !known.has(idOf(resource)))
      .map(withSecretOutputs)
      .map((resource) => (resource.provider === undefined ? resource : { ...resource, initErrors: [NOT_READ] }));
    // A replacement with the id of its predecessor is not imported, but updated.
    return withImported(withUpdates(resources, [...changed, ...creations]), imported);
  });
  return imported;
}

/** Returns the resources with references to the providers in the state. A provider that the state lacks gets the id of the references. */
function withProviderIds(
  resources: readonly Resource[],
  creations: readonly Resource[],
  references: readonly Resource[],
): Resource[] {
  const referred = references.flatMap(({ provider }) => (provider === undefined ? [] : [partsOf(provider)]));
  const ids = new Map([...referred, ...resources.map(({ urn, id }) => [urn, id] as const)]);
  return creations.map((resource) => {
    const urn = resource.provider === undefined ? undefined : partsOf(resource.provider)[0];
    const id = isProvider(resource.type) ? ids.get(resource.urn) : undefined;
    return { ...resource, ...(id && { id }), ...(urn && { provider: `${urn}::${ids.get(urn)}` }) };
  });
}

function partsOf(reference: string): readonly [urn: string, id: string] {
  const end = reference.lastIndexOf("::");
  return [reference.slice(0, end), reference.slice(end + 2)];
}

/**
 * Makes each resource without dependencies depend on the one before: events of the engine do not contain dependencies, and resources can be
 * deleted in the reverse order of their creation. The next deployment replaces this by the program's dependencies.
 */
async function addDependencies(stack: Stack, creations: readonly Resource[]): Promise<void> {
  const urns = new Set(
    creations.flatMap(({ urn, custom, dependencies }) => (custom === false || dependencies ? [] : [urn])),
  );
  if (urns.size < 2) return;
  await changeResources(stack, (resources) => {
    let before: string | undefined;
    return resources.map((resource) => {
      if (!urns.has(resource.urn) || resource.delete) return resource;
      const dependencies = before === undefined ? [] : [before];
      before = resource.urn;
      return { ...resource, dependencies };
    });
  });
}

/** Marks outputs whose input is secret as secret, because a refresh reads them in plain text. */
function withSecretOutputs(resource: Resource): Resource {
  const secret = Object.entries(resource.inputs ?? {}).flatMap(([name, value]) => (isMasked(value) ? [name] : []));
  if (secret.length === 0) return resource;
  return { ...resource, additionalSecretOutputs: [...(resource.additionalSecretOutputs ?? []), ...secret] };
}

/**
 * Returns the resources of a state together with others that exist. Of two with the same URN the one in the state was replaced: it is to be
 * deleted, or was deleted before the other was created.
 */
export function withImported(resources: readonly Resource[], imported: readonly Resource[]): Resource[] {
  const urns = new Set(imported.map(({ urn }) => urn));
  const others = resources
    .filter(({ urn, pendingReplacement }) => !(urns.has(urn) && pendingReplacement))
    .map((resource) => (urns.has(resource.urn) ? { ...resource, delete: true } : resource));
  return [...others, ...imported];
}

function isMasked(value: unknown): boolean {
  return JSON.stringify(value)?.includes(MASKED) ?? false;
}

function idOf({ urn, id }: Resource): string {
  return `${urn} ${id ?? ""}`;
}
