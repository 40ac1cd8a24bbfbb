-- Every role, with its attributes and settings (without those for one database, which PostgREST reads).
select
  rolname::text as name, rolsuper as superuser, rolbypassrls as bypassrls, rolcreaterole as createrole,
  rolcreatedb as createdb, rolreplication as replication, rolcanlogin as login, rolinherit as inherit,
  coalesce(rolconfig, '{}') as settings
from pg_catalog.pg_roles
order by rolname
