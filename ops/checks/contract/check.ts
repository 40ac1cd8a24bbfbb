import type { ClientBase } from "pg";
import type { Check } from "../check.ts";
import { readSystemCatalog } from "./systemCatalog.ts";
import { type Change, compare, isMissingRelation } from "./compare.ts";
import type { Contract } from "./contract.ts";
import type { LockFolder } from "./lockFolder.ts";
import { painter } from "../../terminal/paint.ts";
import { countChanges, describeChanges } from "./report.ts";

/** The views of the default schema that the migrations replace (infra/data/sql/060_meta_views.sql). */
export const META_VIEWS = ["meta_endpoints", "meta_sources", "meta_dimensions"];

/**
 * Checks the default schema and every other that has a lock file. A schema with a lock file that is no longer exposed fails.
 * @param client connected to the data API's database, as any role
 * @param exposed schemas as the stack lists them
 * @param complete before a deployment: schemas of which every relation must exist already. What the deployment replaces is not compared, nor are
 *   missing relations of other schemas
 * @throws UserError for a broken lock file; what the connection throws
 */
export async function checkContracts(
  client: Pick<ClientBase, "query">,
  folder: LockFolder,
  exposed: readonly string[],
  complete?: readonly string[],
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const schema of folder.schemasOf(exposed)) {
    const lock = folder.read(schema);
    const isExposed = exposed.includes(schema);
    const mayBeCreated = (change: Change): boolean =>
      complete !== undefined &&
      ((schema === exposed[0] && META_VIEWS.includes(change.relation)) ||
        (!complete.includes(schema) && isMissingRelation(change)));
    checks.push(isExposed ? await checkContract(client, schema, lock, mayBeCreated) : noLongerExposed(schema));
  }
  return checks;
}

/**
 * Compares a schema with its lock file; additions pass. Changes nothing, and works inside a transaction of the caller, so that SQL can be
 * checked before it is committed.
 * @param client connected to the data API's database, as any role
 * @param lock undefined = no contract yet; the check passes
 * @param isIgnored selects changes that are not compared; default: none
 * @throws what the connection throws
 */
export async function checkContract(
  client: Pick<ClientBase, "query">,
  schema: string,
  lock: Contract | undefined,
  isIgnored: (change: Change) => boolean = () => false,
): Promise<Check> {
  const check = (ok: boolean, detail: string): Check => ({ name: `contract of ${schema}`, ok, detail });
  if (!lock) return check(true, "no contract yet; to accept the current columns, run npx gatehouse contract accept");
  const found = compare(lock, await readSystemCatalog(client, schema, lock));
  const changes = found.filter((change) => !isIgnored(change));
  const breaking = changes.filter((change) => change.breaking);
  if (breaking.length === 0) return check(true, changes.length === 0 ? "kept" : `kept; ${countChanges(changes)}`);
  const lines = describeChanges(breaking, painter(false));
  const hint = "Restore these, or see docs/versioning.md. npx gatehouse contract check prints them again.";
  return check(false, [countChanges(breaking), ...lines, hint].join("\n"));
}

function noLongerExposed(schema: string): Check {
  const hint = "expose it again, or see docs/versioning.md for how to remove a schema";
  return { name: `contract of ${schema}`, ok: false, detail: `it has a contract and is no longer exposed; ${hint}` };
}
