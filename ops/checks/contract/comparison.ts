/** The schemas of a stack, compared with their lock files. */
import type { ClientBase } from "pg";
import { type Change, compare } from "./compare.ts";
import type { Contract } from "./contract.ts";
import type { Lock } from "./lockFolder.ts";
import { readSystemCatalog } from "./systemCatalog.ts";

export interface Comparison extends Lock {
  /** False for a schema with a contract that is no longer exposed. */
  readonly exposed: boolean;
  readonly found: Contract;
  /** Undefined without a contract. */
  readonly changes: readonly Change[] | undefined;
}

/**
 * Compares schemas with their lock files. Changes nothing, and works inside a transaction of the caller, so that SQL can be checked before it is
 * committed.
 * @param client connected to the data API's database, as any role
 * @param exposed schemas as the stack lists them
 * @throws what the connection throws
 */
export async function compareSchemas(
  client: Pick<ClientBase, "query">,
  locks: readonly Lock[],
  exposed: readonly string[],
): Promise<Comparison[]> {
  const results: Comparison[] = [];
  for (const lock of locks) {
    const { schema, contract } = lock;
    const isExposed = exposed.includes(schema);
    const found = isExposed
      ? { ...(await readSystemCatalog(client, schema, contract)), isDefault: schema === exposed[0] }
      : { schema, isDefault: contract?.isDefault, relations: new Map<string, never>() };
    results.push({ ...lock, exposed: isExposed, found, changes: contract && compare(contract, found) });
  }
  return results;
}

/** Returns whether changes break a contract. A schema that is no longer exposed does, also one without relations. */
export function isBreaking({ exposed, changes = [] }: Pick<Comparison, "exposed" | "changes">): boolean {
  return !exposed || changes.some(({ breaking }) => breaking);
}
