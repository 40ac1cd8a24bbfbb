/**
 * Grants in the database of the data API, as a matrix of role, schema and kind. Cells without a privilege are intended: they revoke what was
 * granted manually.
 */
import type { DataApi, PostgresServer } from "../../config/settings.ts";
import type { DataPlan, DefaultPrivilege, Grant } from "./types.ts";

/** PUBLIC, every role, as it is named in what is read from the system catalog. */
export const PUBLIC = "public";

/**
 * Schema of the API's own functions: of every request, and of the event triggers. Not exposed, since a function in an exposed schema can be called over
 * the API.
 */
export const FUNCTIONS_SCHEMA = "gatehouse";
/** Schema with the one function that is called over the API, by the gateway: clients cannot select it. */
export const OPENAPI_SCHEMA = "gatehouse_openapi";
/** Schema that pipelines describe their data in; what is public of it is shown by views of the default schema. */
const CATALOG = "catalog";

/** Maximum time that a transaction of the authenticator is idle. A transaction of a request is never idle, unless its PostgREST was terminated. */
export const IDLE_MS = 10_000;

/** The settings that the plan of the database depends on. */
type DataSettings = Pick<
  DataApi,
  "database" | "existing" | "writers" | "exposed" | "private" | "hidden" | "roles" | "limits"
>;

/**
 * Returns the schemas, grants and default privileges of the data API.
 * @param server its administrator owns the API's own functions: a pipeline must not be able to change what runs in every request
 */
export function dataPlan(dataApi: DataSettings, server: Pick<PostgresServer, "user" | "superuser">): DataPlan {
  const { database, existing, writers, exposed, hidden, roles, limits } = dataApi;
  const { user: administrator, superuser } = server;
  const { owner } = roles;
  const schemas = [
    ...exposed.map((name) => ({ name, owner, access: "exposed" as const })),
    ...dataApi.private.map((name) => ({ name, owner, access: "private" as const })),
    ...hidden.map((name) => ({ name, owner, access: "hidden" as const })),
    { name: CATALOG, owner, access: "internal" as const },
    { name: FUNCTIONS_SCHEMA, owner: administrator, access: "internal" as const },
    { name: OPENAPI_SCHEMA, owner: administrator, access: "internal" as const },
  ];
  const grants = [
    ...databaseGrants(roles),
    ...[...exposed, ...dataApi.private, ...hidden, CATALOG].flatMap((name) =>
      schemaGrants(name, exposed.includes(name), roles.anonymous),
    ),
    ...[FUNCTIONS_SCHEMA, OPENAPI_SCHEMA].flatMap((name) => functionGrants(name, roles.anonymous)),
    ...(existing ? [] : writers.flatMap((writer) => writerGrants(writer, exposed))),
  ];
  return {
    database,
    existing,
    writers,
    superuser,
    roles: { ...roles, administrator },
    schemas,
    // Other programs of an existing database may rely on what PUBLIC has there. Verification reports what that opens of an exposed or private schema.
    grants: existing ? grants.filter(({ role, schema }) => role !== PUBLIC || isOwn(schema)) : grants,
    defaultPrivileges: defaultPrivileges(exposed, { existing, writers, roles }),
    limits,
  };
}

/** Returns whether a schema is one of Gatehouse. */
function isOwn(schema: string | undefined): boolean {
  return schema === FUNCTIONS_SCHEMA || schema === OPENAPI_SCHEMA || schema === CATALOG;
}

/**
 * Returns privileges on the database. By default, PUBLIC can connect and create temporary tables; here only the authenticator and the owner connect. The
 * anonymous role needs no CONNECT, because the authenticator switches to it after it connected.
 */
function databaseGrants({ authenticator, owner }: DataApi["roles"]): Grant[] {
  const grant = (role: string, privileges: readonly string[]) => ({
    role,
    schema: undefined,
    kind: "database" as const,
    privileges,
  });
  return [grant(PUBLIC, []), grant(authenticator, ["CONNECT"]), grant(owner, ["CONNECT", "TEMPORARY"])];
}

/**
 * Returns the grants of a schema: the anonymous role may read, and only if the schema is exposed. Functions stay closed even there: PostgREST
 * would offer each of them as a call. What PUBLIC has, the anonymous role has, too, so PUBLIC has nothing.
 */
function schemaGrants(schema: string, exposed: boolean, anonymous: string): Grant[] {
  return [
    { role: PUBLIC, schema, kind: "schema", privileges: [] },
    { role: PUBLIC, schema, kind: "function", privileges: [] },
    { role: anonymous, schema, kind: "schema", privileges: exposed ? ["USAGE"] : [] },
    { role: anonymous, schema, kind: "table", privileges: exposed ? ["SELECT"] : [] },
    { role: anonymous, schema, kind: "sequence", privileges: [] },
    { role: anonymous, schema, kind: "function", privileges: [] },
  ];
}

/** Returns the grants of a writer, which creates relations in the exposed schemas, in a database that the stack creates. */
function writerGrants(role: string, exposed: readonly string[]): Grant[] {
  return [
    { role, schema: undefined, kind: "database", privileges: ["CONNECT", "TEMPORARY"] },
    ...exposed.map((schema) => ({ role, schema, kind: "schema" as const, privileges: ["USAGE", "CREATE"] })),
  ];
}

/** Returns grants with which only the anonymous role executes the functions of the schema. */
function functionGrants(schema: string, anonymous: string): Grant[] {
  return [
    { role: PUBLIC, schema, kind: "function", privileges: [] },
    { role: anonymous, schema, kind: "schema", privileges: ["USAGE"] },
    { role: anonymous, schema, kind: "function", privileges: ["EXECUTE"] },
  ];
}

/**
 * Returns privileges on objects that the owner and the writers create later. Default privileges are those of the creating role, so each role has its own
 * entry; without one, clients could not read its next table. EXECUTE is revoked from PUBLIC without a schema, because an entry for a schema can
 * only add privileges to the global entry.
 */
function defaultPrivileges(
  exposed: readonly string[],
  { existing, writers, roles: { anonymous, owner } }: Pick<DataSettings, "existing" | "writers" | "roles">,
): DefaultPrivilege[] {
  // Other programs of an existing database may call what a writer creates there.
  const creators = existing ? [owner] : [owner, ...writers];
  return [
    ...creators.map((creator) => {
      return { owner: creator, role: PUBLIC, schema: undefined, kind: "function" as const, privileges: [] };
    }),
    ...[owner, ...writers].flatMap((creator) =>
      exposed.map((schema) => {
        return { owner: creator, role: anonymous, schema, kind: "table" as const, privileges: ["SELECT"] };
      }),
    ),
  ];
}
