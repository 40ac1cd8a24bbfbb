import { isDeepStrictEqual } from "node:util";

import { asText, oneOf } from "../bridge.ts";
import type { Values } from "../protocol/plugin.ts";
import { withRolesGranted, list, name, text } from "./server.ts";
import type { Kind, Sql } from "./server.ts";

/** Privileges by type of object (https://www.postgresql.org/docs/current/ddl-priv.html), and where the system catalog stores them. */
const TYPES = {
  database: { privileges: ["CREATE", "CONNECT", "TEMPORARY"], table: "pg_database", prefix: "dat", kind: undefined },
  schema: { privileges: ["CREATE", "USAGE"], table: "pg_namespace", prefix: "nsp", kind: "n" },
  table: {
    privileges: ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"],
    table: "pg_class",
    prefix: "rel",
    kind: "r",
  },
  sequence: { privileges: ["USAGE", "SELECT", "UPDATE"], table: "pg_class", prefix: "rel", kind: "S" },
  function: { privileges: ["EXECUTE"], table: "pg_proc", prefix: "pro", kind: "f" },
  routine: { privileges: ["EXECUTE"], table: "pg_proc", prefix: "pro", kind: "f" },
} as const;

const FIELDS = {
  role: { replaces: true },
  database: { replaces: true },
  schema: { replaces: true },
  objectType: { replaces: true, validate: oneOf("object_type", Object.keys(TYPES)) },
  privileges: { set: true },
  withGrantOption: { default: false, replaces: true },
} as const;

export const grant: Kind = {
  deleteBeforeReplace: true,
  fields: FIELDS,
  id: ({ role, database, schema, objectType }) =>
    joined([role, database, ...(objectType === "database" ? [] : [schema]), objectType]),

  create: (sql, values) => replaceGrants(sql, values, list(values.privileges), "", target(values)),
  update: (sql, _old, values) => grant.create(sql, values),
  delete: (sql, state) => replaceGrants(sql, state, [], "", target(state)),

  /** Returns the privileges of the first object that differs, so that the next update changes them. */
  async read(sql, known) {
    const grantee = await granteeId(sql, known);
    if (grantee === undefined) return undefined;
    const { table, prefix } = typeOf(known);
    // An object without any grant has no list; the real plugin treats it as no privileges.
    const rows = await sql.rows(
      `SELECT ARRAY(SELECT DISTINCT privilege_type FROM aclexplode(${prefix}acl) WHERE grantee = $1 ORDER BY 1) AS granted
       FROM ${table} WHERE ${catalogCondition(known)} ORDER BY ${prefix}name`,
      [grantee],
    );
    const drifted = rows.map((row) => list(row.granted)).find((granted) => !isWanted(known, granted));
    return drifted ? { ...known, privileges: drifted } : known;
  },
};

export const defaultPrivileges: Kind = {
  fields: { ...FIELDS, owner: { replaces: true } },
  id: ({ role, database, schema, owner, objectType }) =>
    joined([role, database, schema || "noschema", owner, objectType]),

  create: (sql, values) =>
    replaceGrants(sql, values, list(values.privileges), alterDefaults(values), `${keyword(values)}S`),
  update: (sql, _old, values) => defaultPrivileges.create(sql, values),
  delete: (sql, state) => replaceGrants(sql, state, [], alterDefaults(state), `${keyword(state)}S`),

  async read(sql, known) {
    const grantee = await granteeId(sql, known);
    if (grantee === undefined) return undefined;
    const rows = await sql.rows(
      `SELECT DISTINCT acl.privilege_type AS granted FROM pg_default_acl CROSS JOIN aclexplode(defaclacl) acl
       LEFT JOIN pg_namespace n ON n.oid = defaclnamespace WHERE defaclobjtype = $1 AND acl.grantee = $2
       AND pg_get_userbyid(defaclrole) = $3 AND coalesce(nspname, '') = $4 ORDER BY 1`,
      [typeOf(known).kind, grantee, known.owner, known.schema ?? ""],
    );
    const granted = rows.map((row) => asText(row.granted));
    if (granted.length === 0 && list(known.privileges).length > 0) return undefined;
    return isWanted(known, granted) ? known : { ...known, privileges: granted };
  },
};

/** Revokes all and grants the wanted privileges in one transaction, so that the role is never without them. */
async function replaceGrants(
  sql: Sql,
  values: Values,
  wanted: string[],
  alter: string,
  objects: string,
): Promise<void> {
  const known: readonly string[] = typeOf(values).privileges;
  const wrong = wanted.find((one) => !known.includes(one));
  if (wrong) throw new Error(`${wrong} is not an allowed privilege for object type ${asText(values.objectType)}`);
  // PUBLIC is a keyword; quoted, it would be a role of that name.
  const role = values.role === "public" ? "PUBLIC" : name(values.role);
  const option = values.withGrantOption ? "WITH GRANT OPTION" : "";
  await withRolesGranted(sql, await grantors(sql, values), async () => {
    await sql.rows(`${alter} REVOKE ALL ON ${objects} FROM ${role}`);
    if (wanted.length > 0) await sql.rows(`${alter} GRANT ${wanted.join(", ")} ON ${objects} TO ${role} ${option}`);
  });
}

/** The owner of default privileges, or those of the schema and its tables. */
async function grantors(sql: Sql, { owner, schema }: Values): Promise<unknown[]> {
  if (owner) return [owner];
  const rows = await sql.rows(
    `SELECT pg_get_userbyid(nspowner)::text AS owner FROM pg_namespace WHERE nspname = $1
     UNION SELECT tableowner::text FROM pg_tables WHERE schemaname = $1`,
    [schema ?? ""],
  );
  return rows.map((row) => row.owner);
}

function target(values: Values): string {
  if (values.objectType === "database") return `DATABASE ${name(values.database)}`;
  if (!values.schema) throw new Error("parameter 'schema' is mandatory for postgresql_grant resource");
  if (values.objectType === "schema") return `SCHEMA ${name(values.schema)}`;
  return `ALL ${keyword(values)}S IN SCHEMA ${name(values.schema)}`;
}

/** The rows of the catalog that the grant is about. */
function catalogCondition(values: Values): string {
  const { prefix } = typeOf(values);
  if (prefix === "dat") return `datname = ${text(values.database)}`;
  if (prefix === "nsp") return `nspname = ${text(values.schema)}`;
  const inSchema = `${prefix}namespace = ${text(name(values.schema))}::regnamespace`;
  return prefix === "pro" ? inSchema : `${inSchema} AND relkind = '${typeOf(values).kind}'`;
}

function alterDefaults(values: Values): string {
  const where = values.schema ? `IN SCHEMA ${name(values.schema)}` : "";
  return `ALTER DEFAULT PRIVILEGES FOR ROLE ${name(values.owner)} ${where}`;
}

/** Returns the OID of the role; undefined if the role or the schema does not exist. */
async function granteeId(sql: Sql, { role, schema }: Values): Promise<number | undefined> {
  const found = await sql.row(
    `SELECT coalesce((SELECT oid::int8::int4 FROM pg_roles WHERE rolname = $1), 0) AS id
     WHERE ($1 = 'public' OR $1 IN (SELECT rolname FROM pg_roles)) AND ($2 = '' OR $2 IN (SELECT nspname FROM pg_namespace))`,
    [role, schema ?? ""],
  );
  return found?.id as number | undefined;
}

function isWanted(values: Values, granted: readonly string[]): boolean {
  return isDeepStrictEqual([...granted].sort(), list(values.privileges).sort());
}

const typeOf = (values: Values): (typeof TYPES)[keyof typeof TYPES] => TYPES[values.objectType as keyof typeof TYPES];
const keyword = (values: Values): string => asText(values.objectType).toUpperCase();
const joined = (parts: readonly unknown[]): string => parts.map(asText).join("_");
