-- A view answers with its owner's rights, a table with the rows of its partitions and children, and these with rows of that table: so a relation of an exposed
-- schema that reads one of a private schema, at any depth, would serve personal data to everyone. DDL that leads there is refused.
drop event trigger if exists gatehouse_guard_private;

-- Each exposed relation that reads a private one. Searches upwards from the private ones, which are few, and from their partitions and children, whose rows
-- they contain.
create or replace function gatehouse.leaks() returns table (kind text, relation text, private_relation text)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with recursive private(relation, source) as (
    select c.oid, c.oid
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (pg_catalog.string_to_array(gatehouse.setting('private'), ','))
      and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union
    select i.inhrelid, private.source from private join pg_catalog.pg_inherits i on i.inhparent = private.relation
  ), readers(relation, source) as (
    select private.relation, private.source from private
    union
    select reader.relation, readers.source
    from readers cross join lateral (
      select r.ev_class
      from pg_catalog.pg_depend d join pg_catalog.pg_rewrite r on r.oid = d.objid
      where d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = readers.relation
        and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
      union all
      select i.inhparent from pg_catalog.pg_inherits i where i.inhrelid = readers.relation
    ) as reader(relation)
  )
  select
    case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
    pg_catalog.format('%I.%I', n.nspname, c.relname),
    pg_catalog.format('%I.%I', source_schema.nspname, source.relname)
  from readers
  join pg_catalog.pg_class c on c.oid = readers.relation
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_class source on source.oid = readers.source
  join pg_catalog.pg_namespace source_schema on source_schema.oid = source.relnamespace
  where n.nspname = any (pg_catalog.string_to_array(gatehouse.setting('exposed'), ','))
  order by 2, 3
$$;

create or replace function gatehouse.refuse_leaks() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  leak record;
begin
  select * into leak from gatehouse.leaks() limit 1;
  if not found then return; end if;
  raise insufficient_privilege using
    message = pg_catalog.format('%s %s reads %s, which contains personal data: everyone could read it there',
      leak.kind, leak.relation, leak.private_relation),
    hint = pg_catalog.format('Remove %s from it, drop it, or move it to a private schema.', leak.private_relation);
end
$$;

-- With the rights of its owner: the role that runs the DDL may not call what is in this schema.
create or replace function gatehouse.guard_private() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform gatehouse.refuse_leaks();
end
$$;

-- Always: also in sessions with session_replication_role = replica, which bulk loads use.
select gatehouse.attempt($$
create event trigger gatehouse_guard_private on ddl_command_end
  when tag in (
    'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW', 'CREATE RULE', 'CREATE TABLE', 'CREATE TABLE AS',
    'SELECT INTO', 'ALTER TABLE', 'ALTER SEQUENCE', 'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE', 'IMPORT FOREIGN SCHEMA', 'CREATE SCHEMA', 'ALTER SCHEMA',
    'CREATE EXTENSION', 'ALTER EXTENSION'
  )
  execute function gatehouse.guard_private();
alter event trigger gatehouse_guard_private enable always
$$);

-- What was there before the trigger.
select gatehouse.refuse_leaks();
