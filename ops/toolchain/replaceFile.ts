import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a file atomically, and leaves the old one if that fails.
 * @param mode of a new file. Default: what the umask permits
 */
export function replaceFile(file: string, text: string, mode = 0o666): void {
  // Another process can write the same file at this moment, also one with the same id in another container.
  const unfinished = `${file}.${randomUUID()}.new`;
  try {
    writeFileSync(unfinished, text, { mode });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
