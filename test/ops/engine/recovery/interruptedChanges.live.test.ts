import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  changedIn,
  keepingUpdates,
  NOT_READ,
  withUpdates,
} from "../../../../ops/engine/recovery/interruptedChanges.ts";
import { readRecord, recordFile, recordSteps } from "../../../../ops/engine/recovery/stepRecord.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";
import { StateFile } from "../stacks.ts";

const ROUTE = "kubernetes:traefik.io/v1alpha1:IngressRoute";
const ROLE = "postgresql:index/role:Role";
const USER = "authentik:index/user:User";

test("reads updates and deletions from the record and from the pending operations", () => {
  const resource = (urn: string): Resource => ({ urn, type: ROUTE });
  const recorded = [resource("created"), { ...resource("updated"), changed: "update" as const }];
  const pending = ["creating", "updating", "deleting", "reading"].map((type) => ({ type, resource: resource(type) }));
  expect(changedIn(recorded, pending)).toEqual([
    { urn: "updated", type: ROUTE, changed: "update" },
    { urn: "updating", type: ROUTE, changed: "update" },
    { urn: "deleting", type: ROUTE, changed: "delete" },
  ]);
});

test("updates objects of the cluster again, and sets passwords of roles again", () => {
  const route = { urn: "route", type: ROUTE, inputs: { spec: 1 } };
  const role = { urn: "role", type: ROLE, inputs: { name: "owner", password: "old" }, outputs: { password: "old" } };
  const others = [
    { urn: "component", type: "gatehouse:index:Gatehouse", custom: false },
    { urn: "provider", type: "pulumi:providers:kubernetes", inputs: { password: "p" } },
    { urn: "route", type: ROUTE, delete: true },
    { urn: "new", type: ROUTE, initErrors: [NOT_READ] },
    { urn: "user", type: USER, inputs: { password: "old" } },
    { urn: "other", type: ROUTE },
  ];
  const changed = ["route", "role", "component", "provider", "new", "user"].map((urn) => {
    return { urn, type: ROUTE, changed: "update" as const };
  });
  expect(withUpdates([route, role, ...others], changed)).toEqual([
    { ...route, initErrors: ["the deployment was interrupted"] },
    { urn: "role", type: ROLE, inputs: { name: "owner" }, outputs: {} },
    ...others,
  ]);
});

describe("a refresh of the whole stack", () => {
  const marked = { urn: "route", type: ROUTE, initErrors: ["the deployment was interrupted"] };
  let workDir: string;
  let state: StateFile;
  let stack: Stack;
  beforeEach(() => {
    workDir = mkdtempSync(join(tmpdir(), "gatehouse-marks-"));
    state = new StateFile(workDir);
    ({ stack } = state);
    state.write({ resources: [marked] });
  });
  afterEach(() => rmSync(workDir, { recursive: true }));

  /** Removes the marks, as the engine does. */
  function refresh(): Promise<void> {
    state.write({ resources: [{ urn: "route", type: ROUTE }] });
    return Promise.resolve();
  }

  test("keeps the marks of interrupted updates", async () => {
    await keepingUpdates(stack, refresh);
    expect(state.read().resources).toEqual([marked]);
    expect(existsSync(recordFile(workDir, "dev"))).toBe(false);
  });

  test("keeps them when it fails, and what the record contained", async () => {
    const unread = { urn: "user", type: USER, changed: "update" as const };
    recordSteps(stack, [unread]);
    const failed = keepingUpdates(stack, () => refresh().then(() => Promise.reject(new Error("interrupted"))));
    await expect(failed).rejects.toThrow("interrupted");
    expect(state.read().resources).toEqual([marked]);
    expect(await readRecord(stack)).toEqual([unread]);
  });

  test("leaves them in the record when it is killed, or the state cannot be written", async () => {
    const entry = { urn: "route", type: ROUTE, changed: "update" };
    const failed = keepingUpdates(stack, async () => {
      expect(await readRecord(stack)).toEqual([entry]);
      rmSync(join(workDir, "state.json"));
      throw new Error("the backend does not answer");
    });
    await expect(failed).rejects.toThrow("the backend does not answer");
    expect(await readRecord(stack)).toEqual([entry]);
  });
});
