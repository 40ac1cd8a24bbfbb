import { escapeIdentifier } from "pg";
import { PUBLIC } from "./expectation.ts";
import type { LivePrivilege } from "./live.ts";

/** A name as SQL takes it, quoted only where it must be. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : escapeIdentifier(name);
}

/** A role after TO, FROM or OF. */
export function roleName(role: string): string {
  return role === PUBLIC ? "PUBLIC" : quoted(role);
}

/** A role in a sentence. */
export function granteeName(role: string): string {
  return role === PUBLIC ? "everybody (PUBLIC)" : quoted(role);
}

type Target = Pick<LivePrivilege, "kind" | "name" | "column">;

/** How messages name an object: `view api_v1.sales`, `column api_v1.sales.price`. */
export function titleOf({ kind, name, column }: Target): string {
  return column === null ? `${kind} ${name}` : `${kind} ${name}.${column}`;
}

const KEYWORDS: Readonly<Partial<Record<LivePrivilege["kind"], string>>> = {
  view: "TABLE",
  column: "TABLE",
  "materialized view": "TABLE",
  "foreign table": "TABLE",
  "partitioned table": "TABLE",
};

function listOf(privileges: readonly string[], column: string | null): string {
  return privileges.map((privilege) => (column === null ? privilege : `${privilege} (${column})`)).join(", ");
}

function on({ kind, name }: Target): string {
  return `${KEYWORDS[kind] ?? kind.toUpperCase()} ${name}`;
}

export function grant(privileges: readonly string[], target: Target, role: string): string {
  return `GRANT ${listOf(privileges, target.column)} ON ${on(target)} TO ${roleName(role)};`;
}

/** Only the grantor can revoke a privilege; an administrator does so as the object's owner, unless another role granted it. */
export function revoke(
  privileges: readonly string[],
  live: LivePrivilege,
  option: "" | "GRANT OPTION FOR " = "",
): string {
  const what = `${option}${listOf(privileges, live.column)} ON ${on(live)} FROM ${roleName(live.grantee)}`;
  const statement = `REVOKE ${what}${live.grantable ? " CASCADE" : ""};`;
  return live.grantor === live.owner ? statement : `SET ROLE ${quoted(live.grantor)}; ${statement} RESET ROLE;`;
}
