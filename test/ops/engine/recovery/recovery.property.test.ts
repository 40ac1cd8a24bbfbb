import fc from "fast-check";
import { expect, test } from "vitest";
import { withImported } from "../../../../ops/engine/recovery/recovery.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";
import { samples } from "../../../helpers/full.ts";

/** The objects of the servers: URN and version of each, by id. */
type Objects = Map<string, string>;

interface Run {
  /** Whether a change creates a new object and then deletes the old one. */
  readonly replaces: boolean;
  /** The number of steps after which the engine is killed, without saving its state. */
  readonly killedAfter: number;
  /** Whether a server has processed the step during which the engine was killed. */
  readonly processed: boolean;
}

interface Step {
  /** The resource that is created. */
  readonly creation?: Resource;
  readonly apply: (objects: Objects) => void;
}

const versions = fc.dictionary(fc.constantFrom(..."abcdefgh"), fc.nat(2), { noNullPrototype: true });
const runs = fc.record({ replaces: fc.boolean(), killedAfter: fc.nat(20), processed: fc.boolean() });

test("ends like an uninterrupted deployment when one without checkpoints is killed after any step", () => {
  fc.assert(
    fc.property(versions, versions, runs, (from, to, run) => {
      const objects: Objects = new Map();
      const saved = deploy([], from, objects, run.replaces);
      const recorded = interruptedDeploy(saved, to, objects, run);
      const recovered = refresh(withImported(saved, existingResources(recorded, saved, objects)), recorded, objects);
      const state = deploy(recovered, to, objects, run.replaces);
      expect(state.map(({ urn, outputs }) => `${urn},${String(outputs?.["v"])}`).sort()).toEqual(
        Object.entries(to).map(String).sort(),
      );
      expect([...objects].sort()).toEqual(
        state.map(({ id, urn, outputs }) => [id, `${urn},${String(outputs?.["v"])}`]).sort(),
      );
    }),
    samples(300),
  );
});

/** A small engine without checkpoints. @returns the state that it saves at its end */
function deploy(
  base: readonly Resource[],
  wanted: Record<string, number>,
  objects: Objects,
  replaces: boolean,
): Resource[] {
  const { steps, state } = plan(base, wanted, replaces);
  for (const { apply } of steps) apply(objects);
  return state;
}

/** @returns the creations that were recorded */
function interruptedDeploy(
  base: readonly Resource[],
  wanted: Record<string, number>,
  objects: Objects,
  { replaces, killedAfter, processed }: Run,
): Resource[] {
  const begun = plan(base, wanted, replaces).steps.slice(0, killedAfter);
  for (const [index, { apply }] of begun.entries()) if (index < begun.length - 1 || processed) apply(objects);
  return begun.flatMap(({ creation }) => creation ?? []);
}

/** Every creation and update comes before the first deletion, as in the engine. */
function plan(
  base: readonly Resource[],
  wanted: Record<string, number>,
  replaces: boolean,
): { steps: Step[]; state: Resource[] } {
  const steps: Step[] = [];
  const state = Object.entries(wanted).map(([urn, v]): Resource => {
    const old = base.find((resource) => resource.urn === urn && !resource.delete);
    const keepsObject = old !== undefined && (old.outputs?.["v"] === v || !replaces);
    const id = keepsObject ? old.id : `${urn}${v}`;
    const resource = { urn, type: "t", id: id ?? "", outputs: { v } };
    const apply = (objects: Objects): void => void objects.set(resource.id, `${urn},${v}`);
    steps.push(keepsObject ? { apply } : { apply, creation: resource });
    return resource;
  });
  const kept = new Set(state.map(({ id }) => id));
  for (const { id = "", urn, delete: replaced } of base) {
    if (urn in wanted && kept.has(id) && !replaced) continue;
    // An object that was deleted before is not an error.
    if (!kept.has(id)) steps.push({ apply: (objects) => void objects.delete(id) });
  }
  return { steps, state };
}

/** As in ops/engine/recovery/recovery.ts: the recorded creations whose object exists, but for those in the state. */
function existingResources(recorded: readonly Resource[], saved: readonly Resource[], objects: Objects): Resource[] {
  const known = new Set(saved.map(({ urn, id }) => `${urn} ${id}`));
  return recorded.filter(({ urn, id = "" }) => objects.has(id) && !known.has(`${urn} ${id}`));
}

function refresh(state: readonly Resource[], recorded: readonly Resource[], objects: Objects): Resource[] {
  const urns = new Set(recorded.map(({ urn }) => urn));
  return state.filter(({ urn, id = "" }) => !urns.has(urn) || objects.has(id));
}
