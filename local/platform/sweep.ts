import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Environment variable of every process of a platform. Child processes inherit it, so that all descendants can be found in `/proc`. Its value
 * is `<data folder>:<run>`.
 */
export const MARK = "GATEHOUSE_PLATFORM";

/**
 * Kills (SIGKILL) every process whose mark begins with `prefix`, except the calling one, and waits until none is left.
 * @param prefix `<data folder>:` for all runs on that folder, `<data folder>:<run>` for one
 */
export async function killMarked(prefix: string): Promise<void> {
  // A process caught between fork and exec does not show its environment yet: two empty rounds make sure.
  for (let empty = 0; empty < 2;) {
    const found = marked(prefix);
    found.forEach(kill);
    empty = found.length === 0 ? empty + 1 : 0;
    await pause(20);
  }
}

function marked(prefix: string): number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => pid !== process.pid && isAlive(pid) && environment(pid).includes(`\0${MARK}=${prefix}`));
}

function environment(pid: number): string {
  return `\0${read(pid, "environ")}`;
}

/** Returns the start time of a process in ticks since boot, which distinguishes it from a later process of the same id; undefined if it does not exist. */
export function startTime(pid: number): string | undefined {
  // The second field, the name, may contain blanks and brackets (proc_pid_stat(5)); the state is the first field after it.
  const fields = read(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
  return fields[0] === "Z" ? undefined : fields[19];
}

function isAlive(pid: number): boolean {
  return startTime(pid) !== undefined;
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return ""; // the process has ended, or belongs to another user
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // the process has already ended
  }
}
