import Table from "cli-table3";
import { Client, type ClientConfig } from "pg";
import type { Check } from "../verify/check.ts";
import type { GrantExpectation } from "./expectation.ts";
import type { Finding } from "./finding.ts";
import { proveGrants } from "./proof.ts";

/** Findings for people: object, fault and cure, the most dangerous on top. Empty for none. */
export function describeFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const table = new Table({
    head: ["danger", "object", "fault", "cure"],
    colWidths: [10, 34, 50, 60],
    wordWrap: true,
    wrapOnWordBoundary: false,
    style: { head: [], border: [] },
  });
  for (const { danger, object, fault, cure } of findings) table.push([danger, object, fault, cure]);
  return `${table.toString()}\n`;
}

/**
 * The proof of grants as checks: one per planned schema, and one for the database and its roles.
 * @param connection of the administrator to the planned database
 */
export async function checkGrants(connection: ClientConfig, expected: GrantExpectation): Promise<Check[]> {
  const client = new Client(connection);
  // A connection that breaks while nothing runs would end the process; the next query tells of it.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return checksOf(await proveGrants(client, expected), expected);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ name: `grants of database ${expected.database}`, ok: false, detail }];
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function checksOf(findings: readonly Finding[], { database, schemas }: GrantExpectation): Check[] {
  const checkOf = (name: string, schema: string | undefined): Check => {
    const own = findings.filter((finding) => finding.schema === schema);
    const detail = own.map(({ object, fault, cure }) => `${object} ${fault}; cure: ${cure}`).join("\n");
    return { name, ok: own.length === 0, detail: own.length === 0 ? "as planned" : detail };
  };
  return [
    checkOf(`grants of database ${database} and its roles`, undefined),
    ...[...schemas.keys()].map((name) => checkOf(`grants of schema ${name}`, name)),
  ];
}
