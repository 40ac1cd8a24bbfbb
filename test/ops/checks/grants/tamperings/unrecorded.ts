import { asOwner } from "./objects.ts";
import { can, type Tampering } from "./tampering.ts";

export const UNRECORDED: readonly Tampering[] = [
  {
    name: "reports statistics of private relations, also through a hidden view",
    sql: asOwner(`CREATE VIEW catalog.stats AS SELECT tablename, most_common_vals::text AS vals FROM pg_catalog.pg_stats;
      CREATE MATERIALIZED VIEW marts.column_stats AS SELECT * FROM catalog.stats`),
    found: [
      [
        "materialized view marts.column_stats",
        "serves rows of pg_stats through catalog.stats, which describes private relations, too",
      ],
    ],
    fix: "DROP MATERIALIZED VIEW marts.column_stats",
  },
  {
    name: "reports a view of the system catalog, which has comments and password hashes",
    sql: "CREATE VIEW marts.logins AS SELECT rolname, rolpassword FROM pg_catalog.pg_authid; ALTER VIEW marts.logins OWNER TO pipeline",
    found: [["view marts.logins", "serves rows of pg_authid, which describes private relations, too"]],
    fix: "DROP VIEW marts.logins",
  },
  {
    name: "reports a materialized view that runs a text as SQL",
    sql: asOwner(`CREATE MATERIALIZED VIEW marts.document AS
      SELECT query_to_xml('select name from private_marts.people', true, false, '')::text AS x`),
    found: [
      [
        "materialized view marts.document",
        "is filled with what query_to_xml(text,boolean,boolean,text) returns, with the rights of an owner",
      ],
    ],
    condition: can("table", "marts.document", "SELECT"),
    fix: "DROP MATERIALIZED VIEW marts.document",
  },
  {
    name: "reports a materialized view whose search query is rewritten with the rows of a text that runs as SQL",
    sql: asOwner(`CREATE MATERIALIZED VIEW marts.query AS
        SELECT ts_rewrite('a'::tsquery, 'select ''a''::tsquery, name::tsquery from private_marts.people')::text AS q;
      CREATE MATERIALIZED VIEW marts.rewritten AS SELECT ts_rewrite('a'::tsquery, 'a'::tsquery, 'b'::tsquery)::text AS q`),
    found: [
      [
        "materialized view marts.query",
        "is filled with what ts_rewrite(tsquery,text) returns, with the rights of an owner",
      ],
    ],
    fix: "DROP MATERIALIZED VIEW marts.query",
  },
  {
    name: "reports functions that return comments, definitions and names of any object, also through a hidden view, but not a view of partitions",
    sql: asOwner(`CREATE VIEW catalog.described AS SELECT obj_description(id::oid, 'pg_class') AS comment, pg_get_viewdef(id::oid) AS query FROM marts.sales;
      CREATE VIEW marts.described AS SELECT * FROM catalog.described;
      CREATE VIEW marts.objects AS SELECT pg_describe_object(1259, id::oid, 0) AS name FROM marts.sales;
      CREATE VIEW marts.partitions AS SELECT tableoid::regclass::text AS partition, year FROM marts.events`),
    found: [
      [
        "view marts.described",
        "serves what obj_description(oid,name) returns through catalog.described, which describes private relations, too",
      ],
      [
        "view marts.described",
        "serves what pg_get_viewdef(oid) returns through catalog.described, which describes private relations, too",
      ],
      [
        "view marts.objects",
        "serves what pg_describe_object(oid,oid,integer) returns, which describes private relations, too",
      ],
    ],
    fix: "DROP VIEW marts.described, marts.objects",
  },
  {
    name: "reports a materialized view that a function fills whose body is text",
    sql: asOwner(`CREATE FUNCTION catalog.names() RETURNS SETOF text LANGUAGE sql STABLE AS 'SELECT name FROM private_marts.people';
      CREATE FUNCTION marts.upper_name(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN upper(name); END';
      CREATE MATERIALIZED VIEW marts.persons AS SELECT marts.upper_name(n) AS name FROM catalog.names() AS n`),
    found: [
      [
        "materialized view marts.persons",
        "is filled with what catalog.names() returns, whose body is text: what it reads is not recorded",
      ],
    ],
    fix: "DROP MATERIALIZED VIEW marts.persons",
  },
  {
    name: "reports views that read with dblink, also in a function, whatever the rights of the client",
    sql: `CREATE EXTENSION dblink SCHEMA public;
      ${asOwner(`CREATE FUNCTION catalog.remote() RETURNS TABLE (name text) LANGUAGE sql STABLE
        BEGIN ATOMIC SELECT name FROM public.dblink('dbname=warehouse', 'select name from private_marts.people') AS _(name text); END;
      CREATE VIEW marts.near AS SELECT name FROM public.dblink('dbname=warehouse', 'select name from private_marts.people') AS _(name text);
      CREATE MATERIALIZED VIEW marts.far AS SELECT name FROM catalog.remote() WITH NO DATA`)}`,
    found: [
      [
        "materialized view marts.far",
        "calls public.dblink(text, text), which reads with credentials of its own: what it reads is not recorded",
      ],
      [
        "view marts.near",
        "calls public.dblink(text, text), which reads with credentials of its own: what it reads is not recorded",
      ],
    ],
    condition: can("function", "public.dblink(text, text)", "EXECUTE"),
    fix: "DROP VIEW marts.near; DROP MATERIALIZED VIEW marts.far",
  },
  {
    name: "reports a foreign table that reads a private table of the same database",
    sql: `CREATE FOREIGN DATA WRAPPER loop; DO $$ BEGIN EXECUTE format('CREATE SERVER loop FOREIGN DATA WRAPPER loop OPTIONS (dbname %L)', current_database()); END $$;
      GRANT USAGE ON FOREIGN SERVER loop TO pipeline;
      ${asOwner("CREATE FOREIGN TABLE catalog.person (name text) SERVER loop OPTIONS (schema_name 'private_marts', table_name 'people'); CREATE VIEW marts.person AS SELECT name FROM catalog.person")}`,
    found: [
      [
        "view marts.person",
        "serves rows of the private private_marts.people through catalog.person, through a foreign server",
      ],
      [
        "foreign table catalog.person",
        "has the foreign-data wrapper loop, which has no handler: PostgREST cannot load its schema cache, and every request is answered with 503",
      ],
    ],
    fix: "DROP VIEW marts.person; DROP FOREIGN TABLE catalog.person",
  },
  {
    name: "reports a view with the name of one of the API's own in another schema",
    sql: "CREATE VIEW marts.meta_sources AS SELECT rolname FROM pg_catalog.pg_authid; ALTER VIEW marts.meta_sources OWNER TO pipeline",
    found: [["view marts.meta_sources", "serves rows of pg_authid, which describes private relations, too"]],
    fix: "DROP VIEW marts.meta_sources",
  },
];
