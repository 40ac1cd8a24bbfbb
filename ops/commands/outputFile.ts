import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";

/**
 * Writes the file of an option, and creates its folder.
 * @param existsHint what to do if the file exists; default: it is replaced
 * @throws UserError when it cannot be written, or must not exist
 */
export function writeOutput(file: string, text: string, existsHint?: string): void {
  if (existsHint !== undefined && existsSync(file)) throw new UserError(`${file} exists`, existsHint);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: existsHint === undefined ? "w" : "wx" });
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${errorText(error)}`);
  }
}
