import type { DefaultPrivilege } from "../../../infra/plan/types.ts";
import { PUBLIC } from "../../../infra/plan/grants.ts";
import { CHANGING, type GrantExpectation } from "./expectation.ts";
import { type Danger, type GrantFinding, reporter } from "./finding.ts";
import { type DatabaseState, isUnusable, type LiveDefault } from "./databaseState.ts";
import { granteeName, quoted, roleName } from "./sql.ts";

/** What the server gives to PUBLIC on each new object, unless there is an entry for all schemas. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = { function: ["EXECUTE"], type: ["USAGE"] };

/** Differences in the privileges of objects that will be created: nothing is open by them yet, but the next table is. */
export function* defaultPrivilegeFindings(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const { defaults } = live;
  for (const entry of defaults) {
    const { grantee, schema } = entry;
    if (grantee === null || !concerns(entry, grantee, expected, live)) continue;
    const planned = plannedFor(entry, grantee, expected);
    const stray = entry.privileges.filter(
      (privilege) => !planned.includes(privilege) && !isTolerated(entry, grantee, privilege, expected),
    );
    if (stray.length > 0) yield strayFinding(entry, grantee, stray, dangerOf(schema, stray, expected), expected);
  }
  for (const { role, privileges, ...cell } of expected.defaultPrivileges) {
    const scope = { ...cell, schema: cell.schema ?? null };
    const found = defaults.filter((one) =>
      (["owner", "schema", "kind"] as const).every((key) => one[key] === scope[key]),
    );
    const actual = found.find(({ grantee }) => grantee === role)?.privileges ?? [];
    const missing = privileges.filter((privilege) => !actual.includes(privilege));
    if (missing.length > 0) {
      const problem = `the next ${cell.kind} ${whereText(scope)} does not give ${granteeName(role)} ${missing.join(", ")}`;
      yield report(scope, expected)("outage", problem, alter(scope, "GRANT", missing, `TO ${roleName(role)}`));
    }
    // Without an entry for all schemas, what the server gives by itself applies.
    const isBuiltIn = scope.schema === null && role === PUBLIC && found.length === 0;
    const given = (isBuiltIn ? BUILT_IN[cell.kind] : undefined)?.filter((privilege) => !privileges.includes(privilege));
    if (given?.length) yield strayFinding(scope, PUBLIC, given, "exposure", expected);
  }
}

function concerns(
  { owner, schema }: LiveDefault,
  grantee: string,
  expected: GrantExpectation,
  live: DatabaseState,
): boolean {
  const planned = expected.schemas.get(schema ?? "");
  // As for what exists in the schema (privileges.ts).
  if (expected.existing && grantee === PUBLIC && planned === undefined && isUnusable(live, schema)) return false;
  if (expected.requestRoles.has(grantee)) return true;
  if (grantee === expected.roles.administrator || grantee === planned?.owner) return false;
  // Other roles of an existing database share what is theirs.
  if (expected.existing) return planned?.access === "internal" || (schema === null && owner === expected.roles.owner);
  const { administrator, owner: dataOwner } = expected.roles;
  return planned !== undefined || (schema === null && [dataOwner, administrator, ...expected.writers].includes(owner));
}

/** Returns whether another role may get a privilege: what changes neither rows nor code that runs. */
function isTolerated(
  { owner, schema, kind }: LiveDefault,
  grantee: string,
  privilege: string,
  expected: GrantExpectation,
): boolean {
  if (expected.requestRoles.has(grantee)) return false;
  const planned = expected.schemas.get(schema ?? "");
  if (planned !== undefined) return expected.tolerates(grantee, planned, kind, privilege);
  // An entry of the data owner for all schemas includes the private ones.
  return owner !== expected.roles.owner && (expected.writers.includes(grantee) || !CHANGING.has(privilege));
}

function plannedFor({ owner, schema, kind }: LiveDefault, grantee: string, expected: GrantExpectation) {
  const cell = expected.defaultPrivileges.find(
    (each) =>
      each.owner === owner && each.role === grantee && each.schema === (schema ?? undefined) && each.kind === kind,
  );
  return cell?.privileges ?? (schema === null && grantee === PUBLIC ? (BUILT_IN[kind] ?? []) : []);
}

/** Whose objects, in which schema (null = all), of which kind. */
interface Scope extends Pick<LiveDefault, "owner" | "schema"> {
  readonly kind: LiveDefault["kind"] | DefaultPrivilege["kind"];
}

function strayFinding(
  scope: Scope,
  role: string,
  stray: readonly string[],
  danger: Danger,
  expected: GrantExpectation,
): GrantFinding {
  const problem = `each ${scope.kind} that is created ${whereText(scope)} gives ${granteeName(role)} ${stray.join(", ")}`;
  return report(scope, expected)(danger, problem, alter(scope, "REVOKE", stray, `FROM ${roleName(role)}`));
}

function report({ owner, schema }: Scope, { schemas }: GrantExpectation) {
  const inSchema = schema === null ? "" : ` in schema ${quoted(schema)}`;
  return reporter(`default privileges of ${quoted(owner)}${inSchema}`, schemas.get(schema ?? "")?.name);
}

function whereText({ schema }: Scope): string {
  return schema === null ? "anywhere" : `in ${quoted(schema)}`;
}

function alter({ owner, schema, kind }: Scope, verb: string, privileges: readonly string[], role: string): string {
  const inSchema = schema === null ? "" : ` IN SCHEMA ${quoted(schema)}`;
  const change = `${verb} ${privileges.join(", ")} ON ${kind.toUpperCase()}S ${role}`;
  return `ALTER DEFAULT PRIVILEGES FOR ROLE ${quoted(owner)}${inSchema} ${change};`;
}

function dangerOf(schema: string | null, stray: readonly string[], { schemas }: GrantExpectation): Danger {
  if (stray.some((privilege) => !["SELECT", "USAGE", "EXECUTE"].includes(privilege))) return "write";
  const access = schemas.get(schema ?? "")?.access;
  return schema === null || access === "private" || access === "hidden" ? "leak" : "exposure";
}
