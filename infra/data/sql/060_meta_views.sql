-- The views meta_* in the default schema, which serve the catalog. CREATE OR REPLACE VIEW can only add columns at the end, so the views are dropped and
-- created. If a view of a pipeline reads them, they cannot be dropped, and are replaced: that fails after any other change of columns.
do $$
declare
  api constant text := gatehouse.setting('api');
  attempts constant integer := 20;
  lock text;
begin
  -- Dropping or replacing a view waits for transactions that read it, and requests wait behind, for one second at most
  -- (015_role_settings.sql): each attempt is shorter. This statement changes nothing and locks the view only; LOCK TABLE would also lock the
  -- tables that it reads.
  perform pg_catalog.set_config('lock_timeout', '500ms', true);
  for attempt in 1 .. attempts loop
    begin
      for lock in
        select pg_catalog.format('alter view %I.%I owner to %I', api, c.relname, pg_catalog.pg_get_userbyid(c.relowner))
        from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = api and c.relname in ('meta_endpoints', 'meta_sources', 'meta_dimensions')
      loop
        execute lock;
      end loop;
      exit;
    exception when lock_not_available then
      if attempt = attempts then raise; end if;
      perform pg_catalog.pg_sleep(0.5);
    end;
  end loop;
  perform pg_catalog.set_config('lock_timeout', '10s', true);

  begin
    execute pg_catalog.format('drop view if exists %1$I.meta_dimensions, %1$I.meta_sources, %1$I.meta_endpoints', api);
  exception when dependent_objects_still_exist then
    null;
  end;
end
$$;

create or replace view :"api".meta_endpoints as
-- Materialized, so that no filter of a client is computed for another relation, whose name its duration would reveal.
with relation as materialized (
  select c.oid, n.nspname, c.relname, c.relkind, c.reltuples, e.kind, e.title, e.description, e.source_ids
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join catalog.endpoints e on e.schema = n.nspname and e.relation = c.relname
  where n.nspname = any (pg_catalog.string_to_array(:'exposed', ','))
    -- Partitions are read through their table.
    and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and pg_catalog.has_schema_privilege(:'anonymous'::name, n.oid, 'USAGE')
    and pg_catalog.has_any_column_privilege(:'anonymous'::name, c.oid, 'SELECT')
)
select
  relation.nspname::text as schema,
  relation.relname::text as relation,
  case relation.relkind
    when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' when 'p' then 'partitioned table' else 'table'
  end as type,
  coalesce(relation.kind, pg_catalog.substring(relation.relname::text, '^(dim|fact|indicator|supply|ref)_')) as kind,
  relation.title,
  coalesce(relation.description, pg_catalog.obj_description(relation.oid, 'pg_class')) as description,
  array(
    select t.tag from catalog.tags t where t.schema = relation.nspname and t.relation = relation.relname
    union select 'layer:' || relation.nspname
    union select 'provider:' || s.provider from catalog.sources s where s.source_id = any (relation.source_ids)
    order by 1
  ) as tags,
  (
    with recursive reads(oid) as (
      select relation.oid
      union
      select d.refobjid
      from reads
      join pg_catalog.pg_class v on v.oid = reads.oid and v.relkind = 'v'
      join pg_catalog.pg_rewrite r on r.ev_class = v.oid
      join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
        and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    )
    select case pg_catalog.count(*) when 1 then pg_catalog.max(
      case
        -- As in gatehouse.reads_hidden_rows, which only the anonymous role may call.
        when c.relrowsecurity or c.oid <> relation.oid
          and (n.nspname <> all (pg_catalog.string_to_array(:'exposed', ','))
            or pg_catalog.has_table_privilege(:'anonymous'::name, c.oid, 'SELECT') is not true) then null
        -- Statistics of a table contain no rows of the tables that inherit from it.
        when c.relkind <> 'p' and exists (select from pg_catalog.pg_inherits i where i.inhparent = c.oid) then null
        when c.relkind = 'p' then (
          -- Its partitions are analysed more often. pg_partition_tree would wait for one that is locked.
          with recursive part(oid) as (
            select c.oid
            union all
            select i.inhrelid from part join pg_catalog.pg_inherits i on i.inhparent = part.oid
          )
          select case when pg_catalog.bool_and(counted.rows is not null) then pg_catalog.sum(counted.rows)
            when c.reltuples >= 0 then greatest(c.reltuples, pg_catalog.sum(counted.rows)) end
          from part
          join pg_catalog.pg_class stored on stored.oid = part.oid and stored.relkind <> 'p'
          cross join lateral (
            select case when stored.reltuples > 0 then stored.reltuples
              else coalesce(nullif(pg_catalog.pg_stat_get_live_tuples(stored.oid), 0), nullif(stored.reltuples, -1)) end
          ) as counted(rows)
        )
        when c.reltuples > 0 then c.reltuples
        -- Small tables are not analysed when they are filled. None counted may also mean that the counters were lost.
        else coalesce(nullif(pg_catalog.pg_stat_get_live_tuples(c.oid), 0), nullif(c.reltuples, -1))
      end) end
    from reads join pg_catalog.pg_class c on c.oid = reads.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'f', 'm')
  )::bigint as row_estimate,
  (
    select pg_catalog.json_agg(pg_catalog.json_build_object(
      'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'nullable',
      -- As in ops/checks/contract/systemCatalog.ts: these NOT NULL constraints, which Postgres 18 records, guarantee nothing.
      not a.attnotnull or relation.relkind = 'f' or exists (
        select from pg_catalog.pg_constraint n
        where n.conrelid = a.attrelid and n.contype = 'n' and n.conkey = array[a.attnum] and (not n.convalidated or n.connoinherit)),
      -- Behind the key columns of an index are those of INCLUDE.
      'description', d.description, 'key', coalesce(a.attnum = any ((k.indkey::smallint[])[0:k.indnkeyatts - 1]), false)) order by a.attnum)::jsonb
    from pg_catalog.pg_attribute a
    left join pg_catalog.pg_index k on k.indrelid = a.attrelid and k.indisprimary
    left join pg_catalog.pg_description d
      on d.objoid = a.attrelid and d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objsubid = a.attnum
    where a.attrelid = relation.oid and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege(:'anonymous'::name, a.attrelid, a.attnum, 'SELECT')
  ) as columns,
  coalesce((
    select pg_catalog.array_agg(a.attname::text order by key.place)
    from pg_catalog.pg_index k
    cross join lateral pg_catalog.unnest(k.indkey) with ordinality as key(attnum, place)
    join pg_catalog.pg_attribute a on a.attrelid = k.indrelid and a.attnum = key.attnum
    where k.indrelid = relation.oid and k.indisprimary and key.place <= k.indnkeyatts
    having pg_catalog.bool_and(pg_catalog.has_column_privilege(:'anonymous'::name, a.attrelid, a.attnum, 'SELECT'))
  ), '{}') as primary_key,
  coalesce(relation.source_ids, '{}') as source_ids,
  case relation.nspname when :'api' then 'stable' else 'open' end as stability
from relation;

create or replace view :"api".meta_sources as
select
  s.source_id, s.provider, s.title, s.licence, s.licence_url, s.publisher, s.attribution, s.periodicity, s.homepage,
  s.last_ingested_at, s.upstream_updated_at, s.next_expected_at,
  case
    when s.upstream_updated_at > s.last_ingested_at then 'late'
    when s.next_expected_at < pg_catalog.now() and coalesce(s.last_ingested_at < s.next_expected_at, true) then 'late'
    when s.last_ingested_at is null or s.next_expected_at is null then 'unknown'
    else 'fresh'
  end as freshness,
  served.row_estimate,
  served.endpoints
from catalog.sources s
cross join lateral (
  select
    pg_catalog.sum(e.row_estimate)::bigint as row_estimate,
    coalesce(pg_catalog.array_agg(pg_catalog.format('%s.%s', e.schema, e.relation) order by e.schema, e.relation), '{}') as endpoints
  from :"api".meta_endpoints e where s.source_id = any (e.source_ids)
) as served;

-- As in meta_endpoints, for the rows that it leaves out.
create or replace view :"api".meta_dimensions with (security_barrier) as
select
  d.source_id, d.dimension, d.title, d.description, e.schema, e.relation,
  case when e.relation is not null then d.column_name end as column_name, d.editorial
from catalog.dimensions d
left join :"api".meta_endpoints e on e.schema = d.schema and e.relation = d.relation
-- Only where it can be read: a pipeline may note its private relations and columns as well. That of a relation that does not exist is left out, too: it may be
-- private again when it is created.
where d.relation is null or e.relation is not null
  and (d.column_name is null or e.columns @> pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('name', d.column_name)));

-- Read with the rights of the owner, whose tables they show. Without superuser rights, only a role that may create in the schema can own
-- something there; in a schema that existed before, the owner may not.
do $$
declare
  api constant text := gatehouse.setting('api');
  owner constant name := pg_catalog.current_setting('gatehouse.owner');
  may_create constant boolean := pg_catalog.has_schema_privilege(owner, api, 'CREATE');
  view name;
begin
  if not may_create then execute pg_catalog.format('grant create on schema %I to %I', api, owner); end if;
  foreach view in array array['meta_endpoints', 'meta_sources', 'meta_dimensions'] loop
    execute pg_catalog.format('alter view %I.%I owner to %I', api, view, owner);
  end loop;
  if not may_create then execute pg_catalog.format('revoke create on schema %I from %I', api, owner); end if;
exception when insufficient_privilege then
  -- The administrator, a member of the owner, reads the same.
  raise warning '%: the views meta_* of schema % stay with %', sqlerrm, api, current_user;
end
$$;
-- A new view has no grants: the administrator creates it, so the default privileges of the owner do not apply.
grant select on :"api".meta_endpoints, :"api".meta_sources, :"api".meta_dimensions to :"anonymous";

comment on view :"api".meta_endpoints is 'The relations that are served, one row each, with what is known about them';
comment on column :"api".meta_endpoints.schema is 'Schema: the value of the header Accept-Profile';
comment on column :"api".meta_endpoints.relation is 'Name of the relation: the path';
comment on column :"api".meta_endpoints.type is 'table, partitioned table, view, materialized view or foreign table';
comment on column :"api".meta_endpoints.kind is 'dim, fact, indicator, supply or ref; null when it is not known';
comment on column :"api".meta_endpoints.title is 'Display title';
comment on column :"api".meta_endpoints.description is 'What it contains';
comment on column :"api".meta_endpoints.tags is
  'Tags <namespace>:<value>, the namespace one of provider, topic, geo, cadence, eu_theme, layer; e.g. tags=cs.{topic:health}';
comment on column :"api".meta_endpoints.row_estimate is
  'Number of rows as the statistics have it; of a view, that of the one table that it reads; null when it is not known, or includes hidden rows';
comment on column :"api".meta_endpoints.columns is
  'Its columns in order: name, type, nullable (of a view always true), description, key (part of the primary key); a filter needs quotes: "columns"=cs.[{"name":"fylke_nr"}]';
comment on column :"api".meta_endpoints.primary_key is
  'Columns of the primary key in order; empty when there is none, or when one cannot be read';
comment on column :"api".meta_endpoints.source_ids is 'The sources that its rows come from, as in meta_sources';
comment on column :"api".meta_endpoints.stability is 'stable: columns and types only change with a new schema; open: they may change';

comment on view :"api".meta_sources is 'The upstream sources, one row each, with licence and freshness';
comment on column :"api".meta_sources.source_id is 'Name of the source';
comment on column :"api".meta_sources.provider is 'Name of the provider, as in the tag provider:<provider>';
comment on column :"api".meta_sources.title is 'Display title';
comment on column :"api".meta_sources.licence is 'Licence of the data';
comment on column :"api".meta_sources.licence_url is 'Address of the licence';
comment on column :"api".meta_sources.publisher is 'Name of the organisation that publishes it';
comment on column :"api".meta_sources.attribution is 'The attribution that users of the data must write';
comment on column :"api".meta_sources.periodicity is 'How often upstream publishes';
comment on column :"api".meta_sources.homepage is 'Page about the source';
comment on column :"api".meta_sources.last_ingested_at is 'When it was last ingested';
comment on column :"api".meta_sources.upstream_updated_at is 'When upstream last changed it';
comment on column :"api".meta_sources.next_expected_at is 'When the next version is due';
comment on column :"api".meta_sources.freshness is
  'late: upstream has newer data, or the next version is overdue; unknown: last_ingested_at or next_expected_at is null; else fresh';
comment on column :"api".meta_sources.row_estimate is 'Number of rows of its relations together, as far as it is known; else null';
comment on column :"api".meta_sources.endpoints is 'The relations that contain its rows, as <schema>.<relation>';

comment on view :"api".meta_dimensions is 'The dimensions of each source, one row each, without those of relations and columns that cannot be read';
comment on column :"api".meta_dimensions.source_id is 'The source, as in meta_sources';
comment on column :"api".meta_dimensions.dimension is 'Name of the dimension, as upstream spells it';
comment on column :"api".meta_dimensions.title is 'Display title';
comment on column :"api".meta_dimensions.description is 'What it means';
comment on column :"api".meta_dimensions.schema is 'Schema of the relation that it appears in';
comment on column :"api".meta_dimensions.relation is 'Relation that it appears in';
comment on column :"api".meta_dimensions.column_name is 'Column that it appears in';
comment on column :"api".meta_dimensions.editorial is 'Any JSON of the pipeline, passed through unchanged';
