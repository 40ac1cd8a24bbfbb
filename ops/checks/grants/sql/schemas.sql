select nspname::text as name, pg_get_userbyid(nspowner)::text as owner
from pg_catalog.pg_namespace
where nspname !~ '^pg_'
order by 1
