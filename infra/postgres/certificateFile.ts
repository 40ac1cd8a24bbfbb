import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";
import { projectFolder } from "../../config/files/folders.ts";
import { shortHash } from "../shortHash.ts";

/** Ignored by git. */
const FOLDER = ".gatehouse";

/**
 * Writes the root certificates into a file for the Terraform provider, which takes no text, and returns its path. It is relative, so that
 * the state is the same on every machine: the engine starts plugins in the project's folder.
 * @param project folder of the project
 * @throws UserError when the file cannot be written
 */
export function writeRootCertificates(sslrootcert: string, project = projectFolder()): string {
  const path = join(FOLDER, `postgres-${shortHash(sslrootcert)}.crt`);
  try {
    mkdirSync(join(project, FOLDER), { recursive: true });
    writeFileSync(join(project, path), sslrootcert);
  } catch (error) {
    throw new UserError(
      `the certificates of postgres.sslrootcert cannot be written: ${errorText(error)}`,
      `make ${join(project, FOLDER)} a folder that the user can write to`,
    );
  }
  return path;
}
