import { asText } from "../bridge.ts";
import type { Values } from "../protocol/plugin.ts";
import { list, name, text } from "./server.ts";
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

const SETTINGS = {
  statementTimeout: "statement_timeout",
  idleInTransactionSessionTimeout: "idle_in_transaction_session_timeout",
} as const;

export const role: Kind = {
  fields: {
    name: {},
    superuser: { default: false },
    createDatabase: { default: false },
    createRole: { default: false },
    inherit: { default: true },
    login: { default: false },
    replication: { default: false },
    bypassRowLevelSecurity: { default: false },
    connectionLimit: { default: -1 },
    validUntil: { default: "infinity" },
    password: { secret: true },
    roles: { set: true },
    searchPaths: {},
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
    const found = await sql.row(
      `SELECT rolname AS name, ${flags.join(", ")}, rolconnlimit AS "connectionLimit",
         coalesce(rolvaliduntil::text, 'infinity') AS "validUntil", coalesce(rolconfig, '{}') AS config,
         ARRAY(SELECT pg_get_userbyid(roleid)::text FROM pg_auth_members WHERE member = r.oid ORDER BY 1) AS roles
       FROM pg_roles r WHERE rolname = $1`,
      [known.name],
    );
    if (!found) return undefined;
    const { config, ...columns } = found;
    const setting = (key: string): string | undefined =>
      list(config)
        .find((line) => line.startsWith(`${key}=`))
        ?.slice(key.length + 1);
    const searchPath = setting("search_path")?.split(", ") ?? [];
    return {
      ...columns,
      statementTimeout: Number(setting("statement_timeout") ?? 0),
      idleInTransactionSessionTimeout: Number(setting("idle_in_transaction_session_timeout") ?? 0),
      searchPaths: searchPath.map((schema) => schema.replace(/^"|"$/g, "")),
      password: (await hasPassword(sql, found)) ? known.password : undefined,
    };
  },

  async update(sql, old, values) {
    const role = name(values.name);
    if (old.name !== values.name) await sql.rows(`ALTER ROLE ${name(old.name)} RENAME TO ${role}`);
    await sql.rows(
      `ALTER ROLE ${role} WITH ${options(values)} ${old.password === values.password ? "" : password(values)}`,
    );
    await settings(sql, values);
    const [before, after] = [list(old.roles), list(values.roles)];
    for (const group of before.filter((one) => !after.includes(one)))
      await sql.rows(`REVOKE ${name(group)} FROM ${role}`);
    for (const group of after.filter((one) => !before.includes(one))) await sql.rows(`GRANT ${name(group)} TO ${role}`);
  },

  async delete(sql, state) {
    const role = name(state.name);
    if (!state.skipReassignOwned) {
      await sql.rows(`REASSIGN OWNED BY ${role} TO ${name(sql.server.username)}`);
      await sql.rows(`DROP OWNED BY ${role}`);
    }
    if (!state.skipDropRole) await sql.rows(`DROP ROLE ${role}`);
  },
};

function options(values: Values): string {
  const flags = Object.entries(FLAGS).map(([property, [word]]) => (values[property] ? word : `NO${word}`));
  return `${flags.join(" ")} CONNECTION LIMIT ${Number(values.connectionLimit)} VALID UNTIL ${text(values.validUntil)}`;
}

function password(values: Values): string {
  return `PASSWORD ${values.password ? text(values.password) : "NULL"}`;
}

async function settings(sql: Sql, values: Values): Promise<void> {
  const set = (key: string, value: string | undefined): Promise<unknown> =>
    sql.rows(`ALTER ROLE ${name(values.name)} ${value === undefined ? `RESET ${key}` : `SET ${key} TO ${value}`}`);
  await set("search_path", list(values.searchPaths).map(name).join(", ") || undefined);
  for (const [property, key] of Object.entries(SETTINGS)) {
    await set(key, values[property] ? text(values[property]) : undefined);
  }
}

/** The hash cannot be compared, but a password that somebody took away is seen. Only a superuser may look. */
async function hasPassword(sql: Sql, found: Values): Promise<boolean> {
  if (!sql.server.superuser || !found.login) return true;
  return (
    (await sql.row("SELECT 1 FROM pg_authid WHERE rolname = $1 AND rolpassword IS NOT NULL", [found.name])) !==
    undefined
  );
}
