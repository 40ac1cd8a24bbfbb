-- Copies comments of tables to the views that read them, because the descriptions of the API consist of comments, and Postgres gives a view none:
-- - the comment of a column to each column of a view that returns it, also under another name, and through other views
-- - the comment of a relation to a view that reads no other relation
-- A comment that a role wrote on the view stays. A copied comment changes with its origin, so the table below records which ones are copies.
drop event trigger if exists gatehouse_comments;

-- Earlier versions had columns of the type regclass. pg_dump creates a materialized view with GROUP BY of a primary key after the rows of all tables, so
-- pg_restore could not read its name.
do $$
begin
  if exists (
    select from pg_catalog.pg_attribute a
    where a.attrelid = pg_catalog.to_regclass('gatehouse.carried_comment') and a.attname = 'relation'
      and a.atttypid = 'pg_catalog.regclass'::pg_catalog.regtype) then
    drop view if exists gatehouse.passed_on, gatehouse.written_comment;
    drop table if exists gatehouse.view_origins;
    alter table gatehouse.carried_comment alter relation type oid, add name text;
    delete from gatehouse.carried_comment c where not exists (select from pg_catalog.pg_class where oid = c.relation);
    update gatehouse.carried_comment set name = relation::pg_catalog.regclass;
  end if;
end
$$;

create table if not exists gatehouse.carried_comment (
  relation oid,
  position integer,
  comment text not null,
  name text,
  primary key (relation, position)
);
comment on table gatehouse.carried_comment is 'Comments on views that no role wrote there; position 0 is the view itself. The name of the view is for a restored dump, '
  'in which other relations have these OIDs';

create table if not exists gatehouse.skipped_view (view oid not null);
comment on table gatehouse.skipped_view is 'Views whose comments the next statement brings up to date, because another transaction had locked them';

create or replace view gatehouse.written_comment as
select d.objoid as relation, d.objsubid as position, d.description as comment
from pg_catalog.pg_description d
left join gatehouse.carried_comment c on c.relation = d.objoid and c.position = d.objsubid and c.comment = d.description
where d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and c.relation is null;

-- Returns the column from which each column of a view comes; position 0 is the relation that the view reads, if it reads one only. The function parses the
-- text of the view's rule: its columns are in four pairs of brackets, those of subqueries in more. A backslash escapes a character of a name.
create or replace function gatehouse.origins(view oid) returns table ("position" integer, origin oid, origin_position integer)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with rule as (
    select r.oid, r.ev_action::text as action from pg_catalog.pg_rewrite r where r.ev_class = view and r.rulename = '_RETURN'
  ), tokens as (
    select
      place, token[1] as bracket, token[2] as field, token[3] as value,
      pg_catalog.sum(case when token[1] in ('(', '{') then 1 when token[1] in (')', '}') then -1 else 0 end) over (order by place) as depth
    from rule, pg_catalog.regexp_matches(rule.action, '\\.|([(){}])|:res(no|origtbl|origcol) (\d+)', 'g') with ordinality as _(token, place)
  ), fields as (
    select value, field, pg_catalog.count(*) filter (where field = 'no') over (order by place) as entry
    from tokens where field is not null and depth = 4
  )
  select
    pg_catalog.max(value) filter (where field = 'no')::integer,
    pg_catalog.max(value) filter (where field = 'origtbl')::oid,
    pg_catalog.max(value) filter (where field = 'origcol')::integer
  from fields group by entry
  having pg_catalog.max(value) filter (where field = 'origtbl') <> '0'
  union all
  select 0, pg_catalog.max(source.oid), 0
  from (
    select distinct c.oid
    from rule
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = rule.oid
    join pg_catalog.pg_class c on d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and c.oid = d.refobjid
    where c.oid <> view and c.relkind in ('r', 'p', 'v', 'm', 'f')
  ) as source
  having pg_catalog.count(*) = 1
$$;

-- A cache of gatehouse.origins, which takes milliseconds for each view. The column rule is the xmin of the view's rule, which changes when the view is replaced.
create table if not exists gatehouse.view_origins (
  view oid primary key,
  rule xid not null,
  positions integer[] not null,
  origins oid[] not null,
  origin_positions integer[] not null
);
comment on table gatehouse.view_origins is 'The result of gatehouse.origins for each view';

create or replace view gatehouse.passed_on as
select v.view, o.position, o.origin, o.origin_position
from gatehouse.view_origins v
cross join lateral unnest(v.positions, v.origins, v.origin_positions) as o(position, origin, origin_position);

-- Keeps those of one view, unless another transaction does so.
create or replace function gatehouse.read_rule(of_view oid, of_rule xid) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '10ms'
as $$
begin
  insert into gatehouse.view_origins
  select of_view, of_rule, coalesce(pg_catalog.array_agg(o."position"), '{}'), coalesce(pg_catalog.array_agg(o.origin), '{}'),
    coalesce(pg_catalog.array_agg(o.origin_position), '{}')
  from gatehouse.origins(of_view) o
  on conflict (view) do update set rule = excluded.rule, positions = excluded.positions, origins = excluded.origins,
    origin_positions = excluded.origin_positions;
exception when lock_not_available then
  return;
end
$$;

-- DDL of one pipeline must not wait for the end of another one's transaction: rows that another transaction is deleting are left to it.
create or replace function gatehouse.read_rules() returns void
  language sql
  set search_path = pg_catalog, pg_temp
as $$
  delete from gatehouse.view_origins where view in (
    select v.view from gatehouse.view_origins v where not exists (select from pg_catalog.pg_class c where c.oid = v.view)
    for update of v skip locked);
  with unknown as materialized (
    select r.ev_class as view, r.xmin as rule
    from pg_catalog.pg_rewrite r
    join pg_catalog.pg_class c on c.oid = r.ev_class
    left join gatehouse.view_origins known on known.view = r.ev_class and known.rule = r.xmin
    -- Those below are the system's own.
    where r.rulename = '_RETURN' and r.ev_class >= 16384 and c.relpersistence <> 't' and known.view is null
  )
  select gatehouse.read_rule(u.view, u.rule) from unknown u
$$;

-- Finds the carried comments of these views in a restored database, where other relations or none have their OIDs, and keeps the names of renamed views.
drop function if exists gatehouse.resolve_names();
create or replace function gatehouse.resolve_names(views oid[]) returns void
  language sql
  set search_path = pg_catalog, pg_temp
as $$
  update gatehouse.carried_comment c set relation = stale.found
  from (
    select c.relation, c."position", view.oid as found
    from gatehouse.carried_comment c
    join pg_catalog.pg_class view on view.oid = any (views) and view.oid <> c.relation
    join pg_catalog.pg_namespace n on n.oid = view.relnamespace and c.name = pg_catalog.format('%I.%I', n.nspname, view.relname)
    where not exists (
      select from pg_catalog.pg_description d where d.objoid = c.relation and d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
        and d.objsubid = c."position" and d.description = c.comment)
    for update of c skip locked
  ) as stale
  where c.relation = stale.relation and c."position" = stale."position"
    and not exists (select from gatehouse.carried_comment other where other.relation = stale.found and other."position" = stale."position");
  update gatehouse.carried_comment c set name = renamed.name
  from (
    select c.relation, c."position", pg_catalog.format('%I.%I', n.nspname, view.relname) as name
    from gatehouse.carried_comment c
    join pg_catalog.pg_class view on view.oid = c.relation
    join pg_catalog.pg_namespace n on n.oid = view.relnamespace
    where c.relation = any (views) and c.name is distinct from pg_catalog.format('%I.%I', n.nspname, view.relname)
    for update of c skip locked
  ) as renamed
  where c.relation = renamed.relation and c."position" = renamed."position";
$$;

-- Changes the comment of a view or, with a position, of its column. Returns false if another transaction has locked or dropped the view.
drop function if exists gatehouse.comment(text);
create or replace function gatehouse.comment(view oid, "position" integer, comment text) returns boolean
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '10ms'
as $$
declare
  what text;
begin
  select case
    when comment."position" > 0 then pg_catalog.format('column %I.%I.%I', n.nspname, c.relname,
      (select a.attname from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum = comment."position"))
    when c.relkind = 'm' then pg_catalog.format('materialized view %I.%I', n.nspname, c.relname)
    else pg_catalog.format('view %I.%I', n.nspname, c.relname)
  end into what
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = comment.view;
  if not found then return false; end if;
  execute pg_catalog.format('comment on %s is %L', what, comment.comment);
  return true;
exception when lock_not_available or undefined_table or undefined_column or wrong_object_type or invalid_schema_name then
  return false;
end
$$;

-- Brings the carried comments up to date: of the exposed views among these relations and of all that read them, and of those that were skipped before; null =
-- of all. Two transactions can change comments of one view, in any order: neither waits for the other, which would be a deadlock if both did.
create or replace function gatehouse.carry_comments(changed oid[]) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  views oid[];
  skipped oid[];
  difference record;
begin
  perform pg_catalog.set_config('gatehouse.carrying', 'on', true);
  perform gatehouse.read_rules();
  with locked as materialized (
    select ctid as place from gatehouse.skipped_view for update skip locked
  ), deleted as (
    delete from gatehouse.skipped_view where ctid in (select place from locked) returning view
  )
  select pg_catalog.array_agg(distinct view) into skipped from deleted;

  with recursive readers(relation) as (
    select pg_catalog.unnest(changed || skipped)
    union
    select r.ev_class
    from readers
    join pg_catalog.pg_depend d
      on d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = readers.relation
      and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
    join pg_catalog.pg_rewrite r on r.oid = d.objid
  )
  select pg_catalog.array_agg(c.oid) into views
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('v', 'm')
    -- Only their owner comments on views, and in an existing database that may be a role for which the administrator cannot act.
    and pg_catalog.pg_has_role(c.relowner, 'USAGE')
    and n.nspname = any (pg_catalog.string_to_array(gatehouse.setting('exposed'), ','))
    and (changed is null or c.oid in (select relation from readers));
  if views is null then
    perform pg_catalog.set_config('gatehouse.carrying', 'off', true);
    return;
  end if;
  perform gatehouse.resolve_names(views);

  for difference in
    with recursive origin(view, "position", relation, relation_position, comment) as (
      select p.view, p."position", p.origin, p.origin_position, w.comment
      from gatehouse.passed_on p
      left join gatehouse.written_comment w on w.relation = p.origin and w."position" = p.origin_position
      where p.view = any (views)
        and not exists (select from gatehouse.written_comment own where own.relation = p.view and own."position" = p."position")
      union
      select o.view, o."position", p.origin, p.origin_position, w.comment
      from origin o
      join gatehouse.passed_on p on p.view = o.relation and p."position" = o.relation_position
      left join gatehouse.written_comment w on w.relation = p.origin and w."position" = p.origin_position
      where o.comment is null
    ), wanted as (
      select view, "position", comment from origin where comment is not null
    ), carried as (
      select c.relation as view, c."position", c.comment from gatehouse.carried_comment c
      join pg_catalog.pg_description d on d.objoid = c.relation and d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
        and d.objsubid = c."position" and d.description = c.comment
      where c.relation = any (views)
    )
    select
      view, "position", wanted.comment
    from wanted full join carried using (view, "position")
    where wanted.comment is distinct from carried.comment
  loop
    if not gatehouse.comment(difference.view, difference."position", difference.comment) then
      insert into gatehouse.skipped_view values (difference.view);
    elsif difference.comment is not null then
      insert into gatehouse.carried_comment
      values (difference.view, difference."position", difference.comment, difference.view::pg_catalog.regclass)
      on conflict (relation, "position") do update set comment = excluded.comment, name = excluded.name;
    end if;
  end loop;

  -- Forgets copies on views that were dropped, or that a role has overwritten; as in read_rules, without waiting.
  delete from gatehouse.carried_comment where (relation, "position") in (
    select c.relation, c."position" from gatehouse.carried_comment c
    where (c.relation = any (views) or not exists (select from pg_catalog.pg_class where oid = c.relation)) and not exists (
      select from pg_catalog.pg_description d where d.objoid = c.relation and d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
        and d.objsubid = c."position" and d.description = c.comment)
    for update of c skip locked);
  perform pg_catalog.set_config('gatehouse.carrying', 'off', true);
end
$$;

-- With the rights of its owner: no other role can use the tables above.
create or replace function gatehouse.carry_changed_comments() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  changed oid[];
begin
  if pg_catalog.current_setting('gatehouse.carrying', true) = 'on' then return; end if;
  select pg_catalog.array_agg(distinct c.objid) into changed
  from pg_catalog.pg_event_trigger_ddl_commands() c
  where c.classid = 'pg_catalog.pg_class'::pg_catalog.regclass;
  if changed is not null then perform gatehouse.carry_comments(changed); end if;
end
$$;

select gatehouse.attempt($$
create event trigger gatehouse_comments on ddl_command_end
  when tag in (
    'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW', 'ALTER TABLE', 'COMMENT', 'CREATE SCHEMA'
  )
  execute function gatehouse.carry_changed_comments()
$$);

-- Copies the comments that are older than the trigger.
select gatehouse.carry_comments(null);
