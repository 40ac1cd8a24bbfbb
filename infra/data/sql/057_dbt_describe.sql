-- Writes the catalog's rows of a dbt project and returns those that changed. Descriptions of models are not among them: dbt writes comments
-- itself (persist_docs), in the transaction that fills a relation. A source keeps the timestamps that the project does not have: it has
-- last_ingested_at from loaded_at_field, and next_expected_at from freshness.warn_after.
create function catalog.describe_dbt(manifest jsonb) returns table (resource text, name text)
  language plpgsql
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC' -- dbt reads a timestamp without time zone as UTC
as $$
#variable_conflict use_column
declare
  source record;
  ingested timestamptz;
begin
  perform catalog.check_dbt(manifest);

  for source in
    select
      e.*, coalesce(e.node -> 'config' ->> 'loaded_at_field', e.node ->> 'loaded_at_field') as loaded_at_field,
      coalesce(e.node -> 'config' -> 'freshness', e.node -> 'freshness') -> 'warn_after' as warn_after
    from catalog.dbt_entries(manifest) e where e.source_id is not null order by e.source_id
  loop
    ingested := null;
    if source.loaded_at_field is not null and source.oid is not null then
      execute pg_catalog.format('select max(%s)::timestamptz from %s', source.loaded_at_field, source.oid::pg_catalog.regclass) into ingested;
    end if;
    insert into catalog.sources as known (source_id, provider, title, licence, licence_url, publisher, attribution, periodicity, homepage,
      last_ingested_at, next_expected_at)
    select source.source_id, source.provider, coalesce(g.title, source.node ->> 'name'), g.licence, g.licence_url, g.publisher, g.attribution,
      g.periodicity, g.homepage, ingested,
      ingested + ((source.warn_after ->> 'count') || ' ' || (source.warn_after ->> 'period'))::interval
    from pg_catalog.jsonb_populate_record(null::catalog.sources, source.gatehouse) g
    on conflict (source_id) do update set
      provider = excluded.provider, title = excluded.title, licence = excluded.licence, licence_url = excluded.licence_url,
      publisher = excluded.publisher, attribution = excluded.attribution, periodicity = excluded.periodicity, homepage = excluded.homepage,
      last_ingested_at = coalesce(excluded.last_ingested_at, known.last_ingested_at),
      next_expected_at = coalesce(excluded.next_expected_at, known.next_expected_at)
    where (known.provider, known.title, known.licence, known.licence_url, known.publisher, known.attribution, known.periodicity, known.homepage)
        is distinct from (excluded.provider, excluded.title, excluded.licence, excluded.licence_url, excluded.publisher, excluded.attribution,
          excluded.periodicity, excluded.homepage)
      or known.last_ingested_at is distinct from coalesce(excluded.last_ingested_at, known.last_ingested_at)
      or known.next_expected_at is distinct from coalesce(excluded.next_expected_at, known.next_expected_at);
    if found then return query select 'source', source.source_id; end if;
  end loop;

  return query with entries as materialized (
    select * from catalog.dbt_entries(manifest)
  ), origins as materialized (
    select a.id, e.source_id from catalog.dbt_ancestors(manifest) a join entries e on e.id = a.ancestor where e.source_id is not null
    union select e.id, e.source_id from entries e where e.source_id is not null
  ), changed as (
    insert into catalog.endpoints as known (schema, relation, kind, title, description, source_ids)
    select e.schema, e.relation, e.gatehouse ->> 'kind', e.gatehouse ->> 'title',
      case when e.source_id is not null then nullif(e.node ->> 'description', '') end,
      array(select o.source_id from origins o where o.id = e.id order by 1)
    from entries e where e.exposed and (e.source_id is not null or e.node ->> 'resource_type' not in ('source', 'test'))
    on conflict (schema, relation) do update set
      kind = excluded.kind, title = excluded.title, description = excluded.description, source_ids = excluded.source_ids
    where (known.kind, known.title, known.description, known.source_ids)
      is distinct from (excluded.kind, excluded.title, excluded.description, excluded.source_ids)
    returning known.schema, known.relation
  )
  select 'relation', pg_catalog.format('%s.%s', c.schema, c.relation) from changed c order by c.schema, c.relation;

  return query with wanted as materialized (
    select e.schema, e.relation, t.tag
    from catalog.dbt_entries(manifest) e
    left join lateral pg_catalog.jsonb_array_elements_text(coalesce(e.node -> 'tags', '[]')) as t(tag) on t.tag like '%:%'
    where e.exposed and (e.source_id is not null or e.node ->> 'resource_type' not in ('source', 'test'))
  ), removed as (
    delete from catalog.tags t
    where exists (select from wanted w where w.schema = t.schema and w.relation = t.relation)
      and not exists (select from wanted w where w.schema = t.schema and w.relation = t.relation and w.tag = t.tag)
    returning t.schema, t.relation, t.tag
  ), added as (
    insert into catalog.tags (schema, relation, tag) select distinct w.schema, w.relation, w.tag from wanted w where w.tag is not null
    on conflict do nothing
    returning schema, relation, tag
  )
  select 'tag', pg_catalog.format('%s.%s %s', c.schema, c.relation, c.tag) from (table removed union all table added) as c order by c.schema, c.relation, c.tag;

  -- Without event triggers, or where they do not run for this role, nothing else notifies PostgREST of what dbt has built.
  perform pg_catalog.pg_notify('pgrst', 'reload schema');
end
$$;
