-- In an existing database a relation belongs to the role that created it, and only that role, a member or a superuser grants privileges on
-- it. So the administrator becomes a member of the writers and of the owners of exposed schemas, where it may.
select pg_catalog.set_config('gatehouse.writers', :'writers', true);
do $$
declare
  exposed constant name[] := pg_catalog.string_to_array(gatehouse.setting('exposed'), ',');
  api constant name := gatehouse.setting('api');
  -- As in 001_schemas.sql.
  inheriting constant text := case when pg_catalog.current_setting('server_version_num')::integer >= 160000 then ' with inherit true' else '' end;
  role name;
begin
  if pg_catalog.current_setting('gatehouse.existing') <> 'on' then return; end if;
  for role in
    select r.rolname
    from pg_catalog.pg_roles r
    where not r.rolsuper and not pg_catalog.pg_has_role(current_user, r.oid, 'USAGE') and (
      r.rolname = any (pg_catalog.string_to_array(pg_catalog.current_setting('gatehouse.writers'), ','))
      or r.oid in (select n.nspowner from pg_catalog.pg_namespace n where n.nspname = any (exposed)))
    order by 1
  loop
    perform gatehouse.attempt(pg_catalog.format('grant %I to current_user%s', role, inheriting));
  end loop;

  if not pg_catalog.has_schema_privilege(api, 'CREATE') or not pg_catalog.has_schema_privilege(api, 'USAGE') then
    raise insufficient_privilege using
      message = pg_catalog.format('%I may not create views in schema %I, which would contain meta_endpoints, meta_sources and meta_dimensions',
        current_user, api),
      hint = pg_catalog.format('grant usage, create on schema %I to %I, or put a new schema first in data_api.schemas.exposed', api, current_user);
  end if;
end
$$;
