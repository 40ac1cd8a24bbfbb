-- Runs first in every request. PostgREST asks for a read-write transaction whenever the method is not GET, whatever the role's own
-- default says, so the role setting alone stops nothing; once this has run, Postgres refuses to turn it off again in the transaction.
-- It lives outside the exposed schemas, where it could be called over the API.
create or replace function gatehouse.pre_request() returns void
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_catalog.set_config('transaction_read_only', 'on', true);
end
$$;
