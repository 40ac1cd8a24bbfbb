/** The last lines of the Pods of a platform, which a failed test prints (printExchanges.ts). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LINES = 3;
const PROBLEM = /error|fatal|panic|refused|denied|cannot/i;
const folders = new Set<string>();

/** @param data data folder of the platform */
export function printPodLogs(data: string): void {
  folders.add(join(data, "logs", "pods"));
}

/** Returns the last lines of each log whose end reports a problem. */
export function describePodLogs(): readonly string[] {
  const files = [...folders].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => ({ name, file: join(folder, name) })) : [],
  );
  return files.flatMap(({ name, file }) => {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(-LINES);
    return lines.some((line) => PROBLEM.test(line)) ? lines.map((line) => `${name}: ${line.slice(0, 400)}`) : [];
  });
}
