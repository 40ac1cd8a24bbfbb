-- $1 the roles of a request.
select
  nspname::text as name, pg_get_userbyid(nspowner)::text as owner,
  exists (
    select from pg_roles r where r.rolname = any ($1) and has_schema_privilege(r.oid, n.oid, 'USAGE')
  ) as usable
from pg_catalog.pg_namespace n
where nspname !~ '^pg_'
order by 1
