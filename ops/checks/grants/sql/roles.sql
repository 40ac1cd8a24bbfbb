-- Every role, with its attributes, its settings, and those that apply at a login to this database only.
select
  rolname::text as name, rolsuper as superuser, rolbypassrls as bypassrls, rolcreaterole as createrole,
  rolcreatedb as createdb, rolreplication as replication, rolcanlogin as login, rolinherit as inherit,
  coalesce(rolconfig, '{}') as settings, coalesce(setconfig, '{}') as "databaseSettings"
from pg_catalog.pg_roles r
left join pg_catalog.pg_db_role_setting s
  on s.setrole = r.oid and s.setdatabase = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
order by rolname
