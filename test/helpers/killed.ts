import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { Platform } from "../../local/platform/platform.ts";

interface Deployment {
  /** Changes to the stack's configuration. */
  readonly changes?: Readonly<Record<string, unknown>>;
  /** Whether the engine writes the state after each step. Default: no. */
  readonly checkpoints?: boolean;
}

/**
 * Deploys the local stack in a process that leads a group of its own, which its engine and plugins belong to, and kills that group.
 * @param isTime whether to kill it now; one that throws is asked again, since it may look at what is being written
 * @returns what the process ended by
 */
export async function killedDeployment(
  platform: Platform,
  { changes = {}, checkpoints = false }: Deployment,
  isTime: () => boolean | Promise<boolean>,
): Promise<NodeJS.Signals | null> {
  const args = [platform, changes, checkpoints].map((value) => JSON.stringify(value));
  const runner = spawn(process.execPath, [join(import.meta.dirname, "deployLocal.ts"), ...args], {
    detached: true,
    stdio: "inherit",
  });
  const exit = once(runner, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const ready = async (): Promise<void> => expect(runner.exitCode !== null || (await isTime())).toBe(true);
  await vi
    .waitFor(ready, { timeout: 180_000, interval: 50 })
    .finally(() => process.kill(-(runner.pid ?? 0), "SIGKILL"));
  return (await exit)[1];
}
