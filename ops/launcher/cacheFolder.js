// Plain JavaScript without packages: a first start looks for programs before it installs packages.
import { homedir } from "node:os";
import path from "node:path";
import process from "node:process";

/**
 * Returns the folder of programs, plugins and incomplete downloads, which is safe to delete: `$GATEHOUSE_CACHE`, else `~/.cache/gatehouse`.
 * @param {NodeJS.ProcessEnv} environment
 */
export function cacheFolder(environment = process.env) {
  return path.resolve(environment.GATEHOUSE_CACHE || path.join(homedir(), ".cache", "gatehouse"));
}
