import { FUNCTIONS_SCHEMA, type GrantExpectation } from "./expectation.ts";
import type { Danger, Finding } from "./finding.ts";
import type { Live, Relation, Routine } from "./live.ts";
import { kindInMatrix } from "./privileges.ts";
import { grant, quoted } from "./sql.ts";

/** Who owns what the plan names, and what runs with its owner's rights. */
export function ownerFindings(live: Live, expected: GrantExpectation): Finding[] {
  return [
    ...schemaOwners(live, expected),
    ...ownedByVisitors(live, expected),
    ...live.relations.flatMap((relation) => relationOwner(relation, live, expected)),
    ...live.routines.flatMap((routine) => routineFindings(routine, expected)),
    ...live.relations.flatMap((relation) => rowSecurity(relation, expected)),
    ...eventTriggers(live, expected),
  ];
}

function schemaOwners({ schemas }: Live, expected: GrantExpectation): Finding[] {
  return [...expected.schemas.values()].flatMap(({ name, owner, access }): Finding[] => {
    const found = schemas.find((schema) => schema.name === name);
    const object = `schema ${quoted(name)}`;
    if (found === undefined) {
      return [{ object, schema: name, problem: "does not exist", hint: "run the deployment again", danger: "outage" }];
    }
    if (found.owner === owner || expected.visitors.has(found.owner)) return [];
    const problem = `is owned by ${quoted(found.owner)}, not ${quoted(owner)}`;
    const hint = `ALTER SCHEMA ${quoted(name)} OWNER TO ${quoted(owner)};`;
    return [{ object, schema: name, problem, hint, danger: access === "internal" ? "takeover" : "reach" }];
  });
}

/** The anonymous role and the authenticator own nothing: an owner changes and drops, and cannot be denied that. */
function ownedByVisitors({ owned }: Live, expected: GrantExpectation): Finding[] {
  return owned.map(({ owner, type, name, schema }) => {
    const planned = expected.schemas.get(type === "schema" ? name : (schema ?? ""));
    const next = quoted(planned?.owner ?? expected.roles.administrator);
    const kind = kindInMatrix(type);
    // What the plan gives it went into what it owned.
    const privileges = kind === undefined ? [] : expected.privileges(owner, planned?.name, kind);
    const again =
      kind === undefined || privileges.length === 0 ? "" : ` ${grant(privileges, { kind, name, column: null }, owner)}`;
    const hint = `ALTER ${type.toUpperCase()} ${name} OWNER TO ${next};${again}`;
    const problem = `is owned by ${quoted(owner)}`;
    return { object: `${type} ${name}`, schema: planned?.name, problem, hint, danger: "takeover" };
  });
}

function relationOwner(
  { kind, name, schema, owner, extension, attached }: Relation,
  live: Live,
  expected: GrantExpectation,
): Finding[] {
  const planned = expected.schemas.get(schema);
  if (planned === undefined || extension || attached || owner === planned.owner || expected.visitors.has(owner))
    return [];
  const role = live.roles.find((each) => each.name === owner);
  const isView = kind === "view" || kind === "materialized view";
  const powers = [role?.superuser === true ? "SUPERUSER" : "", role?.bypassrls === true ? "BYPASSRLS" : ""].filter(
    Boolean,
  );
  const reads = isView && powers.length > 0 ? ` (${powers.join(", ")}), and reads whatever that may` : "";
  const problem = `is owned by ${quoted(owner)}${reads}, not ${quoted(planned.owner)}`;
  const hint = `ALTER ${kind === "partitioned table" ? "TABLE" : kind.toUpperCase()} ${name} OWNER TO ${quoted(planned.owner)};`;
  const leaks = reads !== "" || planned.access === "private";
  return [{ object: `${kind} ${name}`, schema, problem, hint, danger: leaks ? "leak" : "reach" }];
}

function routineFindings(routine: Routine, expected: GrantExpectation): Finding[] {
  const { kind, name, schema, owner } = routine;
  const planned = expected.schemas.get(schema);
  const report = (problem: string, hint: string, danger: Danger): Finding[] => [
    { object: `${kind} ${name}`, schema: planned?.name, problem, hint, danger },
  ];
  const { anonymous } = expected.roles;
  const keyword = kind.toUpperCase();
  if (planned === undefined) {
    if (!routine.definer || !routine.reachable) return [];
    const problem = `runs with the rights of ${quoted(owner)} (SECURITY DEFINER), and ${quoted(anonymous)} may call it`;
    return report(problem, `REVOKE EXECUTE ON ${keyword} ${name} FROM PUBLIC, ${quoted(anonymous)};`, "takeover");
  }
  if (!expected.privileges(anonymous, schema, "function").includes("EXECUTE")) return [];
  if (owner !== planned.owner && !expected.visitors.has(owner)) {
    const problem = `is owned by ${quoted(owner)}, not ${quoted(planned.owner)}, who can change what runs in requests`;
    return report(problem, `ALTER ${keyword} ${name} OWNER TO ${quoted(planned.owner)};`, "takeover");
  }
  if (!routine.definer || routine.pinned) return [];
  const problem = `runs with the rights of ${quoted(owner)} (SECURITY DEFINER), in the search path of whom calls it`;
  return report(problem, `ALTER ${keyword} ${name} SET search_path = '';`, "takeover");
}

/** Row security that does something else than its author meant. */
function rowSecurity(
  { kind, name, schema, secured, policies, readable }: Relation,
  expected: GrantExpectation,
): Finding[] {
  if (expected.schemas.get(schema)?.access !== "exposed") return [];
  const object = `${kind} ${name}`;
  if (policies && !secured) {
    const problem = "has policies, but row security is off: every row is served";
    return [{ object, schema, problem, hint: `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;`, danger: "leak" }];
  }
  if (!secured || readable) return [];
  const { anonymous } = expected.roles;
  const problem = `has row security and no policy for ${quoted(anonymous)}: it looks empty`;
  const hint = `CREATE POLICY public_read ON ${name} FOR SELECT TO ${quoted(anonymous)} USING (true);`;
  return [{ object, schema, problem, hint, danger: "outage" }];
}

function eventTriggers(live: Live, expected: GrantExpectation): Finding[] {
  return expected.eventTriggers.flatMap((name): Finding[] => {
    const object = `event trigger ${name}`;
    const about = { object, schema: undefined, danger: "outage" as const };
    const found = live.eventTriggers.find((trigger) => trigger.name === name);
    if (found === undefined) {
      const hint = "run the migrations again (infra/data/sql)";
      return [{ ...about, problem: "does not exist: what it does on a change of the schema is not done", hint }];
    }
    const findings: Finding[] = [];
    if (!found.enabled) {
      findings.push({ ...about, problem: "is disabled", hint: `ALTER EVENT TRIGGER ${name} ENABLE;` });
    }
    if (found.schema !== FUNCTIONS_SCHEMA) {
      const problem = `runs a function of schema ${quoted(found.schema)}, not ${FUNCTIONS_SCHEMA}`;
      findings.push({ ...about, problem, hint: "run the migrations again (infra/data/sql)", danger: "takeover" });
    }
    return findings;
  });
}
