import type { Grant, ObjectKind } from "../../../infra/plan/types.ts";
import type { GrantExpectation } from "./expectation.ts";
import type { Danger, Finding } from "./finding.ts";
import type { Live, LivePrivilege } from "./live.ts";
import { grant, granteeName, quoted, revoke, titleOf } from "./sql.ts";

/** Privileges with which rows are changed, or code is added that runs when another role changes them. */
const CHANGING = new Set(["INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "MAINTAIN"]);
/** Kinds with which the server itself is changed, or programs and files are reached. */
const POWERFUL = new Set<LivePrivilege["kind"]>(["parameter", "language", "foreign data wrapper", "foreign server"]);
const SYSTEM = new Set(["pg_catalog", "information_schema", "pg_toast"]);

/** Privileges that go beyond the matrix or beyond what the server gives by itself. */
export function unplannedPrivileges(live: Live, expected: GrantExpectation): Finding[] {
  const superusers = new Set(live.roles.filter(({ superuser }) => superuser).map(({ name }) => name));
  return live.privileges.flatMap((entry) => {
    // No grant means anything to a superuser.
    if (superusers.has(entry.grantee) || !concerns(entry, expected)) return [];
    const planned = plannedFor(entry, expected);
    const stray = entry.privileges.filter((privilege) => !planned.includes(privilege));
    const kept = entry.privileges.filter((privilege) => planned.includes(privilege));
    const about = { object: titleOf(entry), schema: plannedSchema(entry, expected) };
    const who = granteeName(entry.grantee);
    const findings: Finding[] = [];
    if (stray.length > 0) {
      const problem = `${who} has ${stray.join(", ")}${runsAsOwner(entry, live)}`;
      findings.push({ ...about, problem, hint: revoke(stray, entry), danger: dangerOf(entry, stray, expected) });
    }
    if (kept.length > 0 && entry.grantable && entry.grantee !== expected.roles.owner) {
      const problem = `${who} may give ${kept.join(", ")} to others`;
      findings.push({ ...about, problem, hint: revoke(kept, entry, "GRANT OPTION FOR "), danger: "reach" });
    }
    return findings;
  });
}

/** As whom a request acts, everything counts. Of the others, what opens a private schema and what plants objects in a planned one. */
function concerns(entry: LivePrivilege, expected: GrantExpectation): boolean {
  const { grantee, kind, privileges } = entry;
  const schema = expected.schemas.get(entry.schema ?? "");
  const { owner, administrator } = expected.roles;
  if (expected.visitors.has(grantee)) return true;
  if (grantee === administrator || grantee === schema?.owner) return false;
  if (schema?.access === "private") return true;
  if (schema !== undefined && kind === "schema") return privileges.includes("CREATE");
  // Views of the API read with the data owner's rights.
  return grantee === owner && SYSTEM.has(entry.schema ?? "") && kindInMatrix(kind) === "table";
}

function plannedFor(entry: LivePrivilege, expected: GrantExpectation): readonly string[] {
  const { grantee, name } = entry;
  if (entry.kind === "parameter" && grantee === expected.roles.anonymous && expected.parameters.includes(name)) {
    return ["SET"];
  }
  const kind = kindInMatrix(entry.kind);
  if (kind === undefined || (kind === "database" && !entry.planned)) return [];
  const planned = expected.privileges(entry.grantee, entry.schema ?? undefined, kind);
  // What another role may see of a schema that is not private is its own affair; CREATE never is.
  const isOpen = kind === "schema" && expected.schemas.get(entry.schema ?? "")?.access !== "private";
  return isOpen && !expected.visitors.has(entry.grantee) ? [...planned, "USAGE"] : planned;
}

/** The kind of a matrix cell that an object of this kind belongs to. */
export function kindInMatrix(kind: string): ObjectKind | undefined {
  switch (kind) {
    case "table":
    case "view":
    case "materialized view":
    case "foreign table":
    case "partitioned table":
    case "column":
      return "table";
    case "function":
    case "procedure":
      return "function";
    case "database":
    case "schema":
    case "sequence":
      return kind;
    default:
      return undefined;
  }
}

function plannedSchema({ schema }: LivePrivilege, expected: GrantExpectation): string | undefined {
  return schema !== null && expected.schemas.has(schema) ? schema : undefined;
}

function runsAsOwner({ kind, name }: LivePrivilege, { routines }: Live): string {
  const routine = kindInMatrix(kind) === "function" ? routines.find((each) => each.name === name) : undefined;
  return routine?.definer === true
    ? `, and it runs with the rights of ${quoted(routine.owner)} (SECURITY DEFINER)`
    : "";
}

function dangerOf(entry: LivePrivilege, stray: readonly string[], { schemas }: GrantExpectation): Danger {
  const isSystem = SYSTEM.has(entry.schema ?? "");
  if (stray.includes("CREATE") || POWERFUL.has(entry.kind) || (isSystem && entry.kind !== "schema")) return "takeover";
  if (stray.some((privilege) => CHANGING.has(privilege))) return "write";
  return schemas.get(entry.schema ?? "")?.access === "private" ? "leak" : "reach";
}

/** Privileges of the matrix that an object lacks, e.g. because another role than the owner created it. */
export function missingPrivileges(live: Live, expected: GrantExpectation): Finding[] {
  return [...missingCells(live, expected), ...missingParameters(live, expected)];
}

function missingParameters({ privileges }: Live, { parameters, roles: { anonymous } }: GrantExpectation): Finding[] {
  const actual = privileges.filter((entry) => entry.kind === "parameter" && entry.grantee === anonymous);
  return parameters
    .filter((name) => !actual.some((entry) => entry.name === name && entry.privileges.includes("SET")))
    .map((name) => {
      const target = { kind: "parameter" as const, name, column: null };
      const hint = grant(["SET"], target, anonymous);
      const problem = `${granteeName(anonymous)} lacks SET`;
      return { object: titleOf(target), schema: undefined, problem, hint, danger: "outage" };
    });
}

function missingCells(live: Live, expected: GrantExpectation): Finding[] {
  const actual = new Set(
    live.privileges
      .filter(({ column, planned }) => column === null && planned)
      .flatMap(({ kind, name, schema, grantee, privileges }) => {
        const of = kind === "database" ? expected.database : kind === "schema" ? schema : name;
        return privileges.map((privilege) => JSON.stringify([kindInMatrix(kind), of, grantee, privilege]));
      }),
  );
  return expected.grants.flatMap((cell) =>
    objectsOf(cell, live, expected).flatMap(({ kind, name, owner }) => {
      const has = (privilege: string) => actual.has(JSON.stringify([cell.kind, name, cell.role, privilege]));
      const missing = owner === cell.role ? [] : cell.privileges.filter((privilege) => !has(privilege));
      if (missing.length === 0) return [];
      const isQualified = kind !== "database" && kind !== "schema";
      const target = { kind, name: isQualified ? name : quoted(name), column: null };
      const problem = `${granteeName(cell.role)} lacks ${missing.join(", ")}`;
      const hint = grant(missing, target, cell.role);
      return [{ object: titleOf(target), schema: cell.schema, problem, hint, danger: "outage" as const }];
    }),
  );
}

interface Named {
  readonly kind: LivePrivilege["kind"];
  readonly name: string;
  readonly owner: string | undefined;
}

/** What a cell of the matrix reaches; databases and schemas by their bare names. `ALL FUNCTIONS` leaves procedures out. */
function objectsOf({ schema, kind }: Grant, live: Live, { database }: GrantExpectation): readonly Named[] {
  switch (kind) {
    case "database":
      return [{ kind, name: database, owner: undefined }];
    case "schema":
      return live.schemas.filter(({ name }) => name === schema).map(({ name, owner }) => ({ kind, name, owner }));
    case "function":
      return live.routines.filter((routine) => routine.schema === schema && routine.kind === "function");
    case "table":
    case "sequence":
      return live.relations.filter(
        (relation) => relation.schema === schema && (relation.kind === "sequence") === (kind === "sequence"),
      );
  }
}
