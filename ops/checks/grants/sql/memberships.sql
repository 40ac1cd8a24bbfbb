-- INHERIT and SET are options of each membership since Postgres 16; before, the attribute of the member decides whether it inherits.
select
  r.rolname::text as role, m.rolname::text as member, g.rolname::text as grantor, a.admin_option as admin,
  to_jsonb(a) ? 'inherit_option' as options,
  coalesce((to_jsonb(a) ->> 'inherit_option')::boolean, m.rolinherit) as inherit,
  coalesce((to_jsonb(a) ->> 'set_option')::boolean, true) as "set"
from pg_catalog.pg_auth_members a
join pg_catalog.pg_roles r on r.oid = a.roleid
join pg_catalog.pg_roles m on m.oid = a.member
join pg_catalog.pg_roles g on g.oid = a.grantor
order by 1, 2, 3
