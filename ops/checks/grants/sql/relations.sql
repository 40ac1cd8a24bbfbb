-- $1 the anonymous role. All relations with rows and all sequences, except those of PostgreSQL itself.
select
  c.oid::text as id, n.nspname::text as schema, format('%I.%I', n.nspname, c.relname) as name,
  case c.relkind
    when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
    when 'p' then 'partitioned table' else 'sequence'
  end as kind,
  pg_get_userbyid(c.relowner)::text as owner,
  coalesce(
    (select bool_or(option_value::boolean) from pg_options_to_table(c.reloptions) where option_name = 'security_invoker'),
    false
  ) as invoker,
  c.relrowsecurity as secured, c.relforcerowsecurity as forced,
  exists (select from pg_policy p where p.polrelid = c.oid) as policies,
  exists (
    select from pg_policy p
    where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
      and p.polroles && (array[0::oid] || array(select oid from pg_roles where rolname = $1))
  ) as readable,
  exists (
    select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
  ) as extension,
  -- An extension granted it to everyone when it was created, e.g. spatial_ref_sys of PostGIS.
  exists (
    select from pg_init_privs i cross join lateral aclexplode(i.initprivs) as granted
    where i.classoid = 'pg_class'::regclass and i.objoid = c.oid and i.objsubid = 0 and i.privtype = 'e'
      and granted.grantee = 0 and granted.privilege_type = 'SELECT'
  ) as published,
  exists (
    select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
      and c.relkind = 'S' and d.deptype in ('a', 'i')
  ) as attached
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'v', 'm', 'f', 'p', 'S') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
order by 3
