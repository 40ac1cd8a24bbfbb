import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UserError } from "../../config/errors/userError.ts";

/** File that marks a folder as a data folder of Gatehouse. */
export const MARKER = ".gatehouse-data";
export const MARK = "The local platform of Gatehouse keeps its state here. npm run stop -- --purge removes it.\n";

/**
 * Marks a missing or empty folder as a data folder, so that the local platform accepts it even if another command wrote to it first. Only this
 * user can write to it afterwards: it has the programs that run with the secrets.
 * @throws UserError when the folder cannot be created or written, or belongs to another user
 */
export function claimDataFolder(data: string): void {
  try {
    mkdirSync(dirname(data), { recursive: true });
    // Parents first: the mode would apply to them as well.
    mkdirSync(data, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(data);
    const isEmpty = readdirSync(data).length === 0;
    const hint = "set GATEHOUSE_DATA to a folder that only this user can write to";
    if (uid !== (process.getuid?.() ?? uid))
      throw new UserError(`the data folder ${data} belongs to another user`, hint);
    if ((mode & 0o022) !== 0) {
      if (!isEmpty && !isDataFolder(data)) throw new UserError(`other users can write to ${data}`, hint);
      chmodSync(data, mode & 0o755);
    }
    if (isEmpty) writeFileSync(join(data, MARKER), MARK);
  } catch (error) {
    throw error instanceof UserError ? error : notWritten(data, error);
  }
}

/** Returns the error of a data folder that cannot be created or written. */
export function notWritten(data: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    const hint = "free disk space, or set GATEHOUSE_DATA to a folder on another disk";
    return new UserError(`no space is left for the data folder ${data} (${code})`, hint);
  }
  return new UserError(
    `the data folder ${data} cannot be created or written (${code}); set GATEHOUSE_DATA to a folder that this user can write to`,
  );
}

/** Returns whether a folder has the marker of a data folder of Gatehouse. */
export function isDataFolder(data: string): boolean {
  return existsSync(join(data, MARKER));
}
