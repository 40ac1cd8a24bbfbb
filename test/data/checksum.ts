/** A checksum of the database: rows, sequences, large objects, definitions, comments and privileges. */
import { createHash } from "node:crypto";
import type { Client } from "pg";
import { withDatabase } from "./apiClient.ts";

const SYSTEM = `('pg_catalog', 'information_schema', 'pg_toast')`;

/** System catalogs without values that Postgres updates itself (statistics, transaction ids). */
const CATALOGS = [
  `select relnamespace::regnamespace, relname, relkind, relowner::regrole, relacl, reloptions from pg_class where relkind <> 't'`,
  `select attrelid, attname, atttypid, attnotnull, attacl, attisdropped from pg_attribute where attnum > 0`,
  `select oid, pg_get_expr(adbin, adrelid) from pg_attrdef`,
  `select conrelid, conname, pg_get_constraintdef(oid) from pg_constraint`,
  `select indexrelid, pg_get_indexdef(indexrelid) from pg_index`,
  `select oid, pg_get_triggerdef(oid) from pg_trigger`,
  `select ev_class, rulename, pg_get_ruledef(oid) from pg_rewrite where ev_class >= 16384`,
  `select pronamespace, proname, proowner, proacl, proconfig, prosecdef, md5(prosrc) from pg_proc`,
  `select oid, nspname, nspowner, nspacl from pg_namespace where nspname !~ '^pg_(toast_)?temp_'`,
  `select * from pg_default_acl`,
  `select * from pg_event_trigger`,
  `select * from pg_description`,
  `select * from pg_extension`,
  `select * from pg_type where oid >= 16384`,
  `select oid, rolname, rolsuper, rolinherit, rolcreaterole, rolcanlogin, rolconnlimit, rolpassword from pg_authid`,
  `select roleid, member, admin_option from pg_auth_members`,
  `select * from pg_db_role_setting`,
  `select datname, datdba, datacl from pg_database`,
  `select * from pg_sequences`,
  `select loid, pageno, data from pg_largeobject`,
];

/** Returns a checksum that is equal for equal contents of the database. */
export function checksum(): Promise<string> {
  return withDatabase(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
       where relkind in ('r', 'm') and nspname not in ${SYSTEM} order by 1`,
    );
    const queries = [...rows.map(({ name }) => `select * from ${name}`), ...CATALOGS];
    const hash = createHash("sha256");
    for (const query of queries) hash.update(`${query}: ${await sumOf(client, query)}\n`);
    return hash.digest("hex");
  });
}

/** Adds up a hash of each row, since rows have no order. */
async function sumOf(client: Client, query: string): Promise<string> {
  const sum = `count(*) || ' ' || coalesce(sum(hashtextextended(q::text, 0)), 0)`;
  const { rows } = await client.query<{ sum: string }>(`select ${sum} as sum from (${query}) q`);
  return rows[0]?.sum ?? "";
}
