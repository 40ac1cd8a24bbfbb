import { describe, expect, test } from "vitest";
import { type Deployment, type JournalEntry, replay, type Resource, withAdopted } from "../../ops/replay.ts";

const BEGIN = 0;
const SUCCESS = 1;
const FAILURE = 2;
const REFRESHED = 3;
const OUTPUTS = 4;
const REBUILT = 7;

const resource = (urn: string, more: Partial<Resource> = {}): Resource => ({
  urn,
  type: "t",
  id: `id-${urn}`,
  ...more,
});

/** The entries, numbered in their order. */
function journal(...entries: Omit<JournalEntry, "sequenceID">[]): JournalEntry[] {
  return entries.map((entry, index) => ({ ...entry, sequenceID: index + 1 }));
}

function begin(operationID: number, type: string, of: Resource): Omit<JournalEntry, "sequenceID"> {
  return { kind: BEGIN, operationID, operation: { type, resource: of } };
}

const base: Deployment = { resources: [resource("a"), resource("b", { parent: "a" }), resource("c")] };

describe("a journal, replayed", () => {
  test("without entries leaves the state as it was", () => {
    expect(replay(base, [])).toEqual({ ...base, pending_operations: [] });
  });

  test("puts what was created before what the run had not come to", () => {
    const made = resource("new");
    const entries = journal(begin(1, "creating", made), { kind: SUCCESS, operationID: 1, state: made });
    expect(replay(base, entries).resources).toEqual([made, ...(base.resources ?? [])]);
  });

  test("keeps what was begun and not ended as pending, and what has failed nowhere", () => {
    const [hanging, failed] = [resource("hanging"), resource("failed")];
    const entries = journal(begin(1, "creating", hanging), begin(2, "creating", failed), {
      kind: FAILURE,
      operationID: 2,
    });
    expect(replay(base, entries)).toEqual({
      ...base,
      pending_operations: [{ type: "creating", resource: hanging }],
    });
  });

  test("keeps what an earlier run may have created, until somebody has looked", () => {
    const [lost, changed] = [resource("lost"), resource("changed")];
    const pending = [
      { type: "creating", resource: lost },
      { type: "updating", resource: changed },
    ];
    expect(replay({ ...base, pending_operations: pending }, []).pending_operations).toEqual([pending[0]]);
  });

  test("puts an update in place of what was there, and takes out what was deleted", () => {
    const updated = resource("a", { inputs: { size: 2 } });
    const entries = journal(
      { kind: SUCCESS, operationID: 1, state: updated, removeOld: 0 },
      { kind: SUCCESS, operationID: 2, removeOld: 2 },
    );
    expect(replay(base, entries).resources).toEqual([updated, base.resources?.[1]]);
  });

  test("marks what was replaced for deletion until that has happened", () => {
    const replacement = resource("c", { id: "second" });
    const created = journal({ kind: SUCCESS, operationID: 1, state: replacement, deleteOld: 2 });
    expect(replay(base, created).resources).toEqual([
      replacement,
      base.resources?.[0],
      base.resources?.[1],
      resource("c", { delete: true }),
    ]);
    const deleted = [...created, { kind: SUCCESS, operationID: 2, sequenceID: 2, removeOld: 2 }];
    expect(replay(base, deleted).resources).toEqual([replacement, base.resources?.[0], base.resources?.[1]]);
  });

  test("marks what was deleted to be created again", () => {
    const entries = journal({ kind: SUCCESS, operationID: 1, pendingReplacementOld: 2 });
    expect(replay(base, entries).resources?.[2]).toEqual(resource("c", { pendingReplacement: true }));
  });

  test("writes outputs where the resource stands, and never brings back what is gone", () => {
    const [made, later] = [resource("new"), resource("new", { outputs: { url: "x" } })];
    const entries = journal(
      { kind: SUCCESS, operationID: 1, state: made },
      { kind: SUCCESS, operationID: 2, state: resource("next") },
      { kind: OUTPUTS, operationID: 3, state: later, removeNew: 1 },
    );
    expect(replay({}, entries).resources).toEqual([later, resource("next")]);
    const gone = [...entries, ...journal({ kind: SUCCESS, operationID: 4, removeNew: 1 }).map(numberedFrom(3))];
    const afterwards = journal({ kind: OUTPUTS, operationID: 5, state: later, removeNew: 1 }).map(numberedFrom(4));
    expect(replay({}, [...gone, ...afterwards]).resources).toEqual([resource("next")]);
  });

  test("takes what depends on something out of the reach of what a refresh found missing", () => {
    const child = resource("b", { parent: "a", dependencies: ["a", "c"], propertyDependencies: { x: ["a"] } });
    const before: Deployment = { resources: [resource("a"), resource("c"), child] };
    const entries = journal({ kind: REFRESHED, operationID: 1, removeOld: 0 });
    expect(replay(before, entries).resources).toEqual([
      resource("c"),
      resource("b", { dependencies: ["c"], propertyDependencies: { x: [] } }),
    ]);
  });

  test("counts places anew once the engine has begun anew from what it found", () => {
    const entries = journal(
      { kind: REFRESHED, operationID: 1, removeOld: 0 },
      { kind: REBUILT, operationID: 0 },
      { kind: SUCCESS, operationID: 2, removeOld: 0 },
    );
    expect(replay(base, entries).resources).toEqual([resource("c")]);
  });

  test("follows the engine's numbers, not the order of arrival", () => {
    const entries = journal(begin(1, "creating", resource("x")), {
      kind: SUCCESS,
      operationID: 1,
      state: resource("x"),
    });
    expect(replay({}, entries.reverse())).toEqual({ resources: [resource("x")], pending_operations: [] });
  });

  test("refuses what it does not know", () => {
    expect(() => replay(base, journal({ kind: 12, operationID: 1 }))).toThrow("an entry of kind 12");
  });
});

describe("what was taken over", () => {
  const adopted = resource("c", { id: "second" });

  test("stands beside what others depend on, and makes what it replaces one to delete", () => {
    expect(withAdopted(base.resources ?? [], [adopted])).toEqual([
      base.resources?.[0],
      base.resources?.[1],
      resource("c", { delete: true }),
      adopted,
    ]);
  });

  test("takes the place of what had been deleted for it", () => {
    const deleted = resource("c", { pendingReplacement: true });
    expect(withAdopted([resource("a"), deleted], [adopted])).toEqual([resource("a"), adopted]);
  });
});

function numberedFrom(offset: number): (entry: JournalEntry) => JournalEntry {
  return (entry) => ({ ...entry, sequenceID: entry.sequenceID + offset });
}
