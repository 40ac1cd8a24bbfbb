import type { DefaultPrivilege } from "../../../infra/plan/types.ts";
import { type GrantExpectation, PUBLIC } from "./expectation.ts";
import type { Danger, Finding } from "./finding.ts";
import type { Live, LiveDefault } from "./live.ts";
import { granteeName, quoted, roleName } from "./sql.ts";

/** What the server gives everybody on each new object, unless an entry for everywhere says otherwise. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = { function: ["EXECUTE"], type: ["USAGE"] };

/** Differences in what objects will be given when they are created: nothing is open by them yet, but the next table is. */
export function defaultPrivilegeFindings({ defaults }: Live, expected: GrantExpectation): Finding[] {
  return [...unplannedDefaults(defaults, expected), ...missingDefaults(defaults, expected)];
}

function unplannedDefaults(defaults: readonly LiveDefault[], expected: GrantExpectation): Finding[] {
  return defaults.flatMap((entry) => {
    const { grantee, schema, kind } = entry;
    if (grantee === null || !concerns(entry, grantee, expected)) return [];
    const planned = plannedFor(entry, grantee, expected);
    const stray = entry.privileges.filter((privilege) => !planned.includes(privilege));
    if (stray.length === 0) return [];
    const problem = `each ${kind} that is created ${placeOf(schema)} gives ${granteeName(grantee)} ${stray.join(", ")}`;
    const hint = alter(entry, "REVOKE", stray, grantee);
    return [{ ...about(entry, expected), problem, hint, danger: dangerOf(entry, stray, expected) }];
  });
}

function concerns({ owner, schema }: LiveDefault, grantee: string, expected: GrantExpectation): boolean {
  const place = expected.schemas.get(schema ?? "");
  if (expected.visitors.has(grantee)) return true;
  if (grantee === expected.roles.administrator || grantee === place?.owner) return false;
  // An entry of the data owner for everywhere reaches the private schemas, too.
  return place?.access === "private" || (schema === null && owner === expected.roles.owner);
}

function plannedFor({ owner, schema, kind }: LiveDefault, grantee: string, expected: GrantExpectation) {
  const cell = expected.defaultPrivileges.find(
    (each) =>
      each.owner === owner && each.role === grantee && each.schema === (schema ?? undefined) && each.kind === kind,
  );
  return cell?.privileges ?? (schema === null && grantee === PUBLIC ? (BUILT_IN[kind] ?? []) : []);
}

function missingDefaults(defaults: readonly LiveDefault[], expected: GrantExpectation): Finding[] {
  return expected.defaultPrivileges.flatMap((cell) => {
    const found = defaults.filter(
      ({ owner, schema, kind }) => owner === cell.owner && schema === (cell.schema ?? null) && kind === cell.kind,
    );
    const actual = found.find(({ grantee }) => grantee === cell.role)?.privileges ?? [];
    const missing = cell.privileges.filter((privilege) => !actual.includes(privilege));
    const findings: Finding[] = [];
    const entry = { ...cell, schema: cell.schema ?? null };
    if (missing.length > 0) {
      const problem = `the next ${cell.kind} ${placeOf(entry.schema)} does not give ${granteeName(cell.role)} ${missing.join(", ")}`;
      const hint = alter(entry, "GRANT", missing, cell.role);
      findings.push({ ...about(entry, expected), problem, hint, danger: "outage" });
    }
    // Without any entry for everywhere, the server's own rule holds.
    const builtIn =
      cell.schema === undefined && cell.role === PUBLIC && found.length === 0 ? (BUILT_IN[cell.kind] ?? []) : [];
    const given = builtIn.filter((privilege) => !cell.privileges.includes(privilege));
    if (given.length > 0) {
      const problem = `each ${cell.kind} that is created ${placeOf(null)} gives ${granteeName(PUBLIC)} ${given.join(", ")}`;
      const hint = alter(entry, "REVOKE", given, PUBLIC);
      findings.push({ ...about(entry, expected), problem, hint, danger: "reach" });
    }
    return findings;
  });
}

type DefaultScope = Pick<LiveDefault, "owner" | "schema"> & {
  readonly kind: LiveDefault["kind"] | DefaultPrivilege["kind"];
};

function about({ owner, schema }: DefaultScope, { schemas }: GrantExpectation) {
  const object = `default privileges of ${quoted(owner)}${schema === null ? "" : ` in schema ${quoted(schema)}`}`;
  return { object, schema: schema !== null && schemas.has(schema) ? schema : undefined };
}

function placeOf(schema: string | null): string {
  return schema === null ? "anywhere" : `in ${quoted(schema)}`;
}

function alter(
  { owner, schema, kind }: DefaultScope,
  verb: "GRANT" | "REVOKE",
  privileges: readonly string[],
  role: string,
) {
  const place = schema === null ? "" : ` IN SCHEMA ${quoted(schema)}`;
  const change = `${verb} ${privileges.join(", ")} ON ${kind.toUpperCase()}S ${verb === "GRANT" ? "TO" : "FROM"} ${roleName(role)}`;
  return `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoted(owner)}${place} ${change};`;
}

function dangerOf({ schema }: LiveDefault, stray: readonly string[], { schemas }: GrantExpectation): Danger {
  if (stray.some((privilege) => !["SELECT", "USAGE", "EXECUTE"].includes(privilege))) return "write";
  return schema === null || schemas.get(schema)?.access === "private" ? "leak" : "reach";
}
