import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../config/userError.ts";

/** File that marks a folder as a data folder of Gatehouse. */
export const MARKER = ".gatehouse-data";
export const MARK = "The local platform of Gatehouse keeps its state here. npm run stop -- --purge removes it.\n";

/**
 * Marks a missing or empty folder as a data folder, so that the local platform accepts it even if another command wrote to it first.
 * @throws UserError when the folder cannot be created or written
 */
export function claimDataFolder(data: string): void {
  try {
    mkdirSync(data, { recursive: true });
    if (readdirSync(data).length === 0) writeFileSync(join(data, MARKER), MARK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(
      `the data folder ${data} cannot be created or written (${code}); set GATEHOUSE_DATA to a folder that this user can write to`,
    );
  }
}
