import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";

/**
 * Writes the file of an option, and creates its folder.
 * @param replaces whether a file that exists is replaced
 * @throws UserError when it cannot be written, or exists
 */
export function writeOutput(file: string, text: string, replaces: boolean): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: replaces ? "w" : "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw new UserError(`${file} exists`, "name a new file, and copy its entries into the stack file");
    throw new UserError(`${file} cannot be written: ${errorText(error)}`);
  }
}
