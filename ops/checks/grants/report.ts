import type { ClientBase } from "pg";
import { errorText } from "../../../config/errors/errorText.ts";
import { type Check, skip } from "../check.ts";
import type { GrantExpectation } from "./expectation.ts";
import type { GrantFinding } from "./finding.ts";
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

const UNENFORCED = "docs/existing-database.md lists each protection, and what to do without it";

/** Returns the failed check of an unreachable database. */
export function unreachableCheck(database: string, error: unknown): Check {
  return { name: `grants of database ${database}`, ok: false, detail: errorText(error) };
}

/** Returns one check for each planned schema and one for what is in none, with the findings as detail; and a skipped one for what is not enforced. */
export function checksOf(findings: readonly GrantFinding[], { database, schemas }: GrantExpectation): Check[] {
  const { warning: unenforced = [], error: differences = [] } = Object.groupBy(findings, ({ severity }) => severity);
  const text = ({ subject, message, hint }: GrantFinding): string => `${subject} ${message}; hint: ${hint}`;
  const checkOf = (name: string, schema: string | undefined): Check => {
    const own = differences.filter((finding) => finding.schema === schema);
    const detail = own.map(text).join("\n");
    return { name, ok: own.length === 0, detail: own.length === 0 ? "as planned" : detail };
  };
  const title = `protections of database ${database} that need a superuser`;
  return [
    checkOf(`grants of database ${database} and its roles`, undefined),
    ...[...schemas.keys()].map((name) => checkOf(`grants of schema ${name}`, name)),
    ...(unenforced.length === 0 ? [] : [skip(title, unenforced.map(text).join("\n"), UNENFORCED)]),
  ];
}
