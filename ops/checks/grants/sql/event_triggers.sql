select
  e.evtname::text as name, e.evtenabled in ('O', 'A') as enabled, e.evtenabled = 'A' as always, pg_get_userbyid(e.evtowner)::text as owner,
  n.nspname::text as schema
from pg_event_trigger e
join pg_proc p on p.oid = e.evtfoid
join pg_namespace n on n.oid = p.pronamespace
order by 1
