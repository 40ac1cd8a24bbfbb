import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deploy, destroy, type LocalStack, openLocal } from "../../local/deploy.ts";
import { startPlatform, type StartedPlatform } from "../../local/platform/platform.ts";
import { processIds, readProcess } from "../../local/platform/procfs.ts";
import { buildFor } from "../../ops/engine/artifacts.ts";
import { FULL } from "../helpers/full.ts";
import { killedDeployment } from "../helpers/killed.ts";
import { SILENT } from "../../ops/terminal/progress.ts";

let platform: StartedPlatform;

/** Returns the URNs of the state's custom resources, i.e. without the stack and components. */
async function deployed({ stack }: LocalStack): Promise<string[]> {
  const { deployment } = (await stack.exportStack()) as {
    deployment: { resources?: { urn: string; custom: boolean }[] };
  };
  return (deployment.resources ?? [])
    .filter(({ custom }) => custom)
    .map(({ urn }) => urn)
    .sort();
}

describe.runIf(FULL)("the lifecycle of the local stack", () => {
  let data: string;
  let local: LocalStack;
  /** Number of resources of the stack, including components. */
  let previewed: number | undefined;
  let complete: string[];

  beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), "gatehouse-lifecycle-"));
    platform = await startPlatform({ data, progress: SILENT });
    local = await openLocal(platform);
    await buildFor(local.settings, SILENT);
  });
  afterAll(async () => {
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test("previews before the first deployment without an identity provider, and changes nothing", async () => {
    previewed = (await local.stack.preview()).changeSummary.create;
    expect(previewed).toBeGreaterThan(50);
    expect(await deployed(local)).toEqual([]);
  });

  // That a second deployment changes nothing, and finds no drift, is in commands.test.ts.
  test("creates what the preview reported", async () => {
    expect(await deploy(local, SILENT)).toEqual({ create: previewed });
    complete = await deployed(local);
  });

  test("removes every resource in a destroy", async () => {
    await destroy(local, SILENT);
    expect(await deployed(local)).toEqual([]);
  });

  // interrupted.test.ts kills a smaller one.
  test("completes a deployment that was killed after its first steps", async () => {
    const isHalfWay = async (): Promise<boolean> => (await deployed(local)).length > complete.length / 2;
    const killed = await killedDeployment(platform, { checkpoints: true }, isHalfWay);
    expect(killed).toBe("SIGKILL");
    const half = await deployed(local);
    expect(half.length).toBeLessThan(complete.length);
    await deploy(local, SILENT);
    expect(await deployed(local)).toEqual(complete);
  });

  test("leaves no process running after the platform is stopped", async () => {
    await platform.stop();
    const commands = (): string[] => processIds().map((pid) => readProcess(pid, "cmdline").replaceAll("\0", " "));
    await expect.poll(() => commands().filter((command) => command.includes(data)), { timeout: 240_000 }).toEqual([]);
  });
});
