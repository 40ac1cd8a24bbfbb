-- PostgREST serves the relations of its schema cache. These notifications make it reload the cache, so that it serves a new view at once.
create or replace function gatehouse.reload_schema_cache() returns event_trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- With read replicas, the notice must not come before the change does; without synchronous ones this means nothing.
  perform pg_catalog.set_config('synchronous_commit', 'remote_apply', true);
  perform pg_catalog.pg_notify('pgrst', 'reload schema');
end
$$;

drop event trigger if exists gatehouse_schema_changed;
select gatehouse.attempt(
  'create event trigger gatehouse_schema_changed on ddl_command_end execute function gatehouse.reload_schema_cache()');

drop event trigger if exists gatehouse_schema_dropped;
select gatehouse.attempt(
  'create event trigger gatehouse_schema_dropped on sql_drop execute function gatehouse.reload_schema_cache()');
