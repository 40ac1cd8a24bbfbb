import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { which } from "../../ops/launcher/which.js";

/** The tmpfs that Linux has for shared memory. */
const SHARED_MEMORY = "/dev/shm";
/** A whole run has at most 1.4 GB there at a time (measured). */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Creates a folder for temporary files in memory. Tests with Postgres, which creates some 300 files for each database, spend a fifth less CPU time than on ext4.
 * @returns undefined where less than 4 GB are free, or programs may not run
 */
export function memoryFolder(): { readonly path: string; remove(): void } | undefined {
  let path: string;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < NEEDED_BYTES) return undefined;
    path = mkdtempSync(join(SHARED_MEMORY, "gatehouse-test-"));
  } catch {
    return undefined;
  }
  // A program that ends at this moment can still write there.
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  // As /tmp has: some tests run programs as another user.
  chmodSync(path, 0o1777);
  writeFileSync(join(path, "program"), "", { mode: 0o700 });
  if (which("program", path)) return { path, remove };
  remove();
  return undefined;
}
