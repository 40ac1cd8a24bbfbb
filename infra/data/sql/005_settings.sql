-- Returns a value of the stack's configuration. It is a function, because only a superuser can set parameters with names that Postgres does not know.
create or replace function gatehouse.setting(name text) returns text
  language sql
  immutable
  return case name
    when 'api' then :'api'
    when 'exposed' then :'exposed'
    when 'private' then :'private'
    when 'max_rows' then :'max_rows'
    when 'max_selected' then :'max_selected'
    when 'max_ordered' then :'max_ordered'
    when 'exact_count_rows' then :'exact_count_rows'
    when 'max_age' then :'max_age'
    when 'in_flight' then :'in_flight'
  end;

-- Runs a statement that needs rights which an administrator may lack. Without them it warns, and verification reports what is not enforced.
-- A relation may be dropped by another session meanwhile, which Postgres reports as an internal error ("tuple concurrently deleted").
create or replace function gatehouse.attempt(statement text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  execute statement;
-- A role may refuse members: pg_database_owner, and one that is a member of the current role itself.
exception when insufficient_privilege or feature_not_supported or invalid_grant_operation then
  raise warning 'not enforced: %: %', sqlerrm, pg_catalog.split_part(pg_catalog.btrim(statement, E'\n'), E'\n', 1);
when undefined_table or internal_error then
  raise warning 'skipped: %: %', sqlerrm, statement;
end
$$;
