/** The current columns of a database, read from its system catalog. */
import type { ClientBase } from "pg";
import type { Contract } from "./contract.ts";

interface Row {
  readonly name: string;
  readonly columns: readonly { name: string; type: string; nullable: boolean }[];
}

/**
 * Reads a schema as PostgREST serves it: tables, views, materialized views and foreign tables, without partitions. Every role may; what
 * anonymous clients may read is verified elsewhere, by the grants. One statement, so it sees one moment; inside a transaction it sees what
 * that transaction did.
 * @param declared the lock file: a column of a view, or of a domain with NOT NULL, is nullable unless it declares otherwise
 * @returns a contract without relations when the schema is empty or does not exist
 */
export async function readSystemCatalog(
  client: Pick<ClientBase, "query">,
  schema: string,
  declared?: Contract,
): Promise<Contract> {
  const { rows } = await client.query<Row>(RELATIONS, [schema]);
  const relations = rows.map(({ name, columns }) => {
    const known = declared?.relations.get(name);
    const shapes = columns.map(({ name: column, type, nullable }) => {
      return [column, { type, nullable: nullable ?? known?.get(column)?.nullable ?? true }] as const;
    });
    return [name, new Map(shapes)] as const;
  });
  return { schema, relations: new Map(relations) };
}

/**
 * A NOT NULL that is not yet valid, or that tables which inherit need not keep, guarantees nothing, nor does that of a foreign table. Neither does
 * that of a domain: an insert of `(select column from table where false)` is not checked (PostgreSQL, CREATE DOMAIN, "Notes").
 * `format_type` leaves out the schemas of the search path, which is not part of a contract, so they are put back.
 */
const RELATIONS = `
  select c.relname::text as name,
    coalesce((
      select pg_catalog.json_agg(pg_catalog.json_build_object(
        'name', a.attname,
        'type', case when n.nspname <> 'pg_catalog' and pg_catalog.pg_type_is_visible(e.oid)
          then pg_catalog.quote_ident(n.nspname) || '.' else '' end || pg_catalog.format_type(a.atttypid, a.atttypmod),
        'nullable', case
          when c.relkind in ('r', 'p') and a.attnotnull and not exists (
            select from pg_catalog.pg_constraint k
            where k.conrelid = c.oid and k.contype = 'n' and k.conkey = array[a.attnum]
              and (not k.convalidated or k.connoinherit)) then false
          when c.relkind not in ('v', 'm') and not t.typnotnull or c.relkind = 'f' then true end
      ))
      from pg_catalog.pg_attribute a
      join pg_catalog.pg_type t on t.oid = a.atttypid
      join pg_catalog.pg_type e on e.oid = case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.oid end
      join pg_catalog.pg_namespace n on n.oid = e.typnamespace
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ), '[]') as columns
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition`;
