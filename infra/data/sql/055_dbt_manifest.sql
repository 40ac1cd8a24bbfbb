-- What the catalog reads of a dbt project's manifest.json (https://schemas.getdbt.com/dbt/manifest/v12.json); docs/dbt.md explains it. All
-- functions for dbt run with the rights of their caller.
drop function if exists catalog.describe_dbt(jsonb), catalog.check_dbt(jsonb), catalog.dbt_problems(jsonb), catalog.dbt_leaks(jsonb),
  catalog.dbt_outages(jsonb), catalog.dbt_ancestors(jsonb), catalog.dbt_columns(jsonb), catalog.dbt_contains_pii(jsonb),
  catalog.dbt_entries(jsonb), catalog.dbt_schemas(text),
  catalog.dbt_reader();

-- The schemas and the anonymous role of the configuration. Only a superuser gives a function settings with names that Postgres does not know,
-- hence functions.
create function catalog.dbt_schemas(access text) returns text[]
  language sql
  immutable
  return pg_catalog.string_to_array(case access when 'exposed' then :'exposed' when 'private' then :'private' end, ',');

create function catalog.dbt_reader() returns text
  language sql
  immutable
  return :'anonymous';

-- Whether documentation marks personal data, as dbt's own does (https://docs.getdbt.com/reference/resource-configs/meta): with any text but a negative one.
create function catalog.dbt_contains_pii(meta jsonb) returns boolean
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(pg_catalog.lower(meta ->> 'contains_pii'), '') not in ('', 'false', 'no')
$$;

-- Models, seeds, snapshots, sources, and tests whose failures are stored. `gatehouse` is their meta.gatehouse, to which that of a source's group applies as
-- well; a source has a source_id if it is there. `oid` is null before the first build. An ephemeral model is no relation, and another database is another API.
create function catalog.dbt_entries(manifest jsonb) returns table (
  id text, entry text, source_id text, provider text, materialized text, schema text, relation text, oid oid, exposed boolean, private boolean,
  gatehouse jsonb, node jsonb
)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with stripped as materialized (
    select key as id, pg_catalog.jsonb_strip_nulls(value) as node
    from pg_catalog.jsonb_each(coalesce(manifest -> 'nodes', '{}') || coalesce(manifest -> 'sources', '{}')) as _(key, value)
    where value ->> 'resource_type' in ('model', 'seed', 'snapshot', 'source')
      -- The rows that fail are a relation, in the schema of the test.
      or value ->> 'resource_type' = 'test' and value -> 'config' -> 'store_failures' = 'true'
  ), read as materialized (
    select
      id, node,
      node ->> 'resource_type' = 'source' as is_source,
      pg_catalog.concat_ws('.', node ->> 'source_name', node ->> 'name') as name,
      node -> 'config' ->> 'materialized' as materialized,
      node ->> 'schema' as schema,
      coalesce(node ->> 'alias', node ->> 'identifier', node ->> 'name') as relation,
      coalesce(node -> 'source_meta' -> 'gatehouse', '{}')
        || coalesce(coalesce(node -> 'config' -> 'meta', node -> 'meta') -> 'gatehouse', '{}') as gatehouse,
      coalesce(node -> 'source_meta', '{}') || coalesce(node -> 'meta', '{}') || coalesce(node -> 'config' -> 'meta', '{}') as meta,
      node ->> 'database' = pg_catalog.current_database() and node -> 'config' ->> 'materialized' is distinct from 'ephemeral' as here
    from stripped
  )
  select
    id,
    pg_catalog.format('%s: %s %s', coalesce(pg_catalog.regexp_replace(node ->> 'patch_path', '^.*://', ''), node ->> 'original_file_path'),
      node ->> 'resource_type', name),
    case when is_source and gatehouse <> '{}' then coalesce(gatehouse ->> 'source_id', name) end,
    coalesce(gatehouse ->> 'provider', node ->> 'source_name'),
    materialized, schema, relation,
    -- to_regclass fails in a schema that the caller may not use.
    (select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where here and n.nspname = schema::pg_catalog.name and c.relname = relation::pg_catalog.name),
    here and schema = any (catalog.dbt_schemas('exposed')),
    here and schema = any (catalog.dbt_schemas('private')) or catalog.dbt_contains_pii(meta),
    gatehouse, node
  from read
$$;

-- Their columns as documented.
create function catalog.dbt_columns(manifest jsonb)
  returns table (id text, entry text, exposed boolean, name text, private boolean, gatehouse jsonb)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  select
    e.id, pg_catalog.format('%s, column %s', e.entry, name), e.exposed, name,
    coalesce(meta -> 'gatehouse' -> 'private' = 'true', false) or catalog.dbt_contains_pii(meta), coalesce(meta -> 'gatehouse', '{}')
  from catalog.dbt_entries(manifest) e
  cross join lateral pg_catalog.jsonb_each(coalesce(e.node -> 'columns', '{}')) as _(key, value)
  cross join lateral (select
    coalesce(value ->> 'name', key) as name, coalesce(value -> 'meta', '{}') || coalesce(value -> 'config' -> 'meta', '{}') as meta
  ) as read
$$;

-- What each of them is built from, at any depth.
create function catalog.dbt_ancestors(manifest jsonb) returns table (id text, ancestor text)
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with recursive parents as materialized (
    select e.id, p.parent
    from catalog.dbt_entries(manifest) e
    cross join lateral pg_catalog.jsonb_array_elements_text(coalesce(e.node -> 'depends_on' -> 'nodes', '[]')) as p(parent)
  ), ancestors(id, ancestor) as (
    select id, parent from parents
    union
    select a.id, p.parent from ancestors a join parents p on p.id = a.ancestor
  )
  select id, ancestor from ancestors
$$;
