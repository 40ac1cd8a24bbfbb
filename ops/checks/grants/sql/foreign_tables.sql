-- Foreign tables whose wrapper has no handler.
select format('%I.%I', n.nspname, c.relname) as name, quote_ident(w.fdwname) as wrapper
from pg_catalog.pg_foreign_table t
join pg_catalog.pg_class c on c.oid = t.ftrelid
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_foreign_server s on s.oid = t.ftserver
join pg_catalog.pg_foreign_data_wrapper w on w.oid = s.srvfdw
where w.fdwhandler = 0
order by 1
