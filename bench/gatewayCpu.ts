import type { Platform } from "../local/platform/platform.ts";
import { processIds, readProcess } from "../local/platform/procfs.ts";

/** Ticks per second of the times in `/proc/PID/stat`; Linux reports 100 to every program (proc_pid_stat(5), USER_HZ). */
const TICKS = 100;

/**
 * Returns a function that reads the CPU time of a platform's Traefik in milliseconds. Unlike a rate, it does not depend on what else the
 * machine runs.
 */
export function gatewayCpu({ tools, data }: Platform): () => number {
  const pid = processIds().find((id) => {
    const command = readProcess(id, "cmdline");
    return command.startsWith(tools.traefik) && command.includes(data);
  });
  if (pid === undefined) throw new Error(`no process of ${tools.traefik} has the data folder ${data}`);
  return () => {
    // The name in parentheses may contain spaces; utime and stime are the 12th and 13th field after it.
    const fields = readProcess(pid, "stat")
      .replace(/^.*\) /s, "")
      .split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  };
}
