import type { Grant } from "../../../infra/plan/types.ts";
import { PUBLIC } from "../../../infra/plan/grants.ts";
import { CHANGING, type GrantExpectation, kindInMatrix } from "./expectation.ts";
import { type Danger, type GrantFinding, reporter } from "./finding.ts";
import { type DatabaseState, isUnusable, type LivePrivilege } from "./databaseState.ts";
import { rolesOf } from "./roles.ts";
import { grant, granteeName, quoted, revoke, titleOf } from "./sql.ts";

/** Kinds with which the server itself is changed, or programs and files are reached. */
const POWERFUL = new Set<LivePrivilege["kind"]>(["parameter", "language", "foreign data wrapper", "foreign server"]);
const SYSTEM = new Set(["pg_catalog", "information_schema", "pg_toast"]);

/** Privileges beyond the matrix or beyond what the server gives by itself. */
export function* unplannedPrivileges(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const superusers = new Set(live.roles.filter(({ superuser }) => superuser).map(({ name }) => name));
  for (const entry of live.privileges) {
    // A superuser needs no grant.
    if (superusers.has(entry.grantee) || !concerns(entry, live, expected) || isOrdinary(entry, live, expected))
      continue;
    const planned = new Set(plannedFor(entry, expected));
    const [stray, kept] = [false, true].map((is) => entry.privileges.filter((each) => planned.has(each) === is));
    const report = reporter(titleOf(entry), expected.schemas.get(entry.schema ?? "")?.name);
    const who = granteeName(entry.grantee);
    if (stray?.length) {
      const rights = runsAsOwner(entry, live);
      // PostgREST calls a function of an exposed schema as a column of its argument's relation, too, in any request for rows.
      const danger = dangerOf(entry, stray, expected);
      const problem = `${who} has ${stray.join(", ")}${rights}`;
      yield report(rights !== "" && danger === "exposure" ? "leak" : danger, problem, revoke(stray, entry));
    }
    if (kept?.length && entry.grantable && entry.grantee !== expected.roles.owner) {
      yield report(
        "exposure",
        `${who} may give ${kept.join(", ")} to others`,
        revoke(kept, entry, "GRANT OPTION FOR "),
      );
    }
  }
}

/**
 * Returns whether a privilege counts: every one of the roles of a request; of other roles, what opens a private schema, changes rows or runs code in a
 * planned one, or reaches an internal one.
 */
function concerns(entry: LivePrivilege, live: DatabaseState, expected: GrantExpectation): boolean {
  const { grantee, kind } = entry;
  const schema = expected.schemas.get(entry.schema ?? "");
  const { owner, administrator } = expected.roles;
  if (expected.requestRoles.has(grantee)) return true;
  if (grantee === administrator || grantee === schema?.owner) return false;
  if (schema !== undefined) {
    // What other programs of an existing database may do is theirs, and default privileges of the administrator open nothing without its schema.
    if (expected.existing && (schema.access !== "internal" || !mayUse(grantee, schema.name, live))) return false;
    return entry.privileges.some((privilege) => !expected.tolerates(grantee, schema, kind, privilege));
  }
  // Views of the API read with the data owner's rights.
  return grantee === owner && SYSTEM.has(entry.schema ?? "") && kindInMatrix(kind) === "table";
}

/** Returns whether a role has USAGE of a schema, or can get it. */
function mayUse(role: string, schema: string, live: DatabaseState): boolean {
  const roles = new Set([PUBLIC, ...rolesOf(role, live, false)]);
  return live.privileges.some(
    ({ kind, schema: of, grantee, privileges }) =>
      kind === "schema" && of === schema && roles.has(grantee) && privileges.includes("USAGE"),
  );
}

/**
 * Returns whether PUBLIC has a privilege in an existing database with which no request reaches anything by name: programs of that database need it.
 * A function with SECURITY DEFINER counts wherever it is, and a table of a planned schema even if no request may use the schema. What an exposed view
 * reads with such a privilege is a finding of closure.ts.
 */
function isOrdinary(entry: LivePrivilege, live: DatabaseState, { existing, schemas }: GrantExpectation): boolean {
  if (!existing || entry.grantee !== PUBLIC || entry.schema === null || runsAsOwner(entry, live) !== "") return false;
  const unusable = isUnusable(live, entry.schema);
  const access = schemas.get(entry.schema)?.access;
  if (access === undefined) return unusable || (entry.kind === "schema" && !entry.privileges.includes("CREATE"));
  if (access !== "private" && access !== "hidden") return false;
  return entry.initial || (unusable && kindInMatrix(entry.kind) === "function");
}

function plannedFor(entry: LivePrivilege, expected: GrantExpectation): readonly string[] {
  const { grantee, name } = entry;
  if (entry.kind === "parameter" && grantee === expected.roles.anonymous && expected.parameters.includes(name)) {
    return ["SET"];
  }
  const kind = kindInMatrix(entry.kind);
  if (kind === undefined || (kind === "database" && !entry.planned)) return [];
  if (kind === "database" && expected.existing && grantee === PUBLIC) return ["CONNECT", "TEMPORARY"];
  const planned = expected.privileges(grantee, entry.schema ?? undefined, kind);
  const schema = expected.schemas.get(entry.schema ?? "");
  if (schema === undefined || expected.requestRoles.has(grantee)) return planned;
  return [...planned, ...entry.privileges.filter((each) => expected.tolerates(grantee, schema, entry.kind, each))];
}

function runsAsOwner({ kind, name }: LivePrivilege, { routines }: DatabaseState): string {
  const routine = kindInMatrix(kind) === "function" && routines.find((each) => each.name === name);
  if (!routine || !routine.definer) return "";
  return `, and it runs with the rights of ${quoted(routine.owner)} (SECURITY DEFINER)`;
}

function dangerOf(entry: LivePrivilege, stray: readonly string[], { schemas }: GrantExpectation): Danger {
  const isSystem = SYSTEM.has(entry.schema ?? "");
  if (stray.includes("CREATE") || POWERFUL.has(entry.kind) || (isSystem && entry.kind !== "schema")) return "takeover";
  if (stray.some((privilege) => CHANGING.has(privilege))) return "write";
  const access = schemas.get(entry.schema ?? "")?.access;
  return access === "private" || access === "hidden" ? "leak" : "exposure";
}

/** Privileges of the matrix that an object lacks, e.g. because another role than the owner created it. */
export function* missingPrivileges(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const key = (...parts: readonly (string | null | undefined)[]) => JSON.stringify(parts);
  const actual = new Set(
    live.privileges.flatMap(({ kind, column, name, schema, grantee, privileges, planned }) => {
      if (column !== null || !(planned || kind === "parameter")) return [];
      const of = kind === "database" ? expected.database : kind === "schema" ? schema : name;
      return privileges.map((privilege) => key(kindInMatrix(kind) ?? kind, of, grantee, privilege));
    }),
  );
  for (const cell of [...expected.grants, ...(expected.superuser ? parameterCells(expected) : [])]) {
    for (const { kind, name, owner } of objectsOf(cell, live, expected)) {
      // In an existing database, PUBLIC may keep what it has.
      const grantees = expected.existing ? [cell.role, PUBLIC] : [cell.role];
      const lacks = (privilege: string) => !grantees.some((role) => actual.has(key(cell.kind, name, role, privilege)));
      const missing = owner === cell.role ? [] : cell.privileges.filter(lacks);
      if (missing.length === 0) continue;
      const target = { kind, name: kind === "database" || kind === "schema" ? quoted(name) : name, column: null };
      const problem = `${granteeName(cell.role)} lacks ${missing.join(", ")}`;
      const statement = grant(missing, target, cell.role);
      // A relation may have been moved into the schema, or restricted by hand.
      const hint =
        cell.kind === "table" && expected.requestRoles.has(cell.role)
          ? `if all its rows and columns may be public: ${statement} otherwise move it to another schema`
          : statement;
      yield reporter(titleOf(target), cell.schema)("outage", problem, hint);
    }
  }
}

interface Cell extends Pick<Grant, "role" | "schema" | "privileges"> {
  readonly kind: Grant["kind"] | "parameter";
  readonly name?: string;
}

function parameterCells({ parameters, roles }: GrantExpectation): Cell[] {
  const cell = { role: roles.anonymous, schema: undefined, kind: "parameter", privileges: ["SET"] } as const;
  return parameters.map((name) => ({ ...cell, name }));
}

interface Named {
  readonly kind: LivePrivilege["kind"];
  readonly name: string;
  readonly owner?: string;
}

/** Returns the objects of a cell of the matrix; databases and schemas by their bare names. `ALL FUNCTIONS` leaves procedures out. */
function objectsOf(
  { schema, kind, name = "" }: Cell,
  live: DatabaseState,
  { database }: GrantExpectation,
): readonly Named[] {
  if (kind === "database" || kind === "parameter") return [{ kind, name: kind === "database" ? database : name }];
  if (kind === "schema") return live.schemas.filter((one) => one.name === schema).map((one) => ({ kind, ...one }));
  const objects = [...live.routines.filter((one) => one.kind === "function"), ...live.relations];
  return objects.filter((object) => object.schema === schema && kindInMatrix(object.kind) === kind);
}
