import { UserError } from "../../../config/errors/userError.ts";
import { type Comparison, isBreaking } from "./comparison.ts";
import type { LockFolder } from "./lockFolder.ts";

/**
 * Checks that changes can be accepted. A reason applies to one schema, so breaking changes of several schemas are refused.
 * @param reason why clients are broken; undefined if none is given
 * @throws UserError for a reason that is not of exactly one schema, and for a schema without relations
 */
export function checkAcceptable(results: readonly Comparison[], reason: string | undefined): void {
  const breaking = results.filter(isBreaking).map(({ schema }) => schema);
  if (reason !== undefined && breaking.length === 0) {
    throw new UserError("--breaking: there is no breaking change", "leave it out");
  }
  if (breaking.length > 1) {
    throw new UserError(`--breaking: several schemas break clients: ${breaking.join(", ")}`, "name one with --schema");
  }
  const empty = results.find(({ found, changes }) => changes === undefined && found.relations.size === 0);
  if (empty) {
    throw new UserError(`schema "${empty.schema}" has no relations`, "deploy, and run the pipeline first");
  }
}

/**
 * Writes or removes the lock files, and writes the changelog.
 * @param day UTC, like `2026-11-30`
 * @returns a line for each schema, after its files are written
 * @throws UserError when the folder cannot be written
 */
export function* acceptAll(
  folder: LockFolder,
  results: readonly Comparison[],
  day: string,
  reason: string | undefined,
): Iterable<string> {
  for (const { schema, exposed, file, found, changes } of results) {
    const isUnchanged = exposed && changes?.length === 0;
    if (!isUnchanged) folder.accept({ day, schema, changes, found, reason }, exposed);
    const done = `${file} ${exposed ? "written" : "removed"}; commit it with its CHANGELOG.md`;
    yield `${schema}: ${isUnchanged ? `no changes to ${file}` : done}\n`;
  }
}
