import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deploy, destroy, type LocalStack, openLocal, openProgram } from "../../local/deploy.ts";
import { type Platform, startPlatform } from "../../local/platform/platform.ts";
import { buildFor } from "../../ops/engine/artifacts.ts";
import { readCreations } from "../../ops/engine/recovery/creations.ts";
import { runEngine } from "../../ops/engine/run.ts";
import { killedDeployment } from "../helpers/killed.ts";
import { quiet } from "../helpers/quiet.ts";

const data = mkdtempSync(join(tmpdir(), "gatehouse-lifecycle-"));

/** Types and names of what the engine's state holds, without the stack itself. */
async function deployed({ stack }: LocalStack): Promise<string[]> {
  const { deployment } = (await stack.exportStack()) as {
    deployment: { resources?: { urn: string; custom: boolean }[] };
  };
  return (deployment.resources ?? [])
    .filter(({ custom }) => custom)
    .map(({ urn }) => urn)
    .sort();
}

describe("the life of a stack", () => {
  let platform: Platform;
  let local: LocalStack;
  /** Resources of the whole stack, components included. */
  let announced: number | undefined;
  let complete: string[];

  beforeAll(async () => {
    platform = await startPlatform({ data, progress: quiet });
    local = await openLocal(platform);
    await buildFor(local.settings, quiet);
  });
  afterAll(async () => {
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test("a preview before the first up needs no identity provider, and changes nothing", async () => {
    announced = (await local.stack.preview()).changeSummary.create;
    expect(announced).toBeGreaterThan(50);
    expect(await deployed(local)).toEqual([]);
  });

  test("an up creates what the preview announced, and a second one changes nothing", async () => {
    expect(await deploy(local, quiet)).toEqual({ create: announced });
    complete = await deployed(local);
    const second = await deploy(local, quiet);
    expect(second).toEqual({ same: announced });
  });

  test("a refresh finds nothing that differs", async () => {
    const { changes } = await runEngine(
      () => undefined,
      (watch) => local.stack.refresh(watch),
    );
    const { same, ...changed } = changes;
    expect(changed).toEqual({});
    expect(same).toBe(announced);
  });

  test("a destroy removes everything, also from the database and the cluster", async () => {
    await destroy(local, quiet);
    expect(await deployed(local)).toEqual([]);
  });

  test("a program that fails once it has begun ends the run with its error", async () => {
    const stack = await openProgram(platform, "failing", () => {
      const failed = pulumi.output("x").apply((): string => {
        throw new pulumi.RunError("the hint stands here");
      });
      const first = new k8s.core.v1.ConfigMap("first", { data: { failed } });
      new k8s.core.v1.ConfigMap("second", { data: { first: first.metadata.name } }, { dependsOn: [first] });
      return Promise.resolve();
    });
    await expect(deploy({ stack }, quiet)).rejects.toThrow("the hint stands here");
    // The engine saved its state, so nothing has to be recovered.
    expect(await readCreations(stack)).toEqual([]);
  });

  test("a run killed half-way is finished by the next one", async () => {
    const isHalfWay = async (): Promise<boolean> => (await deployed(local)).length > complete.length / 2;
    const killed = await killedDeployment(platform, { checkpoints: true }, isHalfWay);
    expect(killed).toBe("SIGKILL");
    const half = await deployed(local);
    expect(half.length).toBeLessThan(complete.length);
    await deploy(local, quiet);
    expect(await deployed(local)).toEqual(complete);
    expect(await deploy(local, quiet)).not.toHaveProperty("create");
  });
});

test("a platform that was stopped leaves no process behind", async () => {
  await expect.poll(() => commands().filter((command) => command.includes(data)), { timeout: 240_000 }).toEqual([]);
});

function commands(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => commandOf(pid));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
