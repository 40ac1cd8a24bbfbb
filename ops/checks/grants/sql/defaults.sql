-- One row per creating role, schema (null: all), kind and grantee. An entry for all schemas replaces the default privileges of the server;
-- an entry for a schema adds to them. An entry without privileges is a row without grantee.
select
  pg_get_userbyid(d.defaclrole)::text as owner, n.nspname::text as schema,
  case d.defaclobjtype
    when 'r' then 'table' when 'S' then 'sequence' when 'f' then 'function' when 'T' then 'type' when 'n' then 'schema'
    else 'large object'
  end as kind,
  case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee)::text end as grantee,
  array_remove(array_agg(a.privilege_type order by a.privilege_type), null) as privileges
from pg_default_acl d
left join pg_namespace n on n.oid = d.defaclnamespace
left join lateral aclexplode(d.defaclacl) a on a.grantee <> d.defaclrole
group by 1, 2, 3, a.grantee
order by 1, 2, 3, 4
