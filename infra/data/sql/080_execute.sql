-- Postgres gives PUBLIC EXECUTE on what is created; grants of the stack reach what exists when they change, and so not what is new here.
revoke execute on all functions in schema gatehouse, gatehouse_openapi, catalog from public;
grant execute on all functions in schema gatehouse, gatehouse_openapi to :"anonymous";
grant execute on all functions in schema catalog to :"owner";
