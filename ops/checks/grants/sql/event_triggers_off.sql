-- Where event triggers do not run (event_triggers of Postgres 17 and newer): for a role or all (null), in this database or all (null).
select
  false as server, case when s.setrole <> 0 then pg_get_userbyid(s.setrole)::text end as role,
  case when s.setdatabase <> 0 then d.datname::text end as database
from pg_catalog.pg_db_role_setting s
join pg_catalog.pg_database d on d.datname = current_database()
cross join lateral unnest(s.setconfig) as setting
where s.setdatabase in (0, d.oid) and setting like 'event\_triggers=%' and not split_part(setting, '=', 2)::boolean
union all
select true, null, null
from pg_catalog.pg_settings
where name = 'event_triggers' and setting = 'off' and source in ('configuration file', 'command line', 'environment variable')
order by 1, 2, 3
