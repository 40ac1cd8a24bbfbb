import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasCheckpoints, withoutCheckpoints } from "../../../../ops/engine/recovery/checkpoints.ts";
import { recordFile } from "../../../../ops/engine/recovery/stepRecord.ts";
import { EngineError } from "../../../../ops/engine/run.ts";
import { scriptedStack } from "../stacks.ts";

const URN = "urn:pulumi:dev::gatehouse::kubernetes:core/v1:Secret::robot";
const FAILED = new EngineError(["robot: EOF"], { done: [], failed: [], unconfirmed: [] }, undefined);

let workDir: string;
beforeEach(() => {
  workDir = mkdtempSync(join(tmpdir(), "gatehouse-checkpoints-"));
});
afterEach(() => rmSync(workDir, { recursive: true }));

/** Runs an update that creates one resource and then fails. @param cli script of the Pulumi CLI */
async function fail(cli: string): Promise<unknown> {
  return withoutCheckpoints(scriptedStack(workDir, cli), ({ onEvent }) => {
    const metadata = { op: "create", urn: URN, type: "kubernetes:core/v1:Secret", new: { urn: URN, inputs: {} } };
    onEvent({ resourcePreEvent: { metadata } } as unknown as Parameters<typeof onEvent>[0]);
    return Promise.reject(FAILED);
  }).catch((error: unknown) => error);
}

test("throws the error of the engine, and keeps the record, when the state cannot be read", async () => {
  expect(await fail("echo error: the backend does not answer >&2; exit 255")).toBe(FAILED);
  expect(existsSync(recordFile(workDir, "dev"))).toBe(true);
});

test("deletes the record of a failed run whose state was saved", async () => {
  expect(await fail(`echo '{ "deployment": { "manifest": { "time": "2999-01-01T00:00:00Z" } } }'`)).toBe(FAILED);
  expect(existsSync(recordFile(workDir, "dev"))).toBe(false);
});

test.each([
  [100, {}, true],
  [101, {}, false],
  [101, { CI: "true" }, true],
  [101, { GATEHOUSE_CHECKPOINTS: "true" }, true],
  [101, { CI: "true", GATEHOUSE_CHECKPOINTS: "" }, true],
  [101, { CI: "true", GATEHOUSE_CHECKPOINTS: "false" }, false],
  [100, { GATEHOUSE_CHECKPOINTS: "false" }, true],
])("decides whether a deployment of %i exposures has checkpoints, with %o: %s", (exposures, environment, expected) => {
  expect(hasCheckpoints(exposures, environment)).toBe(expected);
});
