import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../../config/files/folders.ts";
import { shortHash } from "../shortHash.ts";

/** Ignored by git. */
const FOLDER = ".gatehouse";

/**
 * Writes the root certificates into a file for the Terraform provider, which takes no text, and returns its path. It is relative, so that
 * the state is the same on every machine: the engine starts plugins in the project's folder.
 * @param project folder of the project
 */
export function writeRootCertificates(sslrootcert: string, project = projectFolder()): string {
  const path = join(FOLDER, `postgres-${shortHash(sslrootcert)}.crt`);
  mkdirSync(join(project, FOLDER), { recursive: true });
  writeFileSync(join(project, path), sslrootcert);
  return path;
}
