import type { ClientConfig } from "pg";
import type { DataPlan } from "../../infra/plan/types.ts";
import { checkContracts } from "../contract/check.ts";
import type { LockFolder } from "../contract/lockFolder.ts";
import { UnreachableError, withDatabase } from "../database.ts";
import { expectationOf } from "../grants/expectation.ts";
import { checkGrants, unreachableCheck } from "../grants/report.ts";
import { type Check, skip } from "./check.ts";

/** The data API's database, as its administrator reaches it, and what its schemas promise. */
export interface DatabaseTarget {
  readonly connection: ClientConfig;
  readonly promises: LockFolder;
  /** What to do where the connection fails; then the check is skipped, because no setting states that this machine has one. */
  readonly hint?: string;
}

/** Every privilege in the database is the plan's, and every promised column is there; one check that fails where it cannot be reached. */
export async function checkDatabase({ connection, promises, hint }: DatabaseTarget, plan: DataPlan): Promise<Check[]> {
  try {
    return await withDatabase(connection, async (client) => [
      ...(await checkGrants(client, expectationOf(plan))),
      ...(await checkContracts(client, promises, exposedOf(plan))),
    ]);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return [
      hint === undefined ? unreachableCheck(plan.database, error) : skip("grants and contracts", error.message, hint),
    ];
  }
}

/**
 * Stops a deployment before it changes anything, when the database that is there breaks a promise. One that is not there yet breaks none.
 * @throws Error with every broken promise
 */
export async function refuseBrokenContract({ connection, promises }: DatabaseTarget, plan: DataPlan): Promise<void> {
  if (!(await isThere(connection, plan.database))) return;
  const broken = await withDatabase(connection, async (client) => {
    const checks = await checkContracts(client, promises, exposedOf(plan), { mayBeIncomplete: true });
    return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  });
  if (broken.length > 0) throw new Error(`nothing was deployed:\n${broken.join("\n")}`);
}

function isThere(connection: ClientConfig, database: string): Promise<boolean> {
  return withDatabase({ ...connection, database: "postgres" }, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [database]);
    return rowCount === 1;
  });
}

function exposedOf({ schemas }: DataPlan): string[] {
  return schemas.filter(({ access }) => access === "exposed").map(({ name }) => name);
}
