-- Functions that run at the start of each request. They are not in an exposed schema, in which clients could call them over the API.

-- Ends a request with a response instead of rows (PostgREST: RAISE SQLSTATE 'PGRST'). The server would log each one as an error, also each 304. So the
-- function sets log_min_messages, for which the anonymous role needs the privilege SET; the API offers no statement with which a client could use it.
-- Only a superuser can grant the privilege and add the setting.
create or replace function gatehouse.answer(status integer, code text, message text, headers json) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  raise sqlstate 'PGRST' using
    message = pg_catalog.json_build_object('code', code, 'message', message)::text,
    detail = pg_catalog.json_build_object('status', status, 'headers', headers)::text;
end
$$;
select gatehouse.attempt(pg_catalog.format('grant set on parameter log_min_messages to %I', :'anonymous'));
-- Without its privilege each of its responses would fail. An administrator can have SET without being able to grant it, which is a warning only.
select gatehouse.attempt(
  case when pg_catalog.has_parameter_privilege(:'anonymous', 'log_min_messages', 'SET')
    then 'alter function gatehouse.answer(integer, text, text, json) set log_min_messages = ''fatal'''
    else 'alter function gatehouse.answer(integer, text, text, json) reset log_min_messages'
  end
);

-- The relation that a request names: its path decoded, in the selected schema, and cut to 63 bytes, as Postgres does with the name in the query of PostgREST 12.
-- Null unless the role may read it.
create or replace function gatehouse.requested_relation(path text, schema text) returns oid
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with decoded as (
    select pg_catalog.convert_from(pg_catalog.string_agg(
      case when part[1] is null then pg_catalog.convert_to(part[2], 'UTF8') else pg_catalog.decode(part[1], 'hex') end,
      ''::bytea order by place), 'UTF8') as name
    from pg_catalog.regexp_matches(pg_catalog.substr(path, 2), '%([[:xdigit:]]{2})|([^%]+|%)', 'g') with ordinality as _(part, place)
  )
  select c.oid
  from decoded join pg_catalog.pg_class c on c.relname = decoded.name::pg_catalog.name
  where c.relnamespace = (select n.oid from pg_catalog.pg_namespace n where n.nspname = schema)
    and pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
$$;

-- The relations whose rows a query of a relation reads, with itself: of a table its partitions and children, of a view all that it is made of. A
-- materialized view has rows of its own.
create or replace function gatehouse.relations_read(relation oid) returns setof oid
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  with recursive parts(oid) as (
    select relation
    union
    select part.oid from parts join pg_catalog.pg_class c on c.oid = parts.oid and c.relkind <> 'm' cross join lateral (
      select i.inhrelid from pg_catalog.pg_inherits i where i.inhparent = parts.oid
      union all
      select d.refobjid
      from pg_catalog.pg_rewrite r
      join pg_catalog.pg_depend d
        on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass and d.objid = r.oid
        and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
      where r.ev_class = parts.oid
    ) as part(oid)
  )
  select oid from parts
$$;

-- Rows that a count reads, as the statistics have them; unknown ones are none.
create or replace function gatehouse.estimated_rows(relation oid) returns bigint
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  -- A partitioned table has none of its own, but ANALYZE writes the sum of its partitions to it.
  select coalesce(pg_catalog.sum(c.reltuples) filter (where c.relkind <> 'p' and c.reltuples > 0), 0)::bigint
  from gatehouse.relations_read(relation) as parts(oid) join pg_catalog.pg_class c on c.oid = parts.oid
$$;

-- Whether an estimate would reveal rows that a relation does not serve: the planner estimates a filter with the statistics of the tables, which contain
-- their frequent values and a histogram, also of rows that row security or the condition of a view hides (measured: a hidden name in 208 requests).
-- A view hides rows of what the role cannot read directly: in a schema that is not exposed, or without SELECT on all columns.
create or replace function gatehouse.reads_hidden_rows(relation oid) returns boolean
  language sql
  stable
  set search_path = pg_catalog, pg_temp
as $$
  select coalesce(pg_catalog.bool_or(c.relrowsecurity or (c.relkind in ('r', 'p', 'f', 'm') and c.oid <> relation
    and (n.nspname <> all (pg_catalog.string_to_array(gatehouse.setting('exposed'), ','))
      or pg_catalog.has_table_privilege(c.oid, 'SELECT') is not true))), false)
  from gatehouse.relations_read(relation) as parts(oid)
  join pg_catalog.pg_class c on c.oid = parts.oid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
$$;

-- The client of a request: the peer of the gateway, which is the last address of X-Forwarded-For; behind a proxy that terminates TLS the address
-- before it, which that proxy states. The gateway sets the number of proxies: addresses further to the front can be forged. Of IPv6 the /64, as in
-- the limits of the gateway. Null without a gateway: only pods that the NetworkPolicy admits connect to PostgREST.
create or replace function gatehouse.client(headers json) returns text
  language plpgsql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
declare
  forwarded constant text[] := pg_catalog.string_to_array(pg_catalog.replace(headers ->> 'x-forwarded-for', ' ', ''), ',');
  proxies constant integer := case headers ->> 'x-gatehouse-proxies' when '1' then 1 else 0 end;
  entry constant text := coalesce(forwarded[pg_catalog.cardinality(forwarded) - proxies], forwarded[1], headers ->> 'x-real-ip');
  -- Some proxies write IPv4 as IPv6, or add a port (nginx with a dual-stack listener, Azure Application Gateway).
  address constant text := coalesce(
    (pg_catalog.regexp_match(entry, '^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)(?::\d+)?$', 'i'))[1],
    (pg_catalog.regexp_match(entry, '^\[(.+)\](?::\d+)?$'))[1],
    entry);
begin
  if pg_catalog.strpos(address, ':') = 0 then
    return address;
  end if;
  -- Only here, since a block with an exception is a subtransaction.
  begin
    return pg_catalog.network(pg_catalog.set_masklen(address::pg_catalog.inet, 64))::text;
  exception when invalid_text_representation then
    return address;
  end;
end
$$;

-- Acquires one of the client's slots until the end of the transaction, if one is free. The gateway counts requests that a client waits for; a query whose
-- client has disconnected runs on, since PostgREST does not cancel it, and one address could run a query on every connection (measured, docs/limits.md).
create or replace function gatehouse.acquire_slot(client text, slots integer) returns boolean
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  for slot in 1 .. slots loop
    if pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('gatehouse ' || client || ' ' || slot, 0)) then
      return true;
    end if;
  end loop;
  return false;
end
$$;

create or replace function gatehouse.pre_request() returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  headers constant json := coalesce(nullif(pg_catalog.current_setting('request.headers', true), ''), '{}');
  path constant text := coalesce(pg_catalog.current_setting('request.path', true), '');
  schema constant text := coalesce(headers ->> 'accept-profile', gatehouse.setting('api'));
  known constant text := coalesce(headers ->> 'if-none-match', '');
  prefer constant text := coalesce(headers ->> 'prefer', '');
  max_exact constant bigint := gatehouse.setting('exact_count_rows');
  caching constant text := 'public, max-age=' || gatehouse.setting('max_age');
  -- Seconds.
  period integer := 900;
  vary constant text := 'Accept, Accept-Profile, Prefer, Range, Range-Unit';
  database constant oid := (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database());
  client constant text := gatehouse.client(headers);
  uncounted constant text := 'use select=count, which ends at the time limit of a query';
  settings text[];
  setting text;
  state text;
  tag text;
begin
  -- PostgREST starts a read-write transaction for each method other than GET, whatever default_transaction_read_only of the role is. After this
  -- statement, Postgres refuses to make the transaction read-write again.
  perform pg_catalog.set_config('transaction_read_only', 'on', true);

  if client is not null and not gatehouse.acquire_slot(client, gatehouse.setting('in_flight')::integer) then
    perform gatehouse.answer(429, 'too_many_requests', pg_catalog.format('at most %s requests of one address run at a time',
      gatehouse.setting('in_flight')), '{"Cache-Control": "no-store", "Retry-After": "1"}');
  end if;

  -- PostgREST applies the settings of the role only where the database may override PostgREST's own (db-config), which it must not.
  select s.setconfig into settings from pg_catalog.pg_db_role_setting s
  where s.setdatabase = 0 and s.setrole = current_user::pg_catalog.regrole;
  foreach setting in array coalesce(settings, '{}') loop
    if pg_catalog.split_part(setting, '=', 1) in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'work_mem',
      'hash_mem_multiplier', 'max_parallel_workers_per_gather', 'jit') then
      perform pg_catalog.set_config(pg_catalog.split_part(setting, '=', 1), pg_catalog.split_part(setting, '=', 2), true);
    end if;
  end loop;

  -- The ETag changes after each write to the database, and every 15 minutes, because views can depend on the clock. Writes to the remote table of a
  -- foreign table are not counted here: where one exists, it changes every max-age. It is a hash of:
  -- - on a primary, the number of rows that were written in this database, and the times at which these counters started again (a reset, a crash).
  --   Other databases of the server do not change it.
  -- - on a standby, which counts nothing, the position of the replayed log.
  -- Sessions report their counters when they become idle, at most once a second, and the rest after 10 s of idleness. For that time after a write, a
  -- client can get a 304, which is within max-age; longer after a write of a session that does not become idle: a procedure that commits, or one that
  -- begins its next transaction within a second. The tag is computed before the rows are read, so it is never newer than they are.
  if exists (select from pg_catalog.pg_foreign_table) then
    period := least(period, greatest(gatehouse.setting('max_age')::integer, 1));
  end if;
  if pg_catalog.pg_is_in_recovery() then
    state := pg_catalog.pg_last_wal_replay_lsn();
  else
    state := row(pg_catalog.pg_stat_get_db_tuples_inserted(database), pg_catalog.pg_stat_get_db_tuples_updated(database),
      pg_catalog.pg_stat_get_db_tuples_deleted(database), pg_catalog.pg_stat_get_db_stat_reset_time(database),
      pg_catalog.pg_stat_get_bgwriter_stat_reset_time(), pg_catalog.pg_postmaster_start_time())::text;
  end if;
  tag := '"' || pg_catalog.md5(row(state, pg_catalog.trunc(extract(epoch from pg_catalog.now()) / period), path, schema, prefer,
    headers ->> 'accept', headers ->> 'range', headers ->> 'range-unit')::text) || '"';

  -- Weak comparison: an opaque tag contains no quote, so it is in the list exactly when its quoted text is.
  if pg_catalog.strpos(known, tag) > 0
    or (pg_catalog.btrim(known) = '*' and gatehouse.requested_relation(path, schema) is not null) then
    perform gatehouse.answer(304, 'not_modified', 'not modified',
      pg_catalog.json_build_object('ETag', 'W/' || tag, 'Cache-Control', caching, 'Vary', vary));
  end if;

  if prefer ~ '(^|,)\s*count=exact\s*(,|$)' and gatehouse.estimated_rows(gatehouse.requested_relation(path, schema)) > max_exact then
    perform gatehouse.answer(400, 'exact_count_refused', pg_catalog.format('only tables of up to %s rows are counted exactly; %s', max_exact,
      case when gatehouse.reads_hidden_rows(gatehouse.requested_relation(path, schema)) then uncounted
        else 'use Prefer: count=estimated or count=planned' end), '{"Cache-Control": "no-store"}');
  end if;
  if prefer ~ 'count=(planned|estimated)' and gatehouse.reads_hidden_rows(gatehouse.requested_relation(path, schema)) then
    perform gatehouse.answer(400, 'estimate_refused', 'rows of this relation are not counted approximately, because it does not show all rows of its tables; '
      || case when gatehouse.estimated_rows(gatehouse.requested_relation(path, schema)) > max_exact then uncounted
        else 'use Prefer: count=exact' end, '{"Cache-Control": "no-store"}');
  end if;

  perform pg_catalog.set_config('response.headers', pg_catalog.json_build_array(
    pg_catalog.json_build_object('Cache-Control', caching), pg_catalog.json_build_object('ETag', 'W/' || tag),
    pg_catalog.json_build_object('Vary', vary),
    pg_catalog.json_build_object('X-Max-Rows', gatehouse.setting('max_rows')))::text, true);
end
$$;
