-- What a relation reads (its rule: a view's query), the relations whose rows it shows as its own (partitions, children), and the functions
-- that its query, its columns' defaults and expressions, and its policies call, also by operators and by functions that name others.
-- Postgres records nothing about its own objects.
-- As targets parent:… also the relations, at any depth, of which a relation contains rows as a partition or child: these rows only, nothing else that they read.
with recursive parent (child, oid) as (
  select inhrelid, inhparent from pg_inherits
  union
  select parent.child, i.inhparent from parent join pg_inherits i on i.inhrelid = parent.oid
), edge (source_class, source, target_class, target) as (
  select 'pg_class'::regclass, r.ev_class, d.refclassid, d.refobjid
  from pg_depend d join pg_rewrite r on r.oid = d.objid
  where d.classid = 'pg_rewrite'::regclass
    and d.refclassid in ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass)
  union
  select 'pg_class'::regclass, a.adrelid, d.refclassid, d.refobjid
  from pg_depend d join pg_attrdef a on a.oid = d.objid
  where d.classid = 'pg_attrdef'::regclass and d.refclassid in ('pg_proc'::regclass, 'pg_operator'::regclass)
  union
  select 'pg_class'::regclass, p.polrelid, d.refclassid, d.refobjid
  from pg_depend d join pg_policy p on p.oid = d.objid
  where d.classid = 'pg_policy'::regclass and d.refclassid in ('pg_proc'::regclass, 'pg_operator'::regclass)
  union
  select d.classid, d.objid, d.refclassid, d.refobjid
  from pg_depend d
  where d.classid in ('pg_proc'::regclass, 'pg_operator'::regclass) and d.refclassid = 'pg_proc'::regclass
  union
  -- Of bodies in standard SQL; Postgres records nothing about bodies that are text.
  select d.classid, d.objid, d.refclassid, d.refobjid
  from pg_depend d
  where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_class'::regclass
  union
  select 'pg_class'::regclass, inhparent, 'pg_class'::regclass, inhrelid from pg_inherits
)
select
  format('%s:%s', source_class::regclass, source) as source, format('%s:%s', target_class::regclass, target) as target
from edge
where (source_class, source) <> (target_class, target)
  and not exists (
    select from pg_class c
    where target_class = 'pg_class'::regclass and c.oid = target and c.relkind not in ('r', 'v', 'm', 'f', 'p', 'S')
  )
union all
select format('pg_class:%s', child), format('parent:%s', parent.oid)
from parent join pg_class c on c.oid = parent.oid
where c.relkind not in ('i', 'I')
order by 1, 2
