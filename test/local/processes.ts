import { readlinkSync } from "node:fs";
import { processIds, readProcess } from "../../local/platform/procfs.ts";

/** Returns the command lines of all processes that have to do with a data folder: by their arguments, environment or working folder. */
export function processesOf(data: string): string[] {
  const text = (pid: number, file: string): string => readProcess(pid, file).replaceAll("\0", " ");
  return processIds()
    .filter((pid) => pid !== process.pid)
    .map((pid) => ({ command: text(pid, "cmdline"), rest: text(pid, "environ") + workingFolder(pid) }))
    .filter(({ command, rest }) => (command + rest).includes(data))
    .map(({ command, rest }) => command || rest);
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ""; // it ended meanwhile
  }
}
