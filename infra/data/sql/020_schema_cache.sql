-- PostgREST serves the relations of its schema cache. These notifications make it reload the cache, so that it serves a new view at once.
create or replace function gatehouse.reload_schema_cache() returns event_trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  -- Temporary relations are not served, and some programs create one for each request.
  if tg_event = 'ddl_command_end' then
    if not exists (
      select from pg_catalog.pg_event_trigger_ddl_commands() c where c.schema_name is distinct from 'pg_temp') then
      return;
    end if;
  elsif not exists (select from pg_catalog.pg_event_trigger_dropped_objects() o where not o.is_temporary) then
    return;
  end if;
  -- With read replicas, the notice must not come before the change does; without synchronous ones this means nothing. A session with another value does not
  -- wait for replicas, and continues not to.
  if pg_catalog.current_setting('synchronous_commit') = 'on' then
    perform pg_catalog.set_config('synchronous_commit', 'remote_apply', true);
  end if;
  perform pg_catalog.pg_notify('pgrst', 'reload schema');
end
$$;

drop event trigger if exists gatehouse_schema_changed;
select gatehouse.attempt(
  'create event trigger gatehouse_schema_changed on ddl_command_end execute function gatehouse.reload_schema_cache()');

drop event trigger if exists gatehouse_schema_dropped;
select gatehouse.attempt(
  'create event trigger gatehouse_schema_dropped on sql_drop execute function gatehouse.reload_schema_cache()');
