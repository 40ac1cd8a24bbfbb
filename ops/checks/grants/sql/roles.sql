-- Every role, with what it may do anywhere and its own settings (those of one database are not among them: PostgREST reads these).
select
  rolname::text as name, rolsuper as superuser, rolbypassrls as bypassrls, rolcreaterole as createrole,
  rolcreatedb as createdb, rolreplication as replication, rolcanlogin as login, rolinherit as inherit,
  coalesce(rolconfig, '{}') as settings
from pg_catalog.pg_roles
order by rolname
