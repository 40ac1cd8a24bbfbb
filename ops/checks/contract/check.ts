/** The contract as a check that stops a deployment. */
import type { ClientBase } from "pg";
import type { Check } from "../verify/check.ts";
import { readCatalogue } from "./catalogue.ts";
import { compare, withoutMissingRelations } from "./compare.ts";
import type { Contract } from "./contract.ts";
import type { LockFolder } from "./lockFolder.ts";
import { painter } from "../../terminal/paint.ts";
import { countChanges, describeChanges } from "./report.ts";

export interface ContractCheckOptions {
  /**
   * Before a deployment that may be the first, or may follow one that was interrupted: a relation that is not there is then not yet there.
   * What is there must keep its columns all the same. Default: false.
   */
  readonly mayBeIncomplete?: boolean;
}

/**
 * Checks the default schema and every other that has a lock file. One that has a lock file and is exposed no longer does not hold.
 * @param client connected to the data API's database, as any role
 * @param exposed schemas as the stack lists them
 * @throws ContractError for a broken lock file; what the connection throws
 */
export async function checkContracts(
  client: Pick<ClientBase, "query">,
  folder: LockFolder,
  exposed: readonly string[],
  options: ContractCheckOptions = {},
): Promise<Check[]> {
  const checks: Check[] = [];
  for (const schema of folder.schemasOf(exposed)) {
    const lock = folder.read(schema);
    checks.push(
      exposed.includes(schema) ? await checkContract(client, schema, lock, options) : noLongerExposed(schema),
    );
  }
  return checks;
}

/**
 * Compares a schema with its lock file; additions hold. Changes nothing, and works inside a transaction of the caller, so that SQL can be
 * judged before it is committed.
 * @param client connected to the data API's database, as any role
 * @param lock undefined = no contract yet; the check passes
 * @throws what the connection throws
 */
export async function checkContract(
  client: Pick<ClientBase, "query">,
  schema: string,
  lock: Contract | undefined,
  { mayBeIncomplete = false }: ContractCheckOptions = {},
): Promise<Check> {
  const name = nameOf(schema);
  if (lock === undefined) {
    return { name, ok: true, detail: "no contract yet; to accept the current columns, run npm run contract -- accept" };
  }
  const found = compare(lock, await readCatalogue(client, schema, lock));
  const changes = mayBeIncomplete ? withoutMissingRelations(found) : found;
  const breaking = changes.filter((change) => change.breaking);
  if (breaking.length === 0) {
    return { name, ok: true, detail: changes.length === 0 ? "kept" : `kept; ${countChanges(changes)}` };
  }
  const lines = describeChanges(breaking, painter(false));
  const hint = "Restore these, or see docs/versioning.md. npm run contract -- check prints them again.";
  return { name, ok: false, detail: [countChanges(breaking), ...lines, hint].join("\n") };
}

function noLongerExposed(schema: string): Check {
  const hint = "expose it again, or see docs/versioning.md for how to remove a schema";
  return { name: nameOf(schema), ok: false, detail: `it has a contract and is no longer exposed; ${hint}` };
}

function nameOf(schema: string): string {
  return `contract of ${schema}`;
}
