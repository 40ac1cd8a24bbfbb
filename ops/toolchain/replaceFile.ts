import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a file atomically, and leaves the old one if that fails.
 * @param mode of a new file. Default: what the umask permits
 */
export function replaceFile(file: string, text: string, mode = 0o666): void {
  // Another process can write the same file at this moment.
  const unfinished = `${file}.${process.pid}.new`;
  try {
    writeFileSync(unfinished, text, { mode });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
