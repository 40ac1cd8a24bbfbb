-- Objects that Gatehouse did not create, with names that it needs: the migrations stop at them, and doctor, which runs this query as well, lists them before
-- a first deployment.
select pg_catalog.set_config('gatehouse.foreign', coalesce(pg_catalog.json_agg(found)::text, '[]'), true) as found
from (
  select
    pg_catalog.format('schema %I', nspname) as name,
    pg_catalog.format('schema %I exists and belongs to %I, but Gatehouse needs a schema of this name', nspname, actual) as message,
    case when usable
      then pg_catalog.format('Rename it, or, if an earlier deployment created it: alter schema %I owner to %I', nspname, owner)
      else 'Rename it: it contains objects that Gatehouse did not create' end as hint
  from (
    select n.nspname, pg_catalog.pg_get_userbyid(n.nspowner) as actual, case n.nspname when 'catalog' then :'owner' else current_user end as owner,
      case n.nspname
        when 'catalog' then exists (
          select from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid
          where c.relnamespace = n.oid and c.relname = 'endpoints' and k.conname = 'kind_is_known')
        else exists (
          select from pg_catalog.pg_proc p where p.pronamespace = n.oid and p.proargtypes = array['text'::pg_catalog.regtype]::pg_catalog.oidvector
            and p.proname = case n.nspname when 'gatehouse' then 'setting' else 'document' end)
      end or not exists (
        select from pg_catalog.pg_depend d
        where d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass and d.refobjid = n.oid
      ) as usable
    from pg_catalog.pg_namespace n
    where :'existing' = 'on' and n.nspname in ('catalog', 'gatehouse', 'gatehouse_openapi')
  ) as own
  -- The owner alone is no evidence: the administrator of an existing database may have a schema of this name.
  where not usable or actual not in (owner, current_user)
  union all
  -- A relation of this name that does not read the schema catalog.
  select
    pg_catalog.format('%I.%I', n.nspname, c.relname),
    pg_catalog.format('%I.%I exists, but Gatehouse needs a view of this name', n.nspname, c.relname),
    'Rename it, or put another schema first in data_api.schemas.exposed'
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = :'api' and c.relname in ('meta_endpoints', 'meta_sources', 'meta_dimensions') and (c.relkind <> 'v' or not exists (
    select from pg_catalog.pg_rewrite r
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
      and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    join pg_catalog.pg_class source on source.oid = d.refobjid
    join pg_catalog.pg_namespace catalog on catalog.oid = source.relnamespace
    where r.ev_class = c.oid and catalog.nspname = 'catalog'))
  order by 1
) as found;
