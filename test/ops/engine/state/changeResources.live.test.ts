import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeResources } from "../../../../ops/engine/state/state.ts";
import { StateFile } from "../stacks.ts";

const OWN = { urn: "own", type: "kubernetes:core/v1:Secret" };
const OTHER = { ...OWN, urn: "other" };
const PENDING = { pending_operations: [{ type: "creating", resource: OWN }] };

let workDir: string;
let state: StateFile;
beforeEach(() => {
  workDir = mkdtempSync(join(tmpdir(), "gatehouse-change-"));
  state = new StateFile(workDir);
  state.write({ resources: [], ...PENDING });
});
afterEach(() => rmSync(workDir, { recursive: true }));

test("replaces the resources of a state, and removes pending operations", async () => {
  await changeResources(state.stack, (resources) => [...resources, OWN]);
  expect(state.read()).toEqual({ resources: [OWN], pending_operations: [] });
});

test("does not overwrite what another run saved meanwhile", async () => {
  const changed = changeResources(state.stack, async (resources) => {
    state.write({ resources: [OTHER], ...PENDING });
    return Promise.resolve([...resources, OWN]);
  });
  await expect(changed).rejects.toThrow(
    'another run changed the state of stack "dev" while this one completed it after an interruption; nothing of it was overwritten. ' +
      "Run the command again when the other run has ended.",
  );
  expect(state.read()).toMatchObject({ resources: [OTHER] });
});
