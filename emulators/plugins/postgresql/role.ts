import { asText } from "../bridge.ts";
import type { Values } from "../protocol/plugin.ts";
import { withRolesGranted, list, name, text } from "./server.ts";
import type { Kind, Sql } from "./server.ts";

const FLAGS = {
  superuser: ["SUPERUSER", "rolsuper"],
  createDatabase: ["CREATEDB", "rolcreatedb"],
  createRole: ["CREATEROLE", "rolcreaterole"],
  inherit: ["INHERIT", "rolinherit"],
  login: ["LOGIN", "rolcanlogin"],
  replication: ["REPLICATION", "rolreplication"],
  bypassRowLevelSecurity: ["BYPASSRLS", "rolbypassrls"],
} as const;

export const role: Kind = {
  fields: {
    ...Object.fromEntries(Object.keys(FLAGS).map((flag) => [flag, { default: flag === "inherit" }])),
    name: {},
    connectionLimit: { default: -1 },
    validUntil: { default: "infinity" },
    password: { secret: true },
    encryptedPassword: { default: true },
    roles: { set: true },
    statementTimeout: {},
    idleInTransactionSessionTimeout: {},
    skipDropRole: { default: false },
    skipReassignOwned: { default: false },
  },
  id: (values) => asText(values.name),
  parse: (id) => ({ name: id }),

  async create(sql, values) {
    await sql.rows(`CREATE ROLE ${name(values.name)} WITH ${options(values)} ${password(values)}`);
    await settings(sql, values);
    for (const group of list(values.roles)) await sql.rows(`GRANT ${name(group)} TO ${name(values.name)}`);
  },

  async read(sql, known) {
    const flags = Object.entries(FLAGS).map(([property, [, column]]) => `${column} AS "${property}"`);
    // The hash cannot be compared, but a removed password is detected. Only a superuser reads it.
    const [roles, kept] = sql.server.superuser
      ? ["pg_authid", "NOT rolcanlogin OR rolpassword IS NOT NULL"]
      : ["pg_roles", "true"];
    const found = await sql.row(
      `SELECT rolname AS name, ${flags.join(", ")}, rolconnlimit AS "connectionLimit",
         coalesce(rolvaliduntil::text, 'infinity') AS "validUntil", ${kept} AS kept,
         ARRAY(SELECT unnest(setconfig) FROM pg_db_role_setting WHERE setrole = r.oid AND setdatabase = 0) AS config,
         ARRAY(SELECT pg_get_userbyid(roleid)::text FROM pg_auth_members WHERE member = r.oid ORDER BY 1) AS roles
       FROM ${roles} r WHERE rolname = $1`,
      [known.name],
    );
    if (!found) return undefined;
    const { config, kept: isKept, ...columns } = found;
    const settings = new Map(list(config).map((line) => line.split(/=(.*)/s, 2) as [string, string]));
    return {
      ...columns,
      statementTimeout: Number(settings.get("statement_timeout") ?? 0),
      idleInTransactionSessionTimeout: Number(settings.get("idle_in_transaction_session_timeout") ?? 0),
      password: isKept ? known.password : undefined,
    };
  },

  async update(sql, old, values) {
    const role = name(values.name);
    if (old.name !== values.name) await sql.rows(`ALTER ROLE ${name(old.name)} RENAME TO ${role}`);
    const changed = old.password === values.password ? "" : password(values);
    await sql.rows(`ALTER ROLE ${role} WITH ${options(values, old)} ${changed}`);
    await settings(sql, values);
    // Those that others granted, too (`revokeRoles`, resource_postgresql_role.go).
    const members = "SELECT roleid::regrole AS role FROM pg_auth_members WHERE member = to_regrole($1)";
    for (const group of await sql.rows(members, [role])) await sql.rows(`REVOKE ${asText(group["role"])} FROM ${role}`);
    for (const group of list(values.roles)) await sql.rows(`GRANT ${name(group)} TO ${role}`);
  },

  async delete(sql, state) {
    const role = name(state.name);
    if (!state.skipReassignOwned) {
      await withRolesGranted(sql, [state.name], async () => {
        await sql.rows(`REASSIGN OWNED BY ${role} TO ${name(sql.server.username)}`);
        await sql.rows(`DROP OWNED BY ${role}`);
      });
    }
    if (!state.skipDropRole) await sql.rows(`DROP ROLE ${role}`);
  },
};

/** @param old leaves out the flags that it has already: without superuser rights, not even NOSUPERUSER may be repeated */
function options(values: Values, old?: Values): string {
  const flags = Object.entries(FLAGS)
    .filter(([property]) => old === undefined || Boolean(old[property]) !== Boolean(values[property]))
    .map(([property, [word]]) => (values[property] ? word : `NO${word}`));
  return `${flags.join(" ")} CONNECTION LIMIT ${Number(values.connectionLimit)} VALID UNTIL ${text(values.validUntil)}`;
}

/** As the plugin writes it, which doubles backslashes in a literal in which they have no meaning (`pqQuoteLiteral`; measured with 3.18.1). */
const quoted = (value: unknown): string => `'${asText(value).replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
const password = (values: Values): string => `PASSWORD ${values.password ? quoted(values.password) : "NULL"}`;

async function settings(sql: Sql, values: Values): Promise<void> {
  const set = (key: string, value: string | undefined): Promise<unknown> =>
    sql.rows(`ALTER ROLE ${name(values.name)} ${value === undefined ? `RESET ${key}` : `SET ${key} TO ${value}`}`);
  const duration = (value: unknown): string | undefined => (value ? text(value) : undefined);
  // In each creation and update (`alterSearchPath`, resource_postgresql_role.go).
  await set("search_path", undefined);
  await set("statement_timeout", duration(values.statementTimeout));
  await set("idle_in_transaction_session_timeout", duration(values.idleInTransactionSessionTimeout));
}
