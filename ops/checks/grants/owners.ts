import { FUNCTIONS_SCHEMA } from "../../../infra/plan/grants.ts";
import { type GrantExpectation, kindInMatrix } from "./expectation.ts";
import { type GrantFinding, reporter } from "./finding.ts";
import type { DatabaseState, Owned, Relation, Routine } from "./databaseState.ts";
import { grant, quoted } from "./sql.ts";

/** Refuses views that read a private schema. */
const GUARD = "gatehouse_guard_private";

/** Returns findings for the owners of what is in the plan, and for what runs with its owner's rights. */
export function* ownerFindings(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  yield* schemaOwners(live, expected);
  for (const owned of live.owned) yield ownedByRequestRole(owned, expected);
  for (const relation of live.relations) yield* relationOwner(relation, live, expected);
  for (const routine of live.routines) yield* routineFindings(routine, expected);
  for (const relation of live.relations) yield* rowSecurity(relation, expected);
  yield* eventTriggers(live, expected);
}

function* schemaOwners({ schemas }: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  for (const { name, owner, access } of expected.schemas.values()) {
    const report = reporter(`schema ${quoted(name)}`, name);
    const found = schemas.find((schema) => schema.name === name);
    if (found === undefined) {
      yield report("outage", "does not exist", "run the deployment again");
    } else if (expected.existing && access !== "internal") {
      continue;
    } else if (found.owner !== owner && !expected.requestRoles.has(found.owner)) {
      const problem = `is owned by ${quoted(found.owner)}, not ${quoted(owner)}`;
      const hint = `ALTER SCHEMA ${quoted(name)} OWNER TO ${quoted(owner)};`;
      yield report(access === "internal" ? "takeover" : "exposure", problem, hint);
    }
  }
}

/** Returns the finding of an object that the anonymous role or the authenticator owns: an owner can change and drop it, and cannot be denied that. */
function ownedByRequestRole({ owner, type, name, schema }: Owned, expected: GrantExpectation): GrantFinding {
  const planned = expected.schemas.get(type === "schema" ? name : (schema ?? ""));
  const next = quoted(planned?.owner ?? expected.roles.administrator);
  const kind = kindInMatrix(type);
  // Planned privileges of an owner are part of its ownership.
  const privileges = kind === undefined ? [] : expected.privileges(owner, planned?.name, kind);
  const hint = `ALTER ${type.toUpperCase()} ${name} OWNER TO ${next};`;
  const again = kind && privileges.length > 0 ? ` ${grant(privileges, { kind, name, column: null }, owner)}` : "";
  return reporter(`${type} ${name}`, planned?.name)("takeover", `is owned by ${quoted(owner)}`, hint + again);
}

function* relationOwner(relation: Relation, live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const { kind, name, schema, owner, extension, attached } = relation;
  const planned = expected.schemas.get(schema);
  if (!planned || extension || attached || owner === planned.owner || expected.requestRoles.has(owner)) return;
  if (expected.writers.includes(owner) && planned.access === "exposed") return;
  if (expected.existing) {
    // The views meta_* may stay with the administrator.
    if (planned.access !== "exposed" || owner === expected.roles.administrator) return;
    const problem = `is owned by ${quoted(owner)}, which is not in data_api.writers: what it creates next is not readable`;
    yield reporter(`${kind} ${name}`, schema)("outage", problem, `add ${quoted(owner)} to data_api.writers`);
    return;
  }
  const role = live.roles.find((each) => each.name === owner);
  const isView = kind === "view" || kind === "materialized view";
  const powers = [...(role?.superuser ? ["SUPERUSER"] : []), ...(role?.bypassrls ? ["BYPASSRLS"] : [])];
  const reads = isView && powers.length > 0 ? ` (${powers.join(", ")}), and reads whatever that may` : "";
  const problem = `is owned by ${quoted(owner)}${reads}, not ${quoted(planned.owner)}`;
  const keyword = kind === "partitioned table" ? "TABLE" : kind.toUpperCase();
  const hint = `ALTER ${keyword} ${name} OWNER TO ${quoted(planned.owner)};`;
  const leaks = reads !== "" || planned.access === "private";
  yield reporter(`${kind} ${name}`, schema)(leaks ? "leak" : "exposure", problem, hint);
}

function* routineFindings(routine: Routine, expected: GrantExpectation): Iterable<GrantFinding> {
  const { kind, name, schema, owner, definer, pinned, reachable } = routine;
  const planned = expected.schemas.get(schema);
  const report = reporter(`${kind} ${name}`, planned?.name);
  const anonymous = quoted(expected.roles.anonymous);
  const keyword = kind.toUpperCase();
  const runs = `runs with the rights of ${quoted(owner)} (SECURITY DEFINER)`;
  // PUBLIC may call the functions of the schema `public` by default, as those of a schema that is not in the plan.
  if (planned === undefined || schema === "public") {
    const hint = `REVOKE EXECUTE ON ${keyword} ${name} FROM PUBLIC, ${anonymous};`;
    if (definer && reachable) yield report("takeover", `${runs}, and ${anonymous} may call it`, hint);
  } else if (!expected.privileges(expected.roles.anonymous, schema, "function").includes("EXECUTE")) {
    return;
  } else if (owner !== planned.owner && !expected.requestRoles.has(owner)) {
    const problem = `is owned by ${quoted(owner)}, not ${quoted(planned.owner)}, who can change what runs in requests`;
    yield report("takeover", problem, `ALTER ${keyword} ${name} OWNER TO ${quoted(planned.owner)};`);
  } else if (definer && !pinned) {
    const hint = `ALTER ${keyword} ${name} SET search_path = '';`;
    yield report("takeover", `${runs}, with the caller's search path`, hint);
  }
}

/** Finds row security that does something else than its author meant. */
function* rowSecurity(relation: Relation, { schemas, roles }: GrantExpectation): Iterable<GrantFinding> {
  const { kind, name, schema, secured, policies, readable } = relation;
  if (schemas.get(schema)?.access !== "exposed") return;
  const report = reporter(`${kind} ${name}`, schema);
  const anonymous = quoted(roles.anonymous);
  if (policies && !secured) {
    const problem = "has policies, but row security is off: every row is served";
    yield report("leak", problem, `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;`);
  } else if (secured && !readable) {
    // Its author may have hidden its rows on purpose.
    const hint = `if all its rows may be public: CREATE POLICY public_read ON ${name} FOR SELECT TO ${anonymous} USING (true); otherwise move it to another schema`;
    yield report("outage", `has row security and no policy for ${anonymous}: no rows are returned`, hint);
  }
}

function* eventTriggers(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const again = "run the migrations again (infra/data/sql)";
  for (const name of expected.eventTriggers) {
    const report = reporter(`event trigger ${name}`);
    const found = live.eventTriggers.find((trigger) => trigger.name === name);
    if (found === undefined) {
      // Otherwise a finding of enforcement.ts.
      if (!expected.superuser) continue;
      yield report("outage", "does not exist, so it does not run when the schema changes", again);
      continue;
    }
    const isGuard = name === GUARD;
    const enable = `ALTER EVENT TRIGGER ${name} ENABLE${isGuard ? " ALWAYS" : ""};`;
    if (!found.enabled) yield report("outage", "is disabled", enable);
    else if (isGuard && !found.always)
      yield report("exposure", "does not run in sessions with session_replication_role = replica", enable);
    for (const setting of live.eventTriggersOff) {
      const { where, hint } = switchOf(setting);
      yield report(isGuard ? "exposure" : "outage", `does not run: event_triggers is off ${where}`, hint);
    }
    if (found.schema === FUNCTIONS_SCHEMA) continue;
    yield report("takeover", `runs a function of schema ${quoted(found.schema)}, not ${FUNCTIONS_SCHEMA}`, again);
  }
}

/** Returns where no event trigger runs, and how they run again there. */
function switchOf({ server, role, database }: DatabaseState["eventTriggersOff"][number]) {
  if (server) {
    const hint = "remove event_triggers from the configuration of the server (ALTER SYSTEM RESET event_triggers)";
    return { where: "on the server", hint: `${hint}, and reload it` };
  }
  const [inDatabase, of] =
    database === null ? ["", ""] : [" in database ", " IN DATABASE "].map((text) => text + quoted(database));
  const where = `for ${role === null ? "all roles" : quoted(role)}${inDatabase}`;
  return { where, hint: `ALTER ROLE ${role === null ? "ALL" : quoted(role)}${of} RESET event_triggers;` };
}
