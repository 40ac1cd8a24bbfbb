import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { UserError } from "../errors/userError.ts";

/**
 * Returns the home of the user database, as the Pulumi CLI does. For a user without an entry there, such as a random UID in a container, it is
 * `HOME`, else the root folder, as in Docker: only root can write to it.
 */
export function homeFolder(): string {
  try {
    return userInfo().homedir;
  } catch {
    return process.env["HOME"] || "/";
  }
}

/** Returns the folder of Gatehouse's own files: policy pack, SQL, built catalog. */
export function packageFolder(): string {
  return join(import.meta.dirname, "..", "..");
}

/**
 * Returns the folder of the user's Pulumi project, with the stack files and contracts: the nearest folder with a Pulumi.yaml, from the
 * working directory upwards, as the Pulumi CLI finds it. Outside of any, it is the repository of Gatehouse, whose commands work from any folder.
 * @param fallback folder of the running Gatehouse, which is not a project in the npm package
 * @throws UserError when no folder has one
 */
export function projectFolder(from = process.cwd(), fallback = packageFolder()): string {
  const found = nearestProject(from);
  if (found !== undefined) return found;
  if (existsSync(join(fallback, "Pulumi.yaml"))) return fallback;
  throw new UserError(
    `there is no Pulumi.yaml in ${from} or a folder above it. Change to the folder of your stack files, or create one with: npx gatehouse init`,
  );
}

/** Returns the nearest folder with a Pulumi.yaml, from this one upwards. */
export function nearestProject(folder: string): string | undefined {
  if (existsSync(join(folder, "Pulumi.yaml"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestProject(parent);
}
