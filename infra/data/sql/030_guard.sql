-- A view reads with its owner's rights, a table returns the rows of its partitions and children, and these contain rows of it: so a relation of an exposed
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
    message = pg_catalog.format('%s %s serves rows of %s, which contains personal data: everyone could read them',
      leak.kind, leak.relation, leak.private_relation),
    hint = pg_catalog.format('Take the rows of %s out of it (a partition: detach it), drop it, or move it to a private schema.', leak.private_relation);
end
$$;

-- Two transactions can expose a private relation together, and neither sees what the other one has not committed. So each is checked again at its commit, one
-- after the other: it keeps a lock from this check to the end of its commit. A trigger of a row runs then; the row exists inside of the transaction only.
create table if not exists gatehouse.guarded (transaction xid8 primary key);
comment on table gatehouse.guarded is 'Transactions with DDL that are checked at their commit';

create or replace function gatehouse.guard_commit() returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- No lock of a row: a transaction with an older snapshot (pg_repack uses SERIALIZABLE) would fail at its commit.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('gatehouse.guarded', 0));
  perform gatehouse.refuse_leaks();
  delete from gatehouse.guarded where transaction = new.transaction;
  return null;
end
$$;

do $$
begin
  if exists (
    select from pg_catalog.pg_trigger t where t.tgrelid = 'gatehouse.guarded'::pg_catalog.regclass and t.tgenabled = 'A'
  ) then return; end if;
  -- Runs pending triggers first: one with pending events cannot be replaced.
  set constraints all immediate;
  drop trigger if exists guard_commit on gatehouse.guarded;
  create constraint trigger guard_commit after insert on gatehouse.guarded deferrable initially deferred
    for each row execute function gatehouse.guard_commit();
  alter table gatehouse.guarded enable always trigger guard_commit;
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
  -- Some programs create a temporary relation for each request.
  if exists (select from pg_catalog.pg_event_trigger_ddl_commands() c where c.schema_name is distinct from 'pg_temp') then
    insert into gatehouse.guarded values (pg_catalog.pg_current_xact_id()) on conflict do nothing;
  end if;
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
