import type { ClientConfig } from "pg";
import { errorText } from "../../../config/errors/errorText.ts";
import type { IdentityProvider } from "../../../config/settings.ts";
import type { DataPlan } from "../../../infra/plan/types.ts";
import { checkContracts } from "../contract/check.ts";
import type { LockFolder } from "../contract/lockFolder.ts";
import { UnreachableError, withDatabase } from "../../clients/database.ts";
import { expectationOf } from "../grants/expectation.ts";
import { quoted } from "../grants/sql.ts";
import { checkGrants, unreachableCheck } from "../grants/report.ts";
import { type Check, skip } from "../check.ts";

/** The data API's database, with the administrator's connection, and the contracts of its schemas. */
export interface DatabaseTarget {
  readonly connection: ClientConfig;
  readonly contracts: LockFolder;
  /** What to do where the connection fails; then the check is skipped, because no setting states that this machine has one. */
  readonly hint?: string;
}

/**
 * Checks that every privilege in the database is the plan's, and every column of the contracts exists; one failed check if the database is unreachable.
 */
export async function checkDatabase({ connection, contracts, hint }: DatabaseTarget, plan: DataPlan): Promise<Check[]> {
  try {
    return await withDatabase(connection, async (client) => [
      ...(await checkGrants(client, expectationOf(plan))),
      ...(await checkContracts(client, contracts, exposedOf(plan))),
    ]);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return [
      hint === undefined ? unreachableCheck(plan.database, error) : skip("grants and contracts", error.message, hint),
    ];
  }
}

/** Returns the name of the check of authentik's database. */
export function identityCheck(database: string): string {
  return `privileges of PUBLIC on database ${database}`;
}

/**
 * Checks that PUBLIC has no privilege on the database of authentik: any login role could acquire the locks that authentik waits for, and send its notifications.
 * Another administrator than a superuser cannot revoke them, so the check is then skipped.
 */
export async function checkIdentityDatabase(
  { connection, hint }: Pick<DatabaseTarget, "connection" | "hint">,
  { name, user }: NonNullable<IdentityProvider["database"]>,
  superuser: boolean,
): Promise<Check> {
  const title = identityCheck(name);
  try {
    const privileges = await withDatabase({ ...connection, database: "postgres" }, async (client) => {
      const { rows } = await client.query<{ privilege: string }>(
        "select privilege from unnest(array['CONNECT', 'CREATE', 'TEMPORARY']) privilege where has_database_privilege('public', $1, privilege)",
        [name],
      );
      return rows.map(({ privilege }) => privilege);
    });
    if (privileges.length === 0) return { name: title, ok: true, detail: "none" };
    const detail = `every login role of the server has ${privileges.join(", ")}`;
    const statement = `REVOKE ALL ON DATABASE ${quoted(name)} FROM PUBLIC`;
    return superuser
      ? { name: title, ok: false, detail, hint: `deploy with --refresh, or run: ${statement}` }
      : skip(title, detail, `run as ${quoted(user)}: ${statement}`);
  } catch (error) {
    const detail = errorText(error);
    return error instanceof UnreachableError && hint !== undefined
      ? skip(title, detail, hint)
      : { name: title, ok: false, detail };
  }
}

/**
 * Returns the contracts that an existing database breaks, for a deployment that has changed nothing yet.
 * @param complete as in {@link checkContracts}
 * @returns a text for each broken contract
 */
export async function brokenContracts(
  { connection, contracts }: DatabaseTarget,
  plan: DataPlan,
  complete: readonly string[],
): Promise<string[]> {
  if (!(await databaseExists(connection, plan.database))) return [];
  return withDatabase(connection, async (client) => {
    const checks = await checkContracts(client, contracts, exposedOf(plan), complete);
    return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  });
}

function databaseExists(connection: ClientConfig, database: string): Promise<boolean> {
  return withDatabase({ ...connection, database: "postgres" }, async (client) => {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [database]);
    return rowCount === 1;
  });
}

function exposedOf({ schemas }: DataPlan): string[] {
  return schemas.filter(({ access }) => access === "exposed").map(({ name }) => name);
}
