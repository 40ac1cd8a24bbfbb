/** A database that exists before the data API: what the migrations need in it. Only reads its catalogs. */
import { readFileSync } from "node:fs";
import { type Client, type ClientConfig, escapeLiteral } from "pg";
import type { DataApi } from "../../../config/settings.ts";
import { UnreachableError, withDatabase } from "../../clients/database.ts";
import { META_VIEWS } from "../contract/check.ts";
import { outageOf, unhandledTables } from "../grants/foreignTables.ts";
import { quoted } from "../grants/sql.ts";
import { type Check, failed, passed } from "../check.ts";
import { listed } from "../../text.ts";

const FOREIGN_OBJECTS = new URL("../../../infra/data/sql/001_foreign_objects.sql", import.meta.url);

interface Facts {
  /** A statement for each missing privilege on the first exposed schema. The migrations create schemas that are missing. */
  readonly grants: readonly string[];
  readonly writers: readonly string[];
}

// The migrations make the administrator a member of the schema's owner and of the writers, where it may: by the ADMIN option, before Postgres 16
// by CREATEROLE (006_memberships.sql).
const FACTS = `
  select
    array(
      select format('GRANT %s ON SCHEMA %I TO %I;', privilege, n.nspname, current_user)
      from pg_namespace n, unnest(array['USAGE', 'CREATE']) privilege
      where n.nspname = $1 and not has_schema_privilege(n.oid, privilege) and not exists (
        select from pg_roles r
        where (r.oid = n.nspowner or r.rolname = any ($2::text[])) and has_schema_privilege(r.oid, n.oid, privilege) and (
          pg_has_role(r.oid, 'MEMBER WITH ADMIN OPTION')
          or current_setting('server_version_num')::int < 160000 and not r.rolsuper
            and (select rolcreaterole from pg_roles where rolname = current_user)))
    ) as grants,
    array(select writer from unnest($2::text[]) writer where not exists (select from pg_roles where rolname = writer)) as writers`;

/**
 * Checks the privileges of the administrator in an existing database.
 * @param config of a connection to the server
 * @param found whether the server has the database
 * @throws what a query throws
 */
export async function existingDatabase(config: ClientConfig, dataApi: DataApi, found: boolean): Promise<Check[]> {
  const { database, exposed, writers } = dataApi;
  const name = "existing database";
  if (!found) {
    const hint = "create it, correct the name, or remove existing: true";
    return [failed(name, `data_api.database: the server has no database "${database}"`, hint)];
  }
  try {
    return await withDatabase({ ...config, database }, async (client) => {
      const [facts] = (await client.query<Facts>(FACTS, [exposed[0], writers])).rows;
      if (facts === undefined) return [];
      return [
        passed(name, database),
        ...checksOf(facts, dataApi, `${config.user}`),
        ...(await foreignObjects(client, dataApi)),
        ...(await foreignTables(client)),
      ];
    });
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    const hint = /permission denied/.test(error.message)
      ? `as its owner run: GRANT CONNECT ON DATABASE ${quoted(database)} TO ${quoted(`${config.user}`)}`
      : "permit connections to it: pg_hba.conf, and ALTER DATABASE … ALLOW_CONNECTIONS";
    return [failed(name, error.message, hint)];
  }
}

function* checksOf(facts: Facts, { exposed: [api = ""], writers }: DataApi, user: string): Iterable<Check> {
  const views = "views of the catalog";
  if (facts.grants.length === 0) yield passed(views, `${user} may create them in schema ${api}`);
  else {
    const problem = `postgres.user: ${user} may not create ${listed(META_VIEWS)} in schema ${api}`;
    const hint = `put a new schema first in data_api.schemas.exposed, or as its owner run: ${facts.grants.join(" ")}`;
    yield failed(views, problem, hint);
  }
  if (facts.writers.length > 0) {
    const problem = `data_api.writers: the server has no role "${facts.writers.join('", "')}"`;
    yield failed("writers", problem, "create it, correct the name, or remove it");
  } else if (writers.length > 0) yield passed("writers", writers.join(", "));
}

/** An object that Gatehouse did not create, with a name that it needs. */
interface ForeignObject {
  readonly name: string;
  readonly message: string;
  readonly hint: string;
}

/** Lists what the migrations stop at, with their own query. */
async function foreignObjects(client: Client, { exposed, roles }: DataApi): Promise<Check[]> {
  const variables: Readonly<Record<string, string>> = { existing: "on", api: exposed[0] ?? "", owner: roles.owner };
  const sql = readFileSync(FOREIGN_OBJECTS, "utf8").replace(/:'(\w+)'/g, (_text, name: string) =>
    escapeLiteral(variables[name] ?? ""),
  );
  const { rows } = await client.query<{ found: string }>(sql);
  const found = rows.flatMap((row) => JSON.parse(row.found) as ForeignObject[]);
  if (found.length === 0) return [passed("names of Gatehouse's objects", "no other object has them")];
  return found.map(({ name, message, hint }) => failed(name, message, hint));
}

async function foreignTables(client: Client): Promise<Check[]> {
  const found = await unhandledTables(client);
  if (found.length === 0) return [passed("foreign tables", "no wrapper lacks a handler")];
  return found.map((table) => {
    const { problem, hint } = outageOf(table);
    return failed("foreign tables", `${table.name} ${problem}`, hint);
  });
}
