import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changeResources, type Resource } from "../../../../ops/engine/state/state.ts";
import { writeExecutable } from "../../../helpers/executable.ts";

const OWN = { urn: "own", type: "kubernetes:core/v1:Secret" };
const OTHER = { ...OWN, urn: "other" };

let workDir: string;
let stack: Stack;
beforeEach(() => {
  workDir = mkdtempSync(join(tmpdir(), "gatehouse-change-"));
  const command = join(workDir, "pulumi");
  writeExecutable(command, `#!/bin/sh\ncase $2 in export) cat state.json;; import) cat > state.json;; esac\n`);
  stack = { name: "dev", workspace: { workDir, envVars: {}, pulumiCommand: { command } } } as unknown as Stack;
  write([]);
});
afterEach(() => rmSync(workDir, { recursive: true }));

function write(resources: readonly Resource[]): void {
  const state = { version: 3, deployment: { resources, pending_operations: [{ type: "creating", resource: OWN }] } };
  writeFileSync(join(workDir, "state.json"), JSON.stringify(state));
}
function read(): unknown {
  return (JSON.parse(readFileSync(join(workDir, "state.json"), "utf8")) as { deployment: unknown }).deployment;
}

test("replaces the resources of a state, and removes pending operations", async () => {
  await changeResources(stack, (resources) => [...resources, OWN]);
  expect(read()).toEqual({ resources: [OWN], pending_operations: [] });
});

test("does not overwrite what another run saved meanwhile", async () => {
  const changed = changeResources(stack, async (resources) => {
    write([OTHER]);
    return Promise.resolve([...resources, OWN]);
  });
  await expect(changed).rejects.toThrow(
    'another run changed the state of stack "dev" while this one completed it after an interruption; nothing of it was overwritten. ' +
      "Run the command again when the other run has ended.",
  );
  expect(read()).toMatchObject({ resources: [OTHER] });
});
