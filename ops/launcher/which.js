// Plain JavaScript without packages: the launcher searches programs before it installs packages.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/**
 * Returns the first executable file with this name on a search path.
 * @param {string} name
 * @param {string} searchPath as in `PATH`; relative folders are skipped
 */
export function which(name, searchPath) {
  const folders = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
