import { milliseconds } from "../../../config/sections/dataApi/interval.ts";
import { IDLE_MS } from "../../../infra/plan/grants.ts";
import type { GrantExpectation } from "./expectation.ts";
import { type Danger, type GrantFinding, reporter } from "./finding.ts";
import type { DatabaseState, LiveRole, RoleAttribute } from "./databaseState.ts";
import { quoted, titleOf } from "./sql.ts";
import { firstOf } from "../../text.ts";

/** Settings of a role with which it escapes a limit of the API or runs another role's code. */
const LIMIT_SETTINGS = "search_path role row_security default_transaction_read_only session_preload_libraries".split(
  " ",
);
/** Bounds of one request of the anonymous role, as infra/data/sql/015_role_settings.sql sets them. */
const REQUEST_BOUNDS = {
  lock_timeout: "1s",
  work_mem: "8MB",
  hash_mem_multiplier: "1",
  max_parallel_workers_per_gather: "0",
  jit: "off",
};
/** Roles of the server that read or write every row, regardless of grants. */
const READ_ALL = ["pg_read_all_data", "pg_write_all_data"];
const EXAMPLES = 3;

/** Returns findings for attributes, memberships and settings of the plan's roles, and members of the data owner that are not in the plan. */
export function* roleFindings(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const { anonymous, authenticator, owner } = expected.roles;
  for (const name of [anonymous, authenticator, owner]) yield* attributeFindings(name, live, expected);
  for (const name of [anonymous, authenticator]) yield* settingFindings(name, live, expected);
  for (const name of expected.writers) {
    if (live.roles.some((role) => role.name === name)) continue;
    yield ofRole(name)("outage", "does not exist", `create it, or remove it from data_api.writers, and deploy`);
  }
  yield* membershipFindings(live, expected);
  yield* authenticatorFindings(live, expected);
}

function ofRole(role: string) {
  return reporter(`role ${quoted(role)}`);
}

function* attributeFindings(
  name: string,
  { roles }: DatabaseState,
  expected: GrantExpectation,
): Iterable<GrantFinding> {
  const { anonymous, authenticator } = expected.roles;
  const role = roles.find((each) => each.name === name);
  if (role === undefined) {
    yield ofRole(name)("outage", "does not exist", "run the deployment again");
    return;
  }
  const wanted: [RoleAttribute, boolean, Danger, of?: string][] = [
    ["superuser", false, "takeover"],
    ["bypassrls", false, "leak"],
    ["createrole", false, "takeover"],
    ["createdb", false, "exposure"],
    ["replication", false, "leak"],
    ["login", false, "exposure", anonymous],
    ["login", true, "outage", authenticator],
    ["inherit", false, "exposure", authenticator],
  ];
  for (const [attribute, value, danger, of = name] of wanted) {
    if (of !== name || role[attribute] === value) continue;
    const word = attribute.toUpperCase();
    const [is, hint] = value ? [`NO${word}`, word] : [word, `NO${word}`];
    yield ofRole(name)(danger, `is ${is}`, `ALTER ROLE ${quoted(name)} ${hint};`);
  }
}

function* settingFindings(name: string, { roles }: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const role = roles.find((each) => each.name === name);
  const settings = settingsOf(role?.settings);
  const inDatabase = settingsOf(role?.databaseSettings);
  const database = quoted(expected.database);
  for (const [found, stray, where, clause] of [
    [settings, LIMIT_SETTINGS.filter((each) => settings.has(each)), "", ""],
    // At a login they override those of the role. Gatehouse creates none.
    [inDatabase, [...inDatabase.keys()], ` in database ${database}`, ` IN DATABASE ${database}`],
  ] as const) {
    for (const setting of stray) {
      const hint = `ALTER ROLE ${quoted(name)}${clause} RESET ${setting};`;
      yield ofRole(name)("exposure", `sets ${setting} = ${found.get(setting)}${where}`, hint);
    }
  }
  const bounds: Readonly<Record<string, string>> =
    name === expected.roles.anonymous
      ? { statement_timeout: `${expected.limits.statementTimeout}`, ...REQUEST_BOUNDS }
      : { idle_in_transaction_session_timeout: `${IDLE_MS}` };
  for (const [setting, bound] of Object.entries(bounds)) {
    const value = settings.get(setting);
    if (value === bound || (value !== undefined && milliseconds(value) === milliseconds(bound))) continue;
    const is = value === undefined ? `no ${setting}` : `${setting} = ${value}`;
    const hint = `ALTER ROLE ${quoted(name)} SET ${setting} = '${bound}';`;
    yield ofRole(name)("exposure", `has ${is}, not ${bound}`, hint);
  }
}

function settingsOf(settings: LiveRole["settings"] | undefined): ReadonlyMap<string, string> {
  return new Map(settings?.map((setting) => setting.split(/=(.*)/s, 2) as [string, string]));
}

function* membershipFindings(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const { anonymous, authenticator, owner } = expected.roles;
  const superusers = new Set(live.roles.flatMap(({ name, superuser }) => (superuser ? [name] : [])));
  const trusted = new Set([...administratorsOf(live, expected), ...superusers]);
  for (const { role, member, grantor } of live.memberships) {
    const revoke = `REVOKE ${quoted(role)} FROM ${quoted(member)} GRANTED BY ${quoted(grantor)} CASCADE;`;
    const report = (danger: Danger, more: string) =>
      ofRole(member)(danger, `is a member of ${quoted(role)}${more}`, revoke);
    const rules = isRuler(role, live, expected);
    const isWriter = expected.writers.includes(member);
    if (member === anonymous || (member === authenticator && role !== anonymous)) {
      yield report(rules ? "takeover" : "exposure", powersText(role, live, expected));
    } else if (member === owner) {
      // Views of the API read with the data owner's rights. In an existing database they may need those of other roles.
      const isPlanned = expected.existing || expected.writers.includes(role);
      if (rules || !isPlanned) yield report(rules ? "takeover" : "leak", ", as are its views");
    } else if (!expected.existing && isWriter && superusers.has(role) && !superusers.has(member)) {
      yield report("takeover", ", and may become it");
    } else if (trusted.has(member) || (expected.existing && READ_ALL.includes(role))) continue;
    else if (role === owner) yield report("leak", ", and reads and changes what it owns");
    else if (READ_ALL.includes(role)) yield report("leak", ", and so reaches the private schemas");
  }
}

/**
 * Returns the administrator, and the roles whose privileges it has. Without superuser rights it is also a member of the writers and of the owners of exposed
 * schemas (infra/data/sql/006_memberships.sql), which are no administrators.
 */
function administratorsOf(live: DatabaseState, { roles, schemas, writers }: GrantExpectation): ReadonlySet<string> {
  const owners = live.schemas.filter(({ name }) => schemas.get(name)?.access === "exposed").map(({ owner }) => owner);
  const others = new Set([...writers, ...owners]);
  const memberships = live.memberships.filter(({ role }) => !others.has(role));
  return rolesOf(roles.administrator, { memberships }, true);
}

/** Returns a role, and the roles that it is a member of. @param inherited only those whose privileges it has without SET ROLE */
export function rolesOf(
  start: string,
  { memberships }: Pick<DatabaseState, "memberships">,
  inherited: boolean,
): ReadonlySet<string> {
  const roles = new Set([start]);
  // A set grows while it is iterated, so that memberships of memberships are followed.
  for (const name of roles) {
    for (const { role, member, inherit } of memberships)
      if (member === name && (inherit || !inherited)) roles.add(role);
  }
  return roles;
}

function isRuler(
  role: string,
  { roles }: DatabaseState,
  { roles: { owner, administrator } }: GrantExpectation,
): boolean {
  const isPowerful = roles.some(({ name, superuser, createrole }) => name === role && (superuser || createrole));
  return isPowerful || role === owner || role === administrator || role.startsWith("pg_");
}

/** Returns what a membership gives in the plan's schemas; some examples of many. */
function powersText(role: string, live: DatabaseState, { roles, schemas, requestRoles }: GrantExpectation): string {
  if (role === roles.owner) return ", which owns the data";
  const reached = rolesOf(role, live, false);
  const owned = live.relations.filter(({ owner, schema }) => reached.has(owner) && schemas.has(schema));
  const granted = live.privileges.filter(({ grantee }) => reached.has(grantee) && !requestRoles.has(grantee));
  const powers = [
    ...owned.map(({ kind, name }) => `all of ${kind} ${name}`),
    ...granted.map((entry) => `${entry.privileges.join(", ")} on ${titleOf(entry)}`),
  ];
  if (powers.length === 0) return "";
  return `, and with it has ${firstOf(powers, EXAMPLES).join("; ")}`;
}

/** Checks the membership of the authenticator in the anonymous role: it becomes that role, and does nothing else with it. */
function* authenticatorFindings({ memberships }: DatabaseState, { roles }: GrantExpectation): Iterable<GrantFinding> {
  const [role, member] = [quoted(roles.anonymous), quoted(roles.authenticator)];
  const report = ofRole(roles.authenticator);
  const found = memberships.filter((one) => one.role === roles.anonymous && one.member === roles.authenticator);
  const grant = `GRANT ${role} TO ${member}`;
  if (!found.some(({ set }) => set)) {
    yield report("outage", `cannot become ${role}`, `${grant}${found.length > 0 ? " WITH SET TRUE" : ""};`);
  }
  for (const { admin, inherit, options, grantor } of found) {
    const by = ` GRANTED BY ${quoted(grantor)}`;
    const revoke = `REVOKE ADMIN OPTION FOR ${role} FROM ${member}${by} CASCADE;`;
    if (admin) yield report("exposure", `may give ${role} to others`, revoke);
    // Without options, it is the attribute of the authenticator that is reported.
    if (inherit && options)
      yield report("exposure", `has what ${role} has without becoming it`, `${grant} WITH INHERIT FALSE${by};`);
  }
}
