-- Bounds of one request, besides its statement_timeout and idle_in_transaction_session_timeout, which belong to the role as the provider
-- manages it: it reads those back, and not these.
alter role :"anonymous" set lock_timeout = '1s';
alter role :"anonymous" set work_mem = '8MB';
alter role :"anonymous" set hash_mem_multiplier = 1;
-- A request is short and one of many: workers and compilation would serve one at the cost of the others.
alter role :"anonymous" set max_parallel_workers_per_gather = 0;
alter role :"anonymous" set jit = off;

-- Only a superuser sets these, so they cannot be set for a transaction: they apply from the login of the role that PostgREST connects as.
select gatehouse.attempt(pg_catalog.format('alter role %I set temp_file_limit = ''512MB''', :'authenticator'));
-- What a client sends stays out of the server's log.
select gatehouse.attempt(pg_catalog.format('alter role %I set log_min_error_statement = ''panic''', :'authenticator'));
