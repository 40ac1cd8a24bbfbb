-- $1 the planned schemas, $2 the anonymous role. Routines in those schemas, in others those that are SECURITY DEFINER or opaque, and those of dblink.
select
  p.oid::text as id, n.nspname::text as schema,
  format('%I.%I(%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)) as name,
  case when p.prokind = 'p' then 'procedure' else 'function' end as kind,
  pg_get_userbyid(p.proowner)::text as owner, p.prosecdef as definer,
  exists (select from unnest(p.proconfig) s where s like 'search_path=%') as pinned,
  coalesce(
    (
      select has_function_privilege(r.oid, p.oid, 'EXECUTE') and has_schema_privilege(r.oid, n.oid, 'USAGE')
      from pg_roles r where r.rolname = $2
    ),
    false
  ) as reachable,
  body.opaque, coalesce(p.probin ~ '(^|/)dblink$', false) as remote
from pg_catalog.pg_proc p
join pg_catalog.pg_namespace n on n.oid = p.pronamespace
join pg_catalog.pg_language l on l.oid = p.prolang
cross join lateral (select p.prosqlbody is null and l.lanname not in ('c', 'internal') and p.provolatile <> 'i') as body (opaque)
where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and (
    n.nspname = any ($1)
    or p.probin ~ '(^|/)dblink$'
    or (p.prosecdef or body.opaque) and not exists (
      select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
    )
  )
order by 3
