-- Writers describe what they create, as the owner does. The schema is Gatehouse's own, so a role that was removed from the writers loses its
-- rights.
do $$
declare
  writers constant name[] := pg_catalog.string_to_array(pg_catalog.current_setting('gatehouse.writers'), ',');
  difference text;
begin
  for difference in
    select pg_catalog.format('revoke all on schema catalog from %1$I; revoke all on all tables in schema catalog from %1$I; '
      'revoke all on all functions in schema catalog from %1$I', pg_catalog.pg_get_userbyid(a.grantee))
    from pg_catalog.pg_namespace n cross join lateral pg_catalog.aclexplode(n.nspacl) a
    where n.nspname = 'catalog' and a.grantee not in (0, n.nspowner) and pg_catalog.pg_get_userbyid(a.grantee) <> all (writers)
    union
    select pg_catalog.format('grant usage on schema catalog to %1$I; grant select, insert, update, delete on all tables in schema catalog to %1$I; '
      'grant execute on all functions in schema catalog to %1$I', r.rolname)
    from pg_catalog.pg_roles r
    where r.rolname = any (writers)
  loop
    execute difference;
  end loop;
end
$$;
