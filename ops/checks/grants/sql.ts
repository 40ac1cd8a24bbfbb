import { escapeIdentifier } from "pg";
import { PUBLIC } from "../../../infra/plan/grants.ts";
import { kindInMatrix } from "./expectation.ts";
import type { LivePrivilege } from "./databaseState.ts";

/** Keywords that are no name of a schema or a role without quotes (PostgreSQL docs, "SQL Key Words"). */
const RESERVED = new Set(
  `all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation column concurrently constraint
  create cross current_catalog current_date current_role current_schema current_time current_timestamp current_user default deferrable desc distinct
  do else end except false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral
  leading left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references
  returning right select session_user similar some symmetric system_user table tablesample then to trailing true union unique user using variadic
  verbose when where window with`.split(/\s+/u),
);

/** Returns a name in SQL, quoted only where it must be. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : escapeIdentifier(name);
}

/** Returns a role as it is written after TO, FROM or OF. */
export function roleName(role: string): string {
  return role === PUBLIC ? "PUBLIC" : quoted(role);
}

/** Returns a role as a sentence names it. */
export function granteeName(role: string): string {
  return role === PUBLIC ? "PUBLIC (all roles)" : quoted(role);
}

type Target = Pick<LivePrivilege, "kind" | "name" | "column">;

/** Returns the name of an object in messages: `view api_v1.sales`, `column api_v1.sales.price`. */
export function titleOf({ kind, name, column }: Target): string {
  return column === null ? `${kind} ${name}` : `${kind} ${name}.${column}`;
}

/** Returns privileges and their object: `SELECT (price) ON TABLE api_v1.sales`. */
function scope(privileges: readonly string[], { kind, name, column }: Target): string {
  const list = privileges.map((privilege) => (column === null ? privilege : `${privilege} (${column})`));
  return `${list.join(", ")} ON ${kindInMatrix(kind) === "table" ? "TABLE" : kind.toUpperCase()} ${name}`;
}

/** Returns the statement that grants privileges on an object or a column. */
export function grant(privileges: readonly string[], target: Target, role: string): string {
  return `GRANT ${scope(privileges, target)} TO ${roleName(role)};`;
}

/**
 * Returns the statement that revokes privileges. Only the grantor can revoke a privilege; an administrator does so as the object's owner, unless
 * another role granted it.
 */
export function revoke(privileges: readonly string[], live: LivePrivilege, option = ""): string {
  const cascade = live.grantable ? " CASCADE" : "";
  const statement = `REVOKE ${option}${scope(privileges, live)} FROM ${roleName(live.grantee)}${cascade};`;
  return live.grantor === live.owner ? statement : `SET ROLE ${quoted(live.grantor)}; ${statement} RESET ROLE;`;
}
