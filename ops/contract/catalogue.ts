/** The contract that a database keeps at this moment, read from its catalogue. */
import type { ClientBase } from "pg";
import type { Column, Columns, Contract } from "./contract.ts";
import { Nullability, type Source } from "./nullability.ts";

interface Row {
  readonly oid: string;
  readonly name: string;
  /** Of the schema itself, and not only read by one of its views. */
  readonly own: boolean;
  readonly query: string | null;
  readonly columns: readonly { number: number; name: string; type: string; not_null: boolean }[];
}

/**
 * Reads a schema as PostgREST serves it: tables, views, materialized views and foreign tables, without partitions. Every role may; what
 * anonymous clients may read is proven elsewhere, by the grants. One statement, so it sees one moment; inside a transaction it sees what
 * that transaction did.
 * @returns a contract without relations when the schema is empty or does not exist
 */
export async function readCatalogue(client: Pick<ClientBase, "query">, schema: string): Promise<Contract> {
  const { rows } = await client.query<Row>(RELATIONS, [schema]);
  const nullability = new Nullability(new Map(rows.map((row) => [row.oid, toSource(row)])));
  const own = rows.filter((row) => row.own).map((row): [string, Columns] => [row.name, toColumns(row, nullability)]);
  return { schema, relations: new Map(own) };
}

function toSource({ columns, query }: Row): Source {
  const notNull = columns.filter((column) => column.not_null).map(({ number }) => number);
  return { notNull: new Set(notNull), query: query ?? undefined };
}

function toColumns({ oid, columns }: Row, nullability: Nullability): Columns {
  return new Map(
    columns.map(({ number, name, type }): [string, Column] => [
      name,
      { type, nullable: !nullability.isNeverNull(oid, number) },
    ]),
  );
}

/**
 * The schema's relations, and everything that their views read. Catalogue tables are added because Postgres notes no dependency on them.
 * A NOT NULL that is not yet valid, or does not hold for the tables that inherit, guarantees nothing, nor does that of a foreign table.
 * `format_type` leaves out the schemas of the search path, which is no part of a contract, so they are put back.
 */
const RELATIONS = `
  with recursive own as (
    select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
  ), reached as (
    select oid from own
    union
    select d.refobjid
    from reached
    join pg_catalog.pg_rewrite w on w.ev_class = reached.oid and w.rulename = '_RETURN'
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = w.oid
      and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
  ), wanted as (
    select oid from reached
    union
    select oid from pg_catalog.pg_class
    where relkind = 'r' and relnamespace = 'pg_catalog'::pg_catalog.regnamespace
  )
  select c.oid::text as oid, c.relname::text as name, c.oid in (select oid from own) as own, w.ev_action::text as query,
    coalesce((
      select pg_catalog.json_agg(pg_catalog.json_build_object(
        'number', a.attnum,
        'name', a.attname,
        'type', case when n.nspname <> 'pg_catalog' and pg_catalog.pg_type_is_visible(e.oid)
          then pg_catalog.quote_ident(n.nspname) || '.' else '' end || pg_catalog.format_type(a.atttypid, a.atttypmod),
        'not_null', c.relkind in ('r', 'p') and (t.typnotnull or a.attnotnull and not exists (
          select from pg_catalog.pg_constraint k
          where k.conrelid = c.oid and k.contype = 'n' and k.conkey = array[a.attnum]
            and (not k.convalidated or k.connoinherit)))
      ))
      from pg_catalog.pg_attribute a
      join pg_catalog.pg_type t on t.oid = a.atttypid
      join pg_catalog.pg_type e on e.oid = case when t.typcategory = 'A' and t.typelem <> 0 then t.typelem else t.oid end
      join pg_catalog.pg_namespace n on n.oid = e.typnamespace
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ), '[]') as columns
  from wanted
  join pg_catalog.pg_class c on c.oid = wanted.oid
  left join pg_catalog.pg_rewrite w on w.ev_class = c.oid and w.rulename = '_RETURN'`;
