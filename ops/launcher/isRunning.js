// Plain JavaScript without packages: the launcher checks the owner of its lock before it installs packages.
import { readFileSync } from "node:fs";
import process from "node:process";

/**
 * Returns whether a process runs. A zombie process does not.
 * @param {number} pid
 */
export function isRunning(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return !stateOf(pid)?.startsWith("Z");
}

/**
 * Returns the fields of a process from its state on; undefined on a system without `/proc`.
 * @param {number} pid
 */
function stateOf(pid) {
  try {
    // The second field, the name, may contain blanks and brackets (proc_pid_stat(5)).
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1);
  } catch {
    return undefined;
  }
}
