-- What relations read although Postgres records no dependency: of its own objects none, so they are in the text of a view's rule; of a text that is run
-- as SQL none; and a foreign table can read a table of the same database.
select r.ev_class::text as id, 'catalog' as kind, s.oid::regclass::text as name, null as schema
from pg_rewrite r
cross join lateral regexp_matches(r.ev_action::text, ':relid (\d+)', 'g') as found
join pg_class s on s.oid = found[1]::oid
-- Objects of a new server have smaller OIDs (access/transam.h, FirstNormalObjectId).
where r.ev_class >= 16384 and s.oid < 16384
union
select r.ev_class::text, called.kind, p.oid::regprocedure::text, null
from pg_rewrite r
cross join lateral regexp_matches(r.ev_action::text, ':funcid (\d+)', 'g') as found
join pg_proc p on p.oid = found[1]::oid
cross join lateral (
  select case
    when p.proname ~ '^((query|cursor|table|schema|database)_to_xml|ts_stat$|lo_get$|loread$|pg_read_(binary_)?file$|pg_ls_)' then 'function'
    when p.proname = 'ts_rewrite' and p.pronargs = 2 then 'function'
    when p.proname ~ '^((obj|col|shobj)_description|pg_get_[a-z_]*def|pg_(describe|identify)_object)$' then 'description'
  end
) as called (kind)
where r.ev_class >= 16384 and called.kind is not null
union
select t.ftrelid::text, 'remote', format('%I.%I', remote.schema, coalesce(remote.name, c.relname)), remote.schema
from pg_foreign_table t
join pg_foreign_server s on s.oid = t.ftserver
join pg_class c on c.oid = t.ftrelid
cross join lateral (
  select
    (select option_value from pg_options_to_table(t.ftoptions) where option_name = 'schema_name') as schema,
    (select option_value from pg_options_to_table(t.ftoptions) where option_name = 'table_name') as name,
    (select option_value from pg_options_to_table(s.srvoptions) where option_name = 'dbname') as database
) as remote
where remote.database = current_database() and remote.schema is not null
order by 1, 2, 3
