-- $1 the planned schemas. Privileges of all roles but the owner. In a planned schema and on the database itself: all. Elsewhere: those that
-- neither the server nor, at its installation, an extension grants by default. Trigger functions cannot be called.
with object (class, oid, part, kind, schema, name, "column", owner, acl, code, planned) as (
  select
    'pg_database'::regclass, oid, 0, 'database', null, quote_ident(datname), null, datdba, datacl, 'd'::"char",
    datname = current_database()
  from pg_database
  union all
  select
    'pg_namespace'::regclass, oid, 0, 'schema', nspname::text, quote_ident(nspname), null, nspowner, nspacl, 'n',
    nspname = any ($1)
  from pg_namespace
  union all
  select
    'pg_class'::regclass, c.oid, 0,
    case c.relkind
      when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
      when 'p' then 'partitioned table' else 'sequence'
    end,
    n.nspname::text, format('%I.%I', n.nspname, c.relname), null, c.relowner, c.relacl,
    case c.relkind when 'S' then 's' else 'r' end::"char", n.nspname = any ($1)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p', 'S')
  union all
  select
    'pg_class'::regclass, c.oid, a.attnum, 'column', n.nspname::text, format('%I.%I', n.nspname, c.relname),
    quote_ident(a.attname), c.relowner, a.attacl, 'c', n.nspname = any ($1)
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  join pg_namespace n on n.oid = c.relnamespace
  where a.attacl is not null and not a.attisdropped
  union all
  select
    'pg_proc'::regclass, p.oid, 0, case when p.prokind = 'p' then 'procedure' else 'function' end, n.nspname::text,
    format('%I.%I(%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)), null, p.proowner, p.proacl, 'f',
    n.nspname = any ($1)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.proacl is not null or n.nspname = any ($1)
  union all
  select
    'pg_type'::regclass, t.oid, 0, case t.typtype when 'd' then 'domain' else 'type' end, n.nspname::text,
    format('%I.%I', n.nspname, t.typname), null, t.typowner, t.typacl, 'T', false
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  where t.typacl is not null
  union all
  select 'pg_largeobject'::regclass, oid, 0, 'large object', null, oid::text, null, lomowner, lomacl, 'L', false
  from pg_largeobject_metadata
  union all
  select 'pg_language'::regclass, oid, 0, 'language', null, quote_ident(lanname), null, lanowner, lanacl, 'l', false
  from pg_language
  union all
  select
    'pg_foreign_data_wrapper'::regclass, oid, 0, 'foreign data wrapper', null, quote_ident(fdwname), null, fdwowner,
    fdwacl, 'F', false
  from pg_foreign_data_wrapper
  union all
  select
    'pg_foreign_server'::regclass, oid, 0, 'foreign server', null, quote_ident(srvname), null, srvowner, srvacl, 'S', false
  from pg_foreign_server
  union all
  select 'pg_tablespace'::regclass, oid, 0, 'tablespace', null, quote_ident(spcname), null, spcowner, spcacl, 't', false
  from pg_tablespace
  union all
  select 'pg_parameter_acl'::regclass, oid, 0, 'parameter', null, parname, null, 10, paracl, 'p', false
  from pg_parameter_acl
)
select
  o.kind, o.schema, o.name, o."column", pg_get_userbyid(o.owner)::text as owner,
  case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee)::text end as grantee,
  pg_get_userbyid(a.grantor)::text as grantor, a.is_grantable as grantable,
  o.planned, initial, array_agg(a.privilege_type order by a.privilege_type) as privileges
from object o
cross join lateral aclexplode(coalesce(o.acl, acldefault(o.code, o.owner))) a
cross join lateral (
  select exists (
    select
    from aclexplode(
      coalesce(
        (select i.initprivs from pg_init_privs i where (i.classoid, i.objoid, i.objsubid) = (o.class, o.oid, o.part)),
        acldefault(o.code, o.owner)
      )
    ) b
    where (b.grantee, b.privilege_type) = (a.grantee, a.privilege_type) and b.is_grantable >= a.is_grantable
  )
) as given (by_default)
cross join lateral (
  select by_default and exists (
    select from pg_depend d where (d.classid, d.objid, d.deptype) = (o.class, o.oid, 'e')
  )
) as extension (initial)
where (o.planned or o.acl is not null) and a.grantee <> o.owner
  -- initdb creates this schema after it has recorded the initial privileges.
  and not (o.schema is not distinct from 'information_schema' and a.grantee = 0 and a.privilege_type in ('SELECT', 'USAGE'))
  and (o.planned or not by_default)
  and not (a.grantee = 0 and o.class = 'pg_proc'::regclass and exists (
    select from pg_proc p where p.oid = o.oid and p.prorettype in ('trigger'::regtype, 'event_trigger'::regtype)))
group by o.kind, o.schema, o.name, o."column", o.owner, a.grantee, a.grantor, a.is_grantable, o.planned, initial
order by 1, 3, 4, 6, 7, 8
