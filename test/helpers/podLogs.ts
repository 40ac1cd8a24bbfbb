/** The problems in the logs of the Pods of a platform, which a failed test prints (printExchanges.ts). */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Lines of a log that are searched, and problems of it that are printed: the newest ones. */
const SEARCHED = 1_000;
const PRINTED = 3;
const PROBLEM = /error|fatal|panic|refused|denied|cannot/i;
const folders = new Set<string>();

/** @param data data folder of the platform */
export function printPodLogs(data: string): void {
  folders.add(join(data, "logs", "pods"));
}

/** Returns the newest problems in each log. */
export function describePodLogs(): readonly string[] {
  const files = [...folders].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => ({ name, file: join(folder, name) })) : [],
  );
  return files.flatMap(({ name, file }) => {
    const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(-SEARCHED);
    const problems = lines.filter((line) => PROBLEM.test(line)).slice(-PRINTED);
    return problems.map((line) => `${name}: ${line.slice(0, 400)}`);
  });
}
