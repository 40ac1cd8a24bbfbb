-- The API as OpenAPI 3.1, in addition to PostgREST's own Swagger 2.0. The schema gatehouse_openapi contains nothing else.
create or replace function gatehouse_openapi.document(schema text default :'api') returns json
  language plpgsql
  stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  max_rows constant text := gatehouse.setting('max_rows');
  max_age constant text := gatehouse.setting('max_age');
  paths json;
  schemas text;
begin
  if schema is null or schema <> all (pg_catalog.string_to_array(gatehouse.setting('exposed'), ',')) then
    perform gatehouse.answer(404, 'not_found', 'there is no such schema', '{"Cache-Control": "no-store"}');
  end if;

  with relation as (
    select
      c.oid, c.relname, c.relkind, gatehouse.encoded(c.relname, '.') as id, pg_catalog.obj_description(c.oid, 'pg_class') as description
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = schema and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
  ), attribute as (
    select
      a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, d.description,
      -- As in 060_meta_views.sql.
      a.attnotnull and relation.relkind <> 'f' and not exists (
        select from pg_catalog.pg_constraint n
        where n.conrelid = a.attrelid and n.contype = 'n' and n.conkey = array[a.attnum] and (not n.convalidated or n.connoinherit)) as not_null
    from relation
    join pg_catalog.pg_attribute a on a.attrelid = relation.oid
    left join pg_catalog.pg_description d
      on d.objoid = a.attrelid and d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objsubid = a.attnum
    where a.attnum > 0 and not a.attisdropped and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
  ), type as materialized (
    select atttypid, atttypmod, not_null, gatehouse.json_schema(atttypid, atttypmod, not not_null) as values, operators.text as operators
    from (select distinct atttypid, atttypmod, not_null from attribute) as used
    join pg_catalog.pg_type t on t.oid = used.atttypid
    cross join lateral (
      select '`<operator>.<value>`, the operator one of ' || gatehouse.operators(t.typcategory) || ', each also after `not.`'
    ) as operators(text)
  ), described as (
    select
      relation.relname, relation.id, relation.description,
      pg_catalog.json_object_agg(a.attname, type.values
        || case when a.description is null then '{}' else pg_catalog.jsonb_build_object('description', a.description) end
        order by a.attnum) as properties,
      coalesce(pg_catalog.string_agg(', ' || pg_catalog.json_build_object('name', gatehouse.filter_name(a.attname), 'in', 'query', 'schema', '{"type": "string"}'::json,
        'description', pg_catalog.concat_ws('. ', a.description, type.operators)), '' order by a.attnum), '') as filters
    from relation
    join attribute a on a.attrelid = relation.oid
    join type using (atttypid, atttypmod, not_null)
    group by 1, 2, 3
  )
  select
    pg_catalog.json_object_agg('/' || gatehouse.encoded(relname, '%'), gatehouse.openapi_path(id, description, filters, max_rows) order by relname),
    pg_catalog.string_agg(', ' || pg_catalog.to_json(id) || ': { "type": "object"'
      || coalesce(', "description": ' || pg_catalog.to_json(description), '') || ', "properties": ' || properties || ' }', '' order by id)
  into paths, schemas
  from described;

  return pg_catalog.json_build_object(
    'openapi', '3.1.0',
    'info', pg_catalog.json_build_object('title', schema, 'version', schema, 'description', pg_catalog.format(
      '%sA response contains at most %s rows, and may be cached for %s seconds. A query may take %s. Tables of up to %s rows are counted exactly.',
      pg_catalog.obj_description(schema::pg_catalog.regnamespace, 'pg_namespace') || E'\n\n', max_rows, max_age,
      pg_catalog.current_setting('statement_timeout'), gatehouse.setting('exact_count_rows'))),
    'servers', '[{"url": "/"}]'::json,
    'paths', coalesce(paths, '{}'),
    'components', gatehouse.openapi_components(schema, max_rows, max_age, coalesce(schemas, '')));
end
$$;
