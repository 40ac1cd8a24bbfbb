import type { ClientBase } from "pg";
import type { Check } from "../check.ts";
import { readSystemCatalog } from "./systemCatalog.ts";
import { compare, withoutMissingRelations } from "./compare.ts";
import type { Contract } from "./contract.ts";
import type { LockFolder } from "./lockFolder.ts";
import { painter } from "../../terminal/paint.ts";
import { countChanges, describeChanges } from "./report.ts";

/**
 * Checks the default schema and every other that has a lock file. A schema with a lock file that is no longer exposed fails.
 * @param client connected to the data API's database, as any role
 * @param exposed schemas as the stack lists them
 * @param mayBeIncomplete as in {@link checkContract}
 * @throws UserError for a broken lock file; what the connection throws
 */
export async function checkContracts(
  client: Pick<ClientBase, "query">,
  folder: LockFolder,
  exposed: readonly string[],
  mayBeIncomplete = false,
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const schema of folder.schemasOf(exposed)) {
    const lock = folder.read(schema);
    const isExposed = exposed.includes(schema);
    checks.push(isExposed ? await checkContract(client, schema, lock, mayBeIncomplete) : noLongerExposed(schema));
  }
  return checks;
}

/**
 * Compares a schema with its lock file; additions pass. Changes nothing, and works inside a transaction of the caller, so that SQL can be
 * checked before it is committed.
 * @param client connected to the data API's database, as any role
 * @param lock undefined = no contract yet; the check passes
 * @param mayBeIncomplete before a deployment that may be the first, or may follow an interrupted one: a missing relation may not have been created
 *   yet. Existing relations must keep their columns all the same
 * @throws what the connection throws
 */
export async function checkContract(
  client: Pick<ClientBase, "query">,
  schema: string,
  lock: Contract | undefined,
  mayBeIncomplete = false,
): Promise<Check> {
  const check = (ok: boolean, detail: string): Check => ({ name: `contract of ${schema}`, ok, detail });
  if (!lock) return check(true, "no contract yet; to accept the current columns, run npx gatehouse contract accept");
  const found = compare(lock, await readSystemCatalog(client, schema, lock));
  const changes = mayBeIncomplete ? withoutMissingRelations(found) : found;
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
