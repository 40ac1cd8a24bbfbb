import { milliseconds } from "../../../config/interval.ts";
import type { GrantExpectation } from "./expectation.ts";
import type { Danger, Finding } from "./finding.ts";
import type { Live, LiveRole, Membership } from "./live.ts";
import { granteeName, quoted, titleOf } from "./sql.ts";

type Attribute = "superuser" | "bypassrls" | "createrole" | "createdb" | "replication" | "login" | "inherit";
/** Settings of a role with which it escapes a limit of the API or runs another role's code. */
const LIMIT_SETTINGS = [
  "search_path",
  "role",
  "row_security",
  "default_transaction_read_only",
  "session_preload_libraries",
];
/** Roles of the server with which every row is read or written, whatever the grants say. */
const READ_ALL = ["pg_read_all_data", "pg_write_all_data"];
const EXAMPLES = 3;

/** Attributes, memberships and settings of the plan's roles, and members of the data owner that the plan does not know. */
export function roleFindings(live: Live, expected: GrantExpectation): Finding[] {
  return [
    ...attributeFindings(live, expected),
    ...settingFindings(live, expected),
    ...membershipFindings(live, expected),
    ...authenticatorFindings(live, expected),
  ];
}

function finding(role: string, problem: string, hint: string, danger: Danger): Finding {
  return { object: `role ${quoted(role)}`, problem, hint, danger, schema: undefined };
}

function attributeFindings({ roles }: Live, { roles: planned }: GrantExpectation): Finding[] {
  const { anonymous, authenticator, owner } = planned;
  return [anonymous, authenticator, owner].flatMap((name) => {
    const role = roles.find((each) => each.name === name);
    if (role === undefined) return [finding(name, "does not exist", "run the deployment again", "outage")];
    const check = (attribute: Attribute, wanted: boolean, danger: Danger): Finding[] => {
      if (role[attribute] === wanted) return [];
      const word = (value: boolean) => `${value ? "" : "NO"}${attribute.toUpperCase()}`;
      return [finding(name, `is ${word(!wanted)}`, `ALTER ROLE ${quoted(name)} ${word(wanted)};`, danger)];
    };
    return [
      ...check("superuser", false, "takeover"),
      ...check("bypassrls", false, "leak"),
      ...check("createrole", false, "takeover"),
      ...check("createdb", false, "reach"),
      ...check("replication", false, "leak"),
      ...(name === anonymous ? check("login", false, "reach") : []),
      ...(name === authenticator ? [...check("login", true, "outage"), ...check("inherit", false, "reach")] : []),
    ];
  });
}

function settingFindings({ roles }: Live, { roles: planned, statementTimeout }: GrantExpectation): Finding[] {
  return [planned.anonymous, planned.authenticator].flatMap((name) => {
    const settings = settingsOf(roles.find((role) => role.name === name));
    const limitSettings = LIMIT_SETTINGS.filter((setting) => settings.has(setting)).map((setting) =>
      finding(
        name,
        `sets ${setting} = ${settings.get(setting)}`,
        `ALTER ROLE ${quoted(name)} RESET ${setting};`,
        "reach",
      ),
    );
    if (name !== planned.anonymous) return limitSettings;
    const timeout = settings.get("statement_timeout");
    if (timeout !== undefined && milliseconds(timeout) === statementTimeout) return limitSettings;
    const problem = `has ${timeout === undefined ? "no statement_timeout" : `statement_timeout = ${timeout}`}, not ${statementTimeout}ms`;
    const hint = `ALTER ROLE ${quoted(name)} SET statement_timeout = ${statementTimeout};`;
    return [...limitSettings, finding(name, problem, hint, "reach")];
  });
}

function settingsOf(role: LiveRole | undefined): ReadonlyMap<string, string> {
  const pairs = (role?.settings ?? []).map((setting): [string, string] => {
    const at = setting.indexOf("=");
    return [setting.slice(0, at), setting.slice(at + 1)];
  });
  return new Map(pairs);
}

function membershipFindings(live: Live, expected: GrantExpectation): Finding[] {
  const { anonymous, authenticator, owner, administrator } = expected.roles;
  const trusted = powersOf(live, administrator);
  return live.memberships.flatMap((membership) => {
    const { role, member } = membership;
    const report = (problem: string, danger: Danger) => [
      finding(member, problem, revokeMembership(membership), danger),
    ];
    if (member === anonymous || (member === authenticator && role !== anonymous)) {
      const powers = describePowers(live, expected, role);
      return report(`is a member of ${quoted(role)}${powers}`, isRuler(live, expected, role) ? "takeover" : "reach");
    }
    // Views of the API read with the data owner's rights, so the server's own powerful roles are not for it.
    if (member === owner && role.startsWith("pg_")) return report(`is a member of ${role}, as are its views`, "leak");
    if (trusted.has(member)) return [];
    if (role === owner) return report(`is a member of ${quoted(owner)}, and reads and changes what it owns`, "leak");
    return READ_ALL.includes(role) ? report(`is a member of ${role}, and so reaches the private schemas`, "leak") : [];
  });
}

/** A role, and what it has through memberships without asking; superusers as well. */
function powersOf({ roles, memberships }: Live, start: string): ReadonlySet<string> {
  const powers = new Set([start]);
  // A set grows while it is walked, so that memberships of memberships are followed.
  for (const name of powers) {
    for (const { role, member, inherit } of memberships) if (member === name && inherit) powers.add(role);
  }
  for (const { name, superuser } of roles) if (superuser) powers.add(name);
  return powers;
}

function isRuler({ roles }: Live, { roles: { owner, administrator } }: GrantExpectation, role: string): boolean {
  const isPowerful = roles.some(({ name, superuser, createrole }) => name === role && (superuser || createrole));
  return isPowerful || role === owner || role === administrator || role.startsWith("pg_");
}

/** What a membership gives, as far as the plan's schemas go; some examples of many. */
function describePowers(live: Live, expected: GrantExpectation, role: string): string {
  if (role === expected.roles.owner) return ", which owns the data";
  const reached = new Set([role]);
  for (const name of reached) {
    for (const { role: next, member } of live.memberships) if (member === name) reached.add(next);
  }
  const owned = live.relations.filter(({ owner, schema }) => reached.has(owner) && expected.schemas.has(schema));
  const powers = [
    ...owned.map(({ kind, name }) => `all of ${kind} ${name}`),
    ...live.privileges
      .filter(({ grantee }) => reached.has(grantee) && !expected.visitors.has(grantee))
      .map((entry) => `${entry.privileges.join(", ")} on ${titleOf(entry)}`),
  ];
  if (powers.length === 0) return "";
  const more = powers.length > EXAMPLES ? ` and ${powers.length - EXAMPLES} more` : "";
  return `, and with it has ${powers.slice(0, EXAMPLES).join("; ")}${more}`;
}

function revokeMembership({ role, member, grantor }: Membership): string {
  return `REVOKE ${quoted(role)} FROM ${quoted(member)} GRANTED BY ${quoted(grantor)} CASCADE;`;
}

/** The authenticator becomes the anonymous role, and does nothing else with it. */
function authenticatorFindings({ memberships }: Live, { roles }: GrantExpectation): Finding[] {
  const { anonymous, authenticator } = roles;
  const found = memberships.filter(({ role, member }) => role === anonymous && member === authenticator);
  const grant = `GRANT ${quoted(anonymous)} TO ${quoted(authenticator)}`;
  const findings: Finding[] = [];
  if (!found.some(({ set }) => set)) {
    const problem = `cannot become ${granteeName(anonymous)}`;
    findings.push(finding(authenticator, problem, `${grant}${found.length > 0 ? " WITH SET TRUE" : ""};`, "outage"));
  }
  for (const { admin, inherit, grantor } of found) {
    const by = ` GRANTED BY ${quoted(grantor)}`;
    if (admin) {
      const problem = `may give ${granteeName(anonymous)} to others`;
      const hint = `REVOKE ADMIN OPTION FOR ${quoted(anonymous)} FROM ${quoted(authenticator)}${by} CASCADE;`;
      findings.push(finding(authenticator, problem, hint, "reach"));
    }
    if (inherit) {
      const problem = `has what ${granteeName(anonymous)} has without becoming it`;
      findings.push(finding(authenticator, problem, `${grant} WITH INHERIT FALSE${by};`, "reach"));
    }
  }
  return findings;
}
