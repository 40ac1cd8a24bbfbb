-- Two runs at once: the second waits here until the first has committed.
select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('gatehouse migrations'));
