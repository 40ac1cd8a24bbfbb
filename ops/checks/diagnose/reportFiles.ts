import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../toolchain/replaceFile.ts";

/** Number of reports that are kept (docs/diagnose.md, Reports). */
const MAX_REPORTS = 3;
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-.*\.txt$/;

/**
 * Writes one report, for its owner alone, and removes all but the newest.
 * @param folder is created when missing
 * @returns the file
 */
export function writeReport(folder: string, context: string, at: Date, text: string): string {
  const time = at.toISOString().replaceAll(":", "-");
  const file = join(folder, `${time}-${context.replaceAll(/[^\w.-]+/g, "_")}.txt`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceFile(file, text, 0o600);
  const older = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .slice(0, -MAX_REPORTS);
  for (const name of older) rmSync(join(folder, name), { force: true });
  return file;
}
