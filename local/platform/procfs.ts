/** Processes of this machine, as `/proc` shows them (proc(5)), and signals to them. */
import { readdirSync, readFileSync } from "node:fs";

/** Returns the ids of all processes. */
export function processIds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Returns a file of a process, e.g. `cmdline`; empty if the process has ended, or belongs to another user. */
export function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** Returns the start time of a process in ticks since boot, which distinguishes it from a later process of the same id; undefined if it does not exist. */
export function startTime(pid: number): string | undefined {
  // The second field, the name, may contain blanks and brackets (proc_pid_stat(5)); the state is the first field after it.
  const fields = readProcess(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
  return fields[0] === "Z" ? undefined : fields[19];
}

/** Sends a signal to a process, which may have ended. @param pid negative: that of a process group */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
