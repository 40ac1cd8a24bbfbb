import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { restoreState } from "../../../../ops/engine/state/state.ts";

const CUT_SHORT = '{"version":3,"checkpoint":{"stack":"organiz';

describe("a stack's state file", () => {
  let backend: string;
  let state: string;
  let older: string;

  beforeEach(() => {
    backend = mkdtempSync(join(tmpdir(), "gatehouse-state-"));
    state = join(backend, ".pulumi", "stacks", "gatehouse", "local.json");
    older = join(backend, ".pulumi", "backups", "gatehouse", "local");
    mkdirSync(join(state, ".."), { recursive: true });
    mkdirSync(older, { recursive: true });
  });
  afterEach(() => rmSync(backend, { recursive: true }));

  const restore = (): Promise<void> => restoreState(backend, "local");
  const now = (): string => readFileSync(state, "utf8");

  test("is unchanged if it is complete", async () => {
    writeFileSync(state, '{"version":3}');
    writeFileSync(`${state}.bak`, "{}");
    await restore();
    expect(now()).toBe('{"version":3}');
  });

  test("is restored from the previous one if it is truncated", async () => {
    writeFileSync(state, CUT_SHORT);
    writeFileSync(`${state}.bak`, '{"version":3,"last":"but one"}');
    writeFileSync(join(older, "local.1700000000000000001.json"), '{"version":3,"older":true}');
    await restore();
    expect(now()).toBe('{"version":3,"last":"but one"}');
  });

  test("is restored from the newest complete backup if the previous one is truncated, too", async () => {
    writeFileSync(state, "");
    writeFileSync(`${state}.bak`, CUT_SHORT);
    writeFileSync(join(older, "local.1700000000000000001.json"), '{"run":1}');
    writeFileSync(join(older, "local.1700000000000000002.json"), '{"run":2}');
    writeFileSync(join(older, "local.1700000000000000003.json"), CUT_SHORT);
    writeFileSync(join(older, "local.1700000000000000003.json.attrs"), "{}");
    await restore();
    expect(now()).toBe('{"run":2}');
  });

  test("loses truncated attributes, which the engine cannot read, and keeps the others", async () => {
    writeFileSync(state, '{"version":3}');
    writeFileSync(`${state}.attrs`, "");
    writeFileSync(join(older, "local.1700000000000000001.json.attrs"), '{"user.content_type":');
    writeFileSync(join(older, "local.1700000000000000002.json.attrs"), '{"user.content_type":"text/plain"}');
    await restore();
    const left = readdirSync(backend, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".attrs"));
    expect(left).toEqual([".pulumi/backups/gatehouse/local/local.1700000000000000002.json.attrs"]);
    expect(now()).toBe('{"version":3}');
  });

  test("is kept, with an error, if no backup is complete", async () => {
    writeFileSync(state, CUT_SHORT);
    await expect(restore()).rejects.toThrow('the state of stack "local" in');
    expect(now()).toBe(CUT_SHORT);
  });

  test("restores nothing without a state file or its path", async () => {
    await expect(restore()).resolves.toBeUndefined();
    await expect(restoreState(undefined, "local")).resolves.toBeUndefined();
  });
});
