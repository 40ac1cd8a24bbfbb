import { rm } from "node:fs/promises";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { adoptable } from "./adopt.ts";
import { type LeftJournal, readJournal } from "./journal.ts";
import { forgetLost, readLost } from "./lost.ts";
import { type Resource, withAdopted } from "./replay.ts";
import { exportState, importState, type State } from "./state.ts";

/**
 * Takes over what a killed run made: what its journal holds, if it kept one, and what it may have created without noting it: the engine
 * wrote "creating" and never came to write "created", or the answer was lost (ops/lost.ts). Each of these goes into the state under the id it has, and a refresh of just these
 * drops what does not exist after all; a plain next run would fail on names that are taken.
 * @returns the URNs that were taken over or forgotten
 * @throws Error when the identity provider, which knows some of the ids, does not answer; when the state holds what the killed run did not
 *   know of
 */
export async function recoverInterrupted(stack: Stack): Promise<string[]> {
  const now = await exportState(stack);
  const journal = await readJournal(stack);
  const { pending_operations: pending = [], ...deployment } = (journal?.after ?? now).deployment;
  const lost = await readLost(stack);
  if (!journal && pending.length === 0 && lost.length === 0) {
    return [];
  }
  const creating = pending.filter(({ type }) => type === "creating").map(({ resource }) => resource);
  const begun = [...creating, ...lost.filter(({ urn }) => !creating.some((other) => other.urn === urn))];
  if (journal) {
    refuseToForget(stack.name, now, journal);
    await importState(stack, { ...now, deployment });
  }
  // What was lost may have been created by a run since then.
  const known = new Set((deployment.resources ?? []).map(idOf));
  const adopted = (await adoptable(stack, begun)).filter((resource) => !known.has(idOf(resource)));
  const resources = withAdopted(deployment.resources ?? [], adopted);
  await importState(stack, { ...now, deployment: { ...deployment, resources } });
  if (adopted.length > 0) {
    await stack.refresh({ target: adopted.map(({ urn }) => urn) });
  }
  if (journal) {
    await rm(journal.file);
  }
  await forgetLost(stack);
  return begun.map(({ urn }) => urn);
}

/** Somebody may have deployed past the journal, with the engine alone. */
function refuseToForget(name: string, now: State, { base, after, file }: LeftJournal): void {
  const known = [base, after].flatMap(({ deployment }) => (deployment.resources ?? []).map(idOf));
  const begun = (after.deployment.pending_operations ?? []).map(({ resource }) => resource.urn);
  const ids = new Set([...known, ...begun]);
  const other = now.deployment.resources?.find((resource) => !ids.has(idOf(resource)) && !ids.has(resource.urn));
  if (other) {
    throw new Error(
      `stack "${name}" was changed by another program after a deployment of it had been killed, e.g. ${other.urn}; ` +
        `what the killed one made stands in ${file}: take over what is missing by "pulumi import", and delete that file`,
    );
  }
}

function idOf({ urn, id }: Resource): string {
  return `${urn} ${id ?? ""}`;
}
