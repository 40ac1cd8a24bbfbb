import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { Platform } from "../../local/platform/platform.ts";
import { isAlive } from "../../local/platform/processes.ts";
import { signalProcess } from "../../local/platform/procfs.ts";

interface Deployment {
  /** Changes to the stack's configuration. */
  readonly changes?: Readonly<Record<string, unknown>>;
  /** Whether the engine writes the state after each step. Default: no. */
  readonly checkpoints?: boolean;
}

/**
 * Deploys the local stack in a process that is killed.
 * @param isTime see {@link killedProcess}
 */
export function killedDeployment(
  platform: Platform,
  { changes = {}, checkpoints = false }: Deployment,
  isTime: () => boolean | Promise<boolean>,
): Promise<NodeJS.Signals | null> {
  return killedProcess("deployLocal.ts", [platform, changes, checkpoints], isTime);
}

/**
 * Runs a script of this folder in the leader of a new process group, which its engine and plugins belong to, and kills that group.
 * @param args passed as JSON
 * @param isTime returns whether to kill it now; called again if it throws, since it may read files that are being written
 * @returns the signal that ended the process
 */
export async function killedProcess(
  script: string,
  args: readonly unknown[],
  isTime: () => boolean | Promise<boolean>,
): Promise<NodeJS.Signals | null> {
  const texts = args.map((value) => JSON.stringify(value));
  const runner = spawn(process.execPath, [join(import.meta.dirname, script), ...texts], {
    detached: true,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exit = once(runner, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const ready = async (): Promise<void> => expect(!isAlive(runner) || (await isTime())).toBe(true);
  await vi.waitFor(ready, { timeout: 540_000, interval: 50 }).finally(() => {
    if (runner.pid !== undefined) signalProcess(-runner.pid, "SIGKILL");
  });
  return (await exit)[1];
}
