-- Privileges in an existing database, whose objects belong to several roles. The administrator may be unable to act for one of them; then the
-- others still get theirs, and verification names what is missing. What is as planned is not touched: a grant updates the catalog's row, for
-- which a concurrent DROP TABLE waits.
create table if not exists gatehouse.published (
  schema name,
  creator name,
  reader_oid oid,
  primary key (schema, creator, reader_oid)
);
comment on table gatehouse.published is
  'Roles whose relations in an exposed schema were granted to the anonymous role (reader_oid) once; no later migration grants more of theirs';
select
  pg_catalog.set_config('gatehouse.anonymous', :'anonymous', true),
  pg_catalog.set_config('gatehouse.authenticator', :'authenticator', true);
do $$
declare
  anonymous constant name := pg_catalog.current_setting('gatehouse.anonymous');
  authenticator constant name := pg_catalog.current_setting('gatehouse.authenticator');
  owner constant name := pg_catalog.current_setting('gatehouse.owner');
  exposed constant name[] := pg_catalog.string_to_array(gatehouse.setting('exposed'), ',');
  -- A writer that does not exist yet is a finding of verification.
  creators constant name[] := array(
    select r.rolname from pg_catalog.pg_roles r
    where r.rolname = owner or r.rolname = any (pg_catalog.string_to_array(pg_catalog.current_setting('gatehouse.writers'), ',')));
  reader constant oid := anonymous::pg_catalog.regrole;
  -- <schema>.<creator>, whose next relations are not readable.
  closed constant text[] := array(
    select pg_catalog.format('%I.%I', schema, creator)
    from pg_catalog.unnest(creators) creator cross join pg_catalog.unnest(exposed) schema
    where not exists (
      select from pg_catalog.pg_default_acl d cross join lateral pg_catalog.aclexplode(d.defaclacl) a
      where d.defaclrole = pg_catalog.quote_ident(creator)::pg_catalog.regrole and d.defaclnamespace = schema::text::pg_catalog.regnamespace
        and d.defaclobjtype = 'r' and a.grantee = reader and a.privilege_type = 'SELECT'));
  -- Those where the schema or the role is new to the data API: only then do relations that exist become public. One that lacks SELECT later was moved into
  -- the schema, created by another role or restricted by hand: verification reports it, and no migration publishes it.
  added constant text[] := array(
    select one from pg_catalog.unnest(closed) one
    except
    select pg_catalog.format('%I.%I', p.schema, p.creator) from gatehouse.published p where p.reader_oid = reader);
  difference text;
begin
  if pg_catalog.current_setting('gatehouse.existing') <> 'on' then return; end if;

  -- What is created after the commit of this transaction. A relation that another session creates meanwhile gets no grant, and verification reports it.
  for difference in
    select pg_catalog.format('alter default privileges for role %I in schema %I grant select on tables to %I', creator, schema, anonymous)
    from pg_catalog.unnest(creators) creator cross join pg_catalog.unnest(exposed) schema
    where pg_catalog.format('%I.%I', schema, creator) = any (closed)
    union all
    select pg_catalog.format('alter default privileges for role %I revoke execute on functions from public', owner)
    union all
    select pg_catalog.format('alter default privileges for role %I%s revoke all on %s from %I', pg_catalog.pg_get_userbyid(d.defaclrole),
      (select pg_catalog.format(' in schema %I', n.nspname) from pg_catalog.pg_namespace n where n.oid = d.defaclnamespace),
      case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types'
        when 'L' then 'large objects' else 'schemas' end,
      anonymous)
    from pg_catalog.pg_default_acl d
    left join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
    where exists (select from pg_catalog.aclexplode(d.defaclacl) a where a.grantee = reader) and not coalesce(
      d.defaclobjtype = 'r' and n.nspname = any (exposed) and pg_catalog.pg_get_userbyid(d.defaclrole) = any (creators), false)
  loop
    perform gatehouse.attempt(difference);
  end loop;

  for difference in
    -- By name, although PUBLIC has them by default: verification prints what revokes those of PUBLIC.
    select pg_catalog.format('grant connect on database %I to %I', d.datname, role)
    from pg_catalog.pg_database d cross join pg_catalog.unnest(array[authenticator, owner]) role
    where d.datname = pg_catalog.current_database() and not exists (
      select from pg_catalog.aclexplode(d.datacl) a
      where a.grantee = pg_catalog.quote_ident(role)::pg_catalog.regrole and a.privilege_type = 'CONNECT')
    union all
    select pg_catalog.format('revoke all on database %I from %I', d.datname, anonymous)
    from pg_catalog.pg_database d
    where d.datname = pg_catalog.current_database() and exists (select from pg_catalog.aclexplode(d.datacl) a where a.grantee = reader)
    union all
    select pg_catalog.format('grant usage on schema %I to %I', n.nspname, anonymous)
    from pg_catalog.pg_namespace n
    where n.nspname = any (exposed || array['gatehouse', 'gatehouse_openapi']::name[])
      and not exists (select from pg_catalog.aclexplode(n.nspacl) a where a.grantee = reader and a.privilege_type = 'USAGE')
    union all
    -- A schema that was created for the data API.
    select pg_catalog.format('grant usage, create on schema %I to %I', n.nspname, creator)
    from pg_catalog.pg_namespace n cross join pg_catalog.unnest(creators) creator
    where n.nspname = any (exposed) and pg_catalog.pg_get_userbyid(n.nspowner) = owner
      and not pg_catalog.has_schema_privilege(creator, n.oid, 'CREATE')
    union all
    select pg_catalog.format('revoke all on schema %I from %I', n.nspname, anonymous)
    from pg_catalog.pg_namespace n
    where n.nspname <> all (exposed || array['gatehouse', 'gatehouse_openapi']::name[])
      and exists (select from pg_catalog.aclexplode(n.nspacl) a where a.grantee = reader)
    union all
    select pg_catalog.format('grant select on %I.%I to %I', n.nspname, c.relname, anonymous)
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname = any (exposed)
      and added && array[
        pg_catalog.format('%I.%I', n.nspname, owner), pg_catalog.format('%I.%I', n.nspname, pg_catalog.pg_get_userbyid(c.relowner))]
      and not exists (select from pg_catalog.aclexplode(c.relacl) a where a.grantee = reader and a.privilege_type = 'SELECT')
    union all
    -- By name: REVOKE ALL on a relation or column also revokes SELECT on the columns, which is left as it is.
    select pg_catalog.format('revoke %s%s on %I.%I from %I', case when planned then 'grant option for ' end,
      pg_catalog.string_agg(a.privilege_type || part.columns, ', '), n.nspname, c.relname, anonymous)
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    cross join lateral (
      select '' as columns, c.relacl as acl
      union all
      select pg_catalog.format(' (%I)', t.attname), t.attacl from pg_catalog.pg_attribute t where t.attrelid = c.oid and not t.attisdropped
    ) as part
    cross join lateral pg_catalog.aclexplode(part.acl) a
    cross join lateral (select n.nspname = any (exposed) and c.relkind <> 'S' and a.privilege_type = 'SELECT') as privilege(planned)
    where a.grantee = reader and (a.is_grantable or not planned)
    group by n.nspname, c.relname, planned
    union all
    select pg_catalog.format('revoke all on routine %s from %I', p.oid::pg_catalog.regprocedure, anonymous)
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname <> all (array['gatehouse', 'gatehouse_openapi']::name[])
      and exists (select from pg_catalog.aclexplode(p.proacl) a where a.grantee = reader)
  loop
    perform gatehouse.attempt(difference);
  end loop;

  delete from gatehouse.published p where p.schema <> all (exposed) or p.creator <> all (creators) or p.reader_oid <> reader;
  insert into gatehouse.published
  select n.nspname, pg_catalog.pg_get_userbyid(d.defaclrole), a.grantee
  from pg_catalog.pg_default_acl d
  join pg_catalog.pg_namespace n on n.oid = d.defaclnamespace
  cross join lateral pg_catalog.aclexplode(d.defaclacl) a
  where d.defaclobjtype = 'r' and a.grantee = reader and a.privilege_type = 'SELECT'
    and n.nspname = any (exposed) and pg_catalog.pg_get_userbyid(d.defaclrole) = any (creators)
  on conflict do nothing;
end
$$;

drop function gatehouse.attempt(text);
