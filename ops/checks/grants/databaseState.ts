import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";
import type { GrantExpectation } from "./expectation.ts";
import { type UnhandledTable, unhandledTables } from "./foreignTables.ts";

/** The state of the database on which the plan's grants depend, read from its system catalog. Qualified names are quoted as in SQL. */
export interface DatabaseState {
  readonly roles: readonly LiveRole[];
  readonly memberships: readonly Membership[];
  readonly schemas: readonly LiveSchema[];
  readonly relations: readonly Relation[];
  readonly routines: readonly Routine[];
  readonly dependencies: readonly Dependency[];
  readonly unrecorded: readonly Unrecorded[];
  readonly privileges: readonly LivePrivilege[];
  readonly defaults: readonly LiveDefault[];
  readonly owned: readonly Owned[];
  readonly eventTriggers: readonly EventTrigger[];
  readonly eventTriggersOff: readonly EventTriggersOff[];
  readonly unhandledTables: readonly UnhandledTable[];
}

/** As in pg_roles. */
export type RoleAttribute = "superuser" | "bypassrls" | "createrole" | "createdb" | "replication" | "login" | "inherit";
export interface LiveRole extends Readonly<Record<RoleAttribute, boolean>> {
  readonly name: string;
  /** `name=value`. */
  readonly settings: readonly string[];
  /** Those of ALTER ROLE … IN DATABASE, for the database of the plan. */
  readonly databaseSettings: readonly string[];
}

interface LiveSchema {
  readonly name: string;
  readonly owner: string;
  /** The anonymous role or the authenticator has USAGE, also as PUBLIC. */
  readonly usable: boolean;
}

/** Returns whether a schema exists that no request may use. */
export function isUnusable({ schemas }: DatabaseState, schema: string | null): boolean {
  return schemas.some(({ name, usable }) => name === schema && !usable);
}

/** `member` is a member of `role`. */
interface Membership extends Readonly<Record<"role" | "member" | "grantor", string>> {
  /** Whether INHERIT and SET are options of the membership (Postgres 16 and newer). */
  readonly options: boolean;
  readonly admin: boolean;
  readonly inherit: boolean;
  readonly set: boolean;
}

export interface Relation {
  readonly id: string;
  readonly schema: string;
  readonly name: string;
  readonly kind: "table" | "view" | "materialized view" | "foreign table" | "partitioned table" | "sequence";
  readonly owner: string;
  /** A view with security_invoker. */
  readonly invoker: boolean;
  /** Row security is on. */
  readonly secured: boolean;
  /** Row security applies to the owner, too. */
  readonly forced: boolean;
  /** Has policies. */
  readonly policies: boolean;
  /** Has a policy that can let the anonymous role read a row. */
  readonly readable: boolean;
  readonly extension: boolean;
  /** Whether an extension granted SELECT to everyone when it was created. */
  readonly published: boolean;
  /** A sequence of a column: it has the owner of the table. */
  readonly attached: boolean;
}

export interface Routine {
  readonly id: string;
  readonly schema: string;
  /** With the types of its arguments. */
  readonly name: string;
  readonly kind: "function" | "procedure";
  readonly owner: string;
  /** Runs with its owner's rights (SECURITY DEFINER). */
  readonly definer: boolean;
  /** Sets its own search_path. */
  readonly pinned: boolean;
  /** The anonymous role can execute it. */
  readonly reachable: boolean;
  /** Its body is text, of which Postgres records nothing, and it may read relations: it is not immutable. */
  readonly opaque: boolean;
  /** A function of dblink, which reads another database, or this one with other rights. */
  readonly remote: boolean;
}

/** `pg_class:<id>`, `pg_proc:<id>`, `pg_operator:<id>`, or as target `parent:<id>`, of which a partition or child contains rows. */
interface Dependency {
  readonly source: string;
  readonly target: string;
}

/** What a relation reads without a dependency that Postgres records. */
export interface Unrecorded {
  /** Of the relation. */
  readonly id: string;
  /**
   * A relation of the system catalog; a function that returns the comment, definition or name of any object; a function that runs a text as SQL or reads
   * files; a table of this database, as a foreign table.
   */
  readonly kind: "catalog" | "description" | "function" | "remote";
  readonly name: string;
  /** Of a remote table. */
  readonly schema: string | null;
}

export interface LivePrivilege {
  readonly kind: Relation["kind"] | Routine["kind"] | "database" | "schema" | "column" | OtherKind;
  readonly schema: string | null;
  readonly name: string;
  /** Of a column: its own name, where `name` is the relation's. */
  readonly column: string | null;
  readonly owner: string;
  readonly grantee: string;
  readonly grantor: string;
  /** With GRANT OPTION. */
  readonly grantable: boolean;
  readonly privileges: readonly string[];
  /** In a planned schema, or the database itself: all its privileges are listed. */
  readonly planned: boolean;
  /** An extension granted it when it was created. */
  readonly initial: boolean;
}
type OtherKind =
  | ("type" | "domain" | "language" | "large object")
  | ("foreign data wrapper" | "foreign server" | "tablespace" | "parameter");

export interface LiveDefault {
  readonly owner: string;
  /** Null = all. */
  readonly schema: string | null;
  readonly kind: "table" | "sequence" | "function" | "type" | "schema" | "large object";
  readonly grantee: string | null;
  readonly privileges: readonly string[];
}

export interface Owned {
  readonly owner: string;
  readonly type: string;
  readonly name: string;
  readonly schema: string | null;
}

interface EventTrigger {
  readonly name: string;
  readonly enabled: boolean;
  /** Runs in sessions with `session_replication_role = replica`, too. */
  readonly always: boolean;
  readonly owner: string;
  /** Of its function. */
  readonly schema: string;
}

/** A setting with which no event trigger runs. */
interface EventTriggersOff {
  /** Of the configuration of the server. */
  readonly server: boolean;
  /** Null = all. */
  readonly role: string | null;
  /** The database of the plan; null = all. */
  readonly database: string | null;
}

const FOLDER = new URL("sql/", import.meta.url);

/**
 * Reads the system catalog as far as the plan goes, with one query per kind of thing, whatever the number of objects; Postgres 15 or newer.
 * @param client in a transaction, of which it empties the search path so that all names are qualified
 */
export async function readDatabaseState(
  client: ClientBase,
  { schemas, roles }: GrantExpectation,
): Promise<DatabaseState> {
  const { anonymous, authenticator } = roles;
  // What PostgreSQL and extensions create and grant in the schema `public` by default, they do in every database.
  const planned = [...schemas.keys()].filter((schema) => schema !== "public");
  const read = async <Row extends object>(name: string, ...values: readonly unknown[]): Promise<Row[]> => {
    const sql = readFileSync(new URL(`${name}.sql`, FOLDER), "utf8");
    return (await client.query<Row>(sql, [...values])).rows;
  };
  await client.query("select set_config('search_path', '', true), set_config('jit', 'off', true)");
  return {
    roles: await read("roles"),
    memberships: await read("memberships"),
    schemas: await read("schemas", [anonymous, authenticator]),
    relations: await read("relations", anonymous),
    routines: await read("routines", planned, anonymous),
    dependencies: await read("dependencies"),
    unrecorded: await read("unrecorded"),
    privileges: await read("privileges", planned),
    defaults: await read("defaults"),
    owned: await read("owned", [anonymous, authenticator]),
    eventTriggers: await read("event_triggers"),
    eventTriggersOff: await read("event_triggers_off"),
    unhandledTables: await unhandledTables(client),
  };
}
