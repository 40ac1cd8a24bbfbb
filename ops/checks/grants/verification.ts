import type { ClientBase } from "pg";
import { closureFindings } from "./closure.ts";
import { defaultPrivilegeFindings } from "./defaults.ts";
import { enforcementFindings } from "./enforcement.ts";
import type { GrantExpectation } from "./expectation.ts";
import { type GrantFinding, reporter, sortFindings } from "./finding.ts";
import { outageOf } from "./foreignTables.ts";
import { type DatabaseState, readDatabaseState } from "./databaseState.ts";
import { ownerFindings } from "./owners.ts";
import { missingPrivileges, unplannedPrivileges } from "./privileges.ts";
import { roleFindings } from "./roles.ts";

/**
 * Returns every difference between the plan's grants and a live database, the most dangerous first; none = the database is as planned.
 * Changes nothing: it reads one snapshot in a separate read-only transaction.
 * @param client connected to the planned database as the administrator, outside of a transaction
 */
export async function verifyGrants(client: ClientBase, expected: GrantExpectation): Promise<GrantFinding[]> {
  await client.query("begin transaction isolation level repeatable read, read only");
  try {
    return compareGrants(await readDatabaseState(client, expected), expected);
  } finally {
    // After a lost connection, the error of the work is the one to report.
    await client.query("rollback").catch(() => undefined);
  }
}

/** Compares the plan with what was read from the system catalog. */
export function compareGrants(live: DatabaseState, expected: GrantExpectation): GrantFinding[] {
  const findings = [
    ...roleFindings(live, expected),
    ...ownerFindings(live, expected),
    ...unplannedPrivileges(live, expected),
    ...missingPrivileges(live, expected),
    ...defaultPrivilegeFindings(live, expected),
    ...closureFindings(live, expected),
    ...enforcementFindings(live, expected),
    ...live.unhandledTables.map((table) => {
      const { problem, hint } = outageOf(table);
      return reporter(`foreign table ${table.name}`)("outage", problem, hint);
    }),
  ];
  const leaking = new Set(findings.flatMap(({ danger, subject }) => (danger === "leak" ? [subject] : [])));
  // Its hint would be to grant SELECT, which would publish what the relation serves.
  return sortFindings(findings.filter(({ danger, subject }) => danger !== "outage" || !leaking.has(subject)));
}
