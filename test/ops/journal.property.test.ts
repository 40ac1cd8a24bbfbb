import fc from "fast-check";
import { expect, test } from "vitest";
import { type Deployment, type JournalEntry, replay, type Resource, withAdopted } from "../../ops/replay.ts";

/** What exists outside: the name and the version of each object, by id. */
type World = Map<string, string>;
type Unnumbered = Omit<JournalEntry, "sequenceID">;

/** One step of the engine: what it notes before, what it does to the world, what it notes after. */
interface Step {
  readonly begin: Unnumbered;
  readonly act: (world: World) => void;
  readonly end: Unnumbered;
}

/** Objects made so far: none has the id of another. */
let objects = 0;

const BEGIN = 0;
const SUCCESS = 1;

const versions = fc.dictionary(fc.constantFrom(..."abcdefgh"), fc.nat(2), { noNullPrototype: true });
const run = fc.record({ from: versions, to: versions, width: fc.integer({ min: 1, max: 4 }), replaced: fc.boolean() });

test("a run that was killed anywhere and finished by the next one ends as one that was not", () => {
  fc.assert(
    fc.property(run, fc.nat(80), fc.boolean(), ({ from, to, width, replaced }, killedAfter, reached) => {
      const world: World = new Map();
      const first = deploy({}, from, world, { width, replaced });
      const entries = deploy(first, to, world, { width, replaced, killedAfter, reached });
      const taken = adopt(entries, world);
      const whole = deploy(taken, to, world, { width, replaced });
      expect(named(whole)).toEqual(Object.entries(to).map(String).sort());
      expect([...world].sort()).toEqual(
        (whole.resources ?? []).map(({ id, urn, outputs }) => [id, `${urn},${String(outputs?.["v"])}`]).sort(),
      );
      expect(whole.pending_operations).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

interface Manner {
  /** How many steps go side by side. */
  readonly width: number;
  /** Whether a change makes a new object and then deletes the old one. */
  readonly replaced: boolean;
  /** The entry after which it is killed. */
  readonly killedAfter?: number;
  /** Whether steps that had begun by then had reached the world. */
  readonly reached?: boolean;
}

/** A small engine with the real one's journal. @returns the state that its journal gives */
function deploy(base: Deployment, wanted: Readonly<Record<string, number>>, world: World, manner: Manner): Deployment {
  const entries: JournalEntry[] = [];
  const isDead = (): boolean => entries.length >= (manner.killedAfter ?? Infinity);
  const note = (entry: Unnumbered): void => void entries.push({ ...entry, sequenceID: entries.length + 1 });
  const steps = stepsOf(base, wanted, manner.replaced);
  for (const batch of steps.flatMap((phase) => chunks(phase, manner.width))) {
    for (const step of batch) {
      if (isDead()) break;
      note(step.begin);
      if (manner.reached) step.act(world);
    }
    for (const step of batch) {
      if (isDead()) break;
      if (!manner.reached) step.act(world);
      note(step.end);
    }
  }
  return replay(base, entries);
}

/** What is wanted comes first; deletions come when all of it stands. */
function stepsOf(base: Deployment, wanted: Readonly<Record<string, number>>, replaced: boolean): [Step[], Step[]] {
  const old = base.resources ?? [];
  const makes: Step[] = [];
  const deletes: Step[] = [];
  const next = (): number => makes.length + deletes.length + 1;
  for (const [urn, v] of Object.entries(wanted)) {
    const place = old.findIndex((resource) => resource.urn === urn && !resource.delete);
    const before = old[place];
    const id =
      before !== undefined && (before.outputs?.["v"] === v || !replaced) ? before.id : `${urn}${v}-${(objects += 1)}`;
    const state: Resource = { urn, type: "t", id: id ?? "", outputs: { v } };
    const isNew = id !== before?.id;
    makes.push({
      begin: operation(next(), isNew ? "creating" : "updating", { urn, type: "t", inputs: { id: state.id, v } }),
      act: (world) => world.set(state.id ?? "", `${urn},${v}`),
      end: {
        kind: SUCCESS,
        operationID: next(),
        state,
        ...(before && (isNew ? { deleteOld: place } : { removeOld: place })),
      },
    });
  }
  for (const [place, resource] of old.entries()) {
    const made = makes.find(({ end }) => end.deleteOld === place);
    if (resource.urn in wanted && !resource.delete && !made) continue;
    deletes.push({
      begin: operation(next(), "deleting", resource),
      act: (world) => world.delete(resource.id ?? ""),
      end: { kind: SUCCESS, operationID: next(), removeOld: place },
    });
  }
  return [makes, deletes];
}

function operation(operationID: number, type: string, resource: Resource): Unnumbered {
  return { kind: BEGIN, operationID, operation: { type, resource } };
}

/** As ops/recover.ts does: what was being created and exists goes into the state, the rest is forgotten. */
function adopt({ resources = [], pending_operations = [] }: Deployment, world: World): Deployment {
  const found = pending_operations.flatMap(({ type, resource: { inputs = {}, ...rest } }): Resource[] => {
    const id = String(inputs["id"]);
    return type === "creating" && world.has(id) ? [{ ...rest, id, outputs: { v: inputs["v"] } }] : [];
  });
  return { resources: withAdopted(resources, found) };
}

function named({ resources = [] }: Deployment): string[] {
  return resources.map(({ urn, outputs }) => `${urn},${String(outputs?.["v"])}`).sort();
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
