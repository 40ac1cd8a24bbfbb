import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Command lines of all processes that have to do with a data folder: by their arguments, environment or working folder. */
export function processesOf(data: string): string[] {
  const read = (pid: string, file: string, from: (name: string) => string): string => {
    try {
      return from(`/proc/${pid}/${file}`);
    } catch {
      return ""; // it ended meanwhile
    }
  };
  const text = (name: string): string => readFileSync(name, "latin1").replaceAll("\0", " ");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((pid) => ({
      command: read(pid, "cmdline", text),
      rest: read(pid, "environ", text) + read(pid, "cwd", readlinkSync),
    }))
    .filter(({ command, rest }) => (command + rest).includes(data))
    .map(({ command, rest }) => command || rest);
}
