-- $1 roles that must own nothing. What they own in this database and in the whole server.
select
  pg_get_userbyid(s.refobjid)::text as owner, i.type, i.identity as name, i.schema
from pg_shdepend s
cross join lateral pg_identify_object(s.classid, s.objid, s.objsubid) i
where s.deptype = 'o' and s.refclassid = 'pg_authid'::regclass
  and s.dbid in (0, (select oid from pg_database where datname = current_database()))
  and pg_get_userbyid(s.refobjid) = any ($1) and i.identity is not null
  -- The sequence of a column has the owner of its table.
  and not exists (
    select from pg_depend d
    where (d.classid, d.objid) = (s.classid, s.objid) and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0
      and d.deptype in ('a', 'i')
  )
order by 1, 2, 3
