-- Two runs at once: the second waits here until the first has committed.
select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('gatehouse migrations'));
-- Any other lock is waited for this long: requests and pipelines that need a lock that conflicts with it wait behind it.
select pg_catalog.set_config('lock_timeout', '10s', true);
-- Names mean the same for everyone who runs this.
select pg_catalog.set_config('search_path', '', true);
