import { setTimeout as pause } from "node:timers/promises";
import { processIds, readProcess, signalProcess, startTime } from "./procfs.ts";

/**
 * Environment variable of every process of a platform. Child processes inherit it, so that all descendants can be found in `/proc`. Its value
 * is `<data folder>:<run>`.
 */
export const TAG = "GATEHOUSE_PLATFORM";

/**
 * Kills (SIGKILL) every process whose tag begins with `prefix`, except the calling one, and waits until none is left.
 * @param prefix `<data folder>:` for all runs on that folder, `<data folder>:<run>` for one
 */
export async function killTagged(prefix: string): Promise<void> {
  // A process caught between fork and exec does not show its environment yet: two empty rounds make sure.
  for (let empty = 0; empty < 2;) {
    const found = tagged(prefix);
    for (const pid of found) signalProcess(pid, "SIGKILL");
    empty = found.length === 0 ? empty + 1 : 0;
    await pause(20);
  }
}

function tagged(prefix: string): number[] {
  const isTagged = (pid: number): boolean => `\0${readProcess(pid, "environ")}`.includes(`\0${TAG}=${prefix}`);
  return processIds().filter((pid) => pid !== process.pid && startTime(pid) !== undefined && isTagged(pid));
}
