import type { ClientBase } from "pg";
import { errorText } from "../../../config/errorText.ts";
import type { Check } from "../verify/check.ts";
import type { GrantExpectation } from "./expectation.ts";
import type { Finding } from "./finding.ts";
import { verifyGrants } from "./verification.ts";

/**
 * Verifies the grants; returns checks: one per planned schema, and one for the database and its roles.
 * @param client of the administrator, connected to the planned database
 */
export async function checkGrants(client: ClientBase, expected: GrantExpectation): Promise<Check[]> {
  try {
    return checksOf(await verifyGrants(client, expected), expected);
  } catch (error) {
    return [unreachableCheck(expected.database, error)];
  }
}

/** Returns the failed check of an unreachable database. */
export function unreachableCheck(database: string, error: unknown): Check {
  return { name: `grants of database ${database}`, ok: false, detail: errorText(error) };
}

export function checksOf(findings: readonly Finding[], { database, schemas }: GrantExpectation): Check[] {
  const checkOf = (name: string, schema: string | undefined): Check => {
    const own = findings.filter((finding) => finding.schema === schema);
    const detail = own.map(({ object, problem, hint }) => `${object} ${problem}; hint: ${hint}`).join("\n");
    return { name, ok: own.length === 0, detail: own.length === 0 ? "as planned" : detail };
  };
  return [
    checkOf(`grants of database ${database} and its roles`, undefined),
    ...[...schemas.keys()].map((name) => checkOf(`grants of schema ${name}`, name)),
  ];
}
