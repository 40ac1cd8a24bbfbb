-- The stack creates the schemas of its own database. In an existing database they are created here, where they are missing: what Pulumi's
-- state does not contain, no destroy drops. A schema that exists keeps its owner.
select
  pg_catalog.set_config('gatehouse.existing', :'existing', true),
  pg_catalog.set_config('gatehouse.owner', :'owner', true),
  pg_catalog.set_config('gatehouse.layers', 
    pg_catalog.concat_ws(',', nullif(:'exposed', ''), nullif(:'private', ''), nullif(:'hidden', '')), true);
do $$
declare
  owner constant name := pg_catalog.current_setting('gatehouse.owner');
  found constant json := pg_catalog.current_setting('gatehouse.foreign')::json -> 0;
  layer name;
  -- The membership of a role with NOINHERIT would give it none of the owner's privileges.
  inheriting constant text := case when pg_catalog.current_setting('server_version_num')::integer >= 160000 then ' with inherit true' else '' end;
  own record;
begin
  if found is not null then
    raise duplicate_object using message = found ->> 'message', hint = found ->> 'hint';
  end if;
  -- Without superuser rights the administrator acts for the owner as a member of it. From Postgres 16 on, the creator of a role may grant it, and
  -- is no member that inherits (PostgreSQL, createrole_self_grant).
  if not pg_catalog.pg_has_role(current_user, owner, 'USAGE') then
    execute pg_catalog.format('grant %I to current_user%s', owner, inheriting);
  end if;
  if pg_catalog.current_setting('gatehouse.existing') <> 'on' then return; end if;

  for own in
    select expected.schema, expected.of, pg_catalog.pg_get_userbyid(n.nspowner) as actual
    from (values ('gatehouse', current_user), ('gatehouse_openapi', current_user), ('catalog', owner)) as expected(schema, of)
    left join pg_catalog.pg_namespace n on n.nspname = expected.schema
  loop
    if own.actual is null then
      execute pg_catalog.format('create schema %I authorization %I', own.schema, own.of);
    elsif own.actual <> own.of then
      -- That of an earlier deployment, whose roles a destroy has dropped.
      execute pg_catalog.format('alter schema %I owner to %I', own.schema, own.of);
    end if;
  end loop;
  foreach layer in array pg_catalog.string_to_array(pg_catalog.current_setting('gatehouse.layers'), ',') loop
    if not exists (select from pg_catalog.pg_namespace n where n.nspname = layer) then
      execute pg_catalog.format('create schema %I authorization %I', layer, owner);
    end if;
  end loop;
end
$$;
