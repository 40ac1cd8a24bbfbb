-- What is wrong with a dbt project, found before anything of it is built.

-- Personal data that an exposed relation would contain. gatehouse.leaks finds views; only dbt knows what a table was copied from.
create function catalog.dbt_leaks(manifest jsonb) returns table (entry text, problem text, hint text)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with entries as materialized (
    select * from catalog.dbt_entries(manifest)
  ), columns as materialized (
    select * from catalog.dbt_columns(manifest)
  ), origins as materialized (
    select e.id, e.entry, e.oid, e.gatehouse, origin.id as origin, origin.entry as origin_entry, origin.private
    from entries e join catalog.dbt_ancestors(manifest) a on a.id = e.id join entries origin on origin.id = a.ancestor
    where e.exposed and not origin.exposed
  )
  select e.entry, 'is private (contains_pii), and its schema is exposed', 'Use a private schema, or set meta.contains_pii: false'
  from entries e where e.exposed and e.private
  union all
  select c.entry, 'is private, and its schema is exposed', 'Remove the column, or use a private schema'
  from columns c where c.exposed and c.private
  union all
  select distinct o.entry, pg_catalog.format('has the column "%s", which is private in %s', c.name, o.origin_entry),
    'Remove the column, or use a private schema'
  from origins o join columns c on c.id = o.origin and c.private
  -- A manifest has the names as its author wrote them, and Postgres folds those without quotes.
  where exists (select from columns own where own.id = o.id and pg_catalog.lower(own.name) = pg_catalog.lower(c.name))
    or exists (select from pg_catalog.pg_attribute t where t.attrelid = o.oid and pg_catalog.lower(t.attname) = pg_catalog.lower(c.name) and not t.attisdropped)
  union all
  select o.entry, pg_catalog.format('reads personal data of %s', pg_catalog.string_agg(distinct o.origin_entry, ', ')),
    'Use a private schema. If none of it is in the result, set meta.gatehouse.no_personal_data: true'
  from origins o
  where o.gatehouse -> 'no_personal_data' is distinct from 'true'
    and (o.private or exists (select from columns c where c.id = o.origin and c.private))
  group by o.id, o.entry
$$;

-- Exposed views that a run drops: dbt replaces a table or view with a new one, and drops the old one with every view that reads it.
create function catalog.dbt_outages(manifest jsonb) returns table (entry text, problem text, hint text)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with recursive entries as materialized (
    select * from catalog.dbt_entries(manifest)
  ), parents as materialized (
    select e.id, p.parent
    from entries e cross join lateral pg_catalog.jsonb_array_elements_text(coalesce(e.node -> 'depends_on' -> 'nodes', '[]')) as p(parent)
  ), reads as (
    -- The text of an ephemeral model is part of the view.
    select e.id, e.entry, p.parent from entries e join parents p on p.id = e.id where e.exposed and e.materialized = 'view'
    union
    select r.id, r.entry, p.parent from reads r join entries e on e.id = r.parent and e.materialized = 'ephemeral' join parents p on p.id = e.id
  ), readers(id, view) as (
    select e.id, e.oid from entries e where e.materialized in ('table', 'view') and e.oid is not null
    union
    select r.id, rule.ev_class
    from readers r
    join pg_catalog.pg_depend d on d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.refobjid = r.view
      and d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
    join pg_catalog.pg_rewrite rule on rule.oid = d.objid
  )
  select r.entry, pg_catalog.format('is a view on %s.%s, which dbt replaces: each run drops the view', e.schema, e.relation),
    pg_catalog.format('Materialize %s as incremental, or this model as incremental or table', e.node ->> 'name')
  from reads r join entries e on e.id = r.parent and e.materialized in ('table', 'view')
  union all
  select e.entry, pg_catalog.format('a run drops the view %s, which is not a model', r.view::pg_catalog.regclass),
    pg_catalog.format('Materialize %s as incremental, or make the view a model', e.node ->> 'name')
  from readers r
  join entries e on e.id = r.id
  join pg_catalog.pg_class c on c.oid = r.view
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any (catalog.dbt_schemas('exposed'))
    and not exists (select from entries own where own.oid = r.view)
$$;

create function catalog.dbt_problems(manifest jsonb) returns table (entry text, problem text, hint text)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with entries as materialized (
    select * from catalog.dbt_entries(manifest) e where e.node ->> 'resource_type' <> 'test'
  ), keys(owner, name, type) as (
    values
      ('relation', 'title', 'string'), ('relation', 'kind', 'string'), ('relation', 'no_personal_data', 'boolean'),
      ('column', 'private', 'boolean'),
      ('source', 'source_id', 'string'), ('source', 'provider', 'string'), ('source', 'title', 'string'), ('source', 'licence', 'string'),
      ('source', 'licence_url', 'string'), ('source', 'publisher', 'string'), ('source', 'attribution', 'string'),
      ('source', 'periodicity', 'string'), ('source', 'homepage', 'string')
  ), described(entry, owner, gatehouse) as (
    select e.entry, case e.node ->> 'resource_type' when 'source' then 'source' else 'relation' end, e.gatehouse from entries e
    union all select c.entry, 'column', c.gatehouse from catalog.dbt_columns(manifest) c
  ), given as (
    select d.entry, d.owner, g.key, pg_catalog.jsonb_typeof(g.value) as type
    from described d
    cross join lateral pg_catalog.jsonb_each(case pg_catalog.jsonb_typeof(d.gatehouse) when 'object' then d.gatehouse else '{}' end) as g
  ), tags as (
    select e.entry, t.tag
    from entries e cross join lateral pg_catalog.jsonb_array_elements_text(coalesce(e.node -> 'tags', '[]')) as t(tag)
    where e.exposed and t.tag like '%:%'
  )
  select d.entry, 'meta.gatehouse is not a mapping', 'Write keys and values'
  from described d where pg_catalog.jsonb_typeof(d.gatehouse) <> 'object'
  union all
  select g.entry, pg_catalog.format('unknown key meta.gatehouse.%s', g.key),
    (select 'Keys: ' || pg_catalog.string_agg(k.name, ', ' order by k.name) from keys k where k.owner = g.owner)
  from given g where not exists (select from keys k where k.owner = g.owner and k.name = g.key)
  union all
  select g.entry, pg_catalog.format('meta.gatehouse.%s is not a %s', g.key, k.type), pg_catalog.format('Write a %s', k.type)
  from given g join keys k on k.owner = g.owner and k.name = g.key where g.type <> k.type
  union all
  select e.entry, pg_catalog.format('unknown kind "%s"', e.gatehouse ->> 'kind'), 'Kinds: dim, fact, indicator, supply, ref'
  from entries e where e.node ->> 'resource_type' <> 'source' and e.gatehouse ->> 'kind' not in ('dim', 'fact', 'indicator', 'supply', 'ref')
  union all
  select e.entry, pg_catalog.format('has a title, but schema "%s" is not exposed', e.schema),
    'Exposed schemas: ' || pg_catalog.array_to_string(catalog.dbt_schemas('exposed'), ', ')
  from entries e where e.node ->> 'resource_type' <> 'source' and not e.exposed and e.gatehouse ? 'title'
  union all
  select t.entry, pg_catalog.format('unknown namespace of tag "%s"', t.tag),
    'Namespaces: topic, geo, cadence, eu_theme. A tag that is only for dbt has no colon'
  from tags t where t.tag !~ '^(topic|geo|cadence|eu_theme):'
  union all
  select t.entry, pg_catalog.format('invalid tag "%s"', t.tag), 'Its value has no blank, comma, colon, bracket, quote or backslash'
  from tags t where t.tag ~ '^(topic|geo|cadence|eu_theme):' and t.tag !~ '^[^:]+:[^[:space:],:{}()"\\]+$'
  union all
  select e.entry, pg_catalog.format('invalid provider "%s"', e.provider),
    'Set meta.gatehouse.provider, without blank, comma, colon, bracket, quote or backslash'
  from entries e where e.source_id is not null and e.provider !~ '^[^[:space:],:{}()"\\]+$'
  union all
  select e.entry, pg_catalog.format('source_id "%s" is also that of %s', e.source_id, other.entry), 'Set another meta.gatehouse.source_id'
  from entries e join entries other on other.source_id = e.source_id and other.id < e.id
  union all
  select e.entry, 'has descriptions that dbt does not write', 'Set +persist_docs: { relation: true, columns: true }'
  from entries e
  where e.exposed and e.node ->> 'resource_type' <> 'source' and (
    e.node ->> 'description' <> '' and e.node -> 'config' -> 'persist_docs' -> 'relation' is distinct from 'true'
    or exists (select from pg_catalog.jsonb_each(coalesce(e.node -> 'columns', '{}')) as c where c.value ->> 'description' <> '')
      and e.node -> 'config' -> 'persist_docs' -> 'columns' is distinct from 'true')
  union all
  -- dbt revokes what its grants leave out from relations that a run keeps: https://docs.getdbt.com/reference/resource-configs/grants
  select e.entry, pg_catalog.format('has grants without %s: dbt revokes its SELECT, which the data API needs', catalog.dbt_reader()),
    pg_catalog.format('Add %s to +grants.select', catalog.dbt_reader())
  from entries e
  where e.exposed and e.node ->> 'resource_type' <> 'source' and e.node -> 'config' -> 'grants' <> '{}'
    and not coalesce(e.node -> 'config' -> 'grants' -> 'select' ? catalog.dbt_reader(), false)
  union all
  select * from catalog.dbt_leaks(manifest)
  union all
  select * from catalog.dbt_outages(manifest)
$$;

create function catalog.check_dbt(manifest jsonb) returns void
  language plpgsql
  stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  problems text[];
begin
  select pg_catalog.array_agg(pg_catalog.format('%s: %s. %s.', p.entry, p.problem, p.hint) order by p.entry collate "C", p.problem collate "C") into problems
  from catalog.dbt_problems(manifest) p;
  if problems is null then return; end if;
  raise invalid_parameter_value using message = pg_catalog.format(E'%s in the dbt project\n%s',
    case pg_catalog.cardinality(problems) when 1 then '1 problem' else pg_catalog.cardinality(problems) || ' problems' end,
    pg_catalog.array_to_string(problems, E'\n'));
end
$$;
