import { readdirSync, readFileSync } from "node:fs";
import type { Platform } from "../local/platform/platform.ts";

/** Ticks per second of the times in `/proc/PID/stat`; Linux reports 100 to every program (proc_pid_stat(5), USER_HZ). */
const TICKS = 100;

/**
 * Returns a function that reads the CPU time of a platform's Traefik in milliseconds. Unlike a rate, it does not depend on what else the
 * machine runs.
 */
export function gatewayCpu({ tools, data }: Platform): () => number {
  const commandOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1");
    } catch {
      return ""; // The process has ended.
    }
  };
  const pid = readdirSync("/proc").find((name) => {
    const command = /^\d+$/.test(name) ? commandOf(name) : "";
    return command.startsWith(tools.traefik) && command.includes(data);
  });
  if (pid === undefined) throw new Error(`no process of ${tools.traefik} has the data folder ${data}`);
  return () => {
    // The name in parentheses may contain spaces; utime and stime are the 12th and 13th field after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  };
}
