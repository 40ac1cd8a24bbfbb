import { can, type Tampering } from "./tampering.ts";

export const DEFAULTS: readonly Tampering[] = [
  {
    name: "reports a default privilege that the owner's next table lacks",
    sql: "ALTER DEFAULT PRIVILEGES FOR ROLE pipeline IN SCHEMA marts REVOKE SELECT ON TABLES FROM web_anon",
    found: [
      ["default privileges of pipeline in schema marts", "the next table in marts does not give web_anon SELECT"],
    ],
  },
  {
    name: "reports EXECUTE for PUBLIC on the owner's next function",
    sql: "ALTER DEFAULT PRIVILEGES FOR ROLE pipeline GRANT EXECUTE ON FUNCTIONS TO PUBLIC",
    found: [
      ["default privileges of pipeline", "each function that is created anywhere gives PUBLIC (all roles) EXECUTE"],
    ],
  },
  {
    name: "reports default privileges that open the next private table of any role",
    sql: `ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA private_marts GRANT SELECT ON TABLES TO web_anon;
      ALTER DEFAULT PRIVILEGES FOR ROLE pipeline GRANT SELECT ON TABLES TO analyst`,
    found: [
      ["default privileges of pipeline", "each table that is created anywhere gives analyst SELECT"],
      [
        "default privileges of postgres in schema private_marts",
        "each table that is created in private_marts gives web_anon SELECT",
      ],
    ],
  },
  {
    name: "reports default privileges of another role to change rows or run code, and all in an internal schema",
    sql: `ALTER DEFAULT PRIVILEGES FOR ROLE pipeline IN SCHEMA marts GRANT SELECT, TRIGGER ON TABLES TO analyst;
      ALTER DEFAULT PRIVILEGES FOR ROLE postgres GRANT SELECT, INSERT ON TABLES TO analyst;
      ALTER DEFAULT PRIVILEGES FOR ROLE postgres IN SCHEMA gatehouse GRANT SELECT ON TABLES TO analyst;
      ALTER DEFAULT PRIVILEGES FOR ROLE staff GRANT ALL ON TABLES TO analyst; ALTER DEFAULT PRIVILEGES FOR ROLE staff IN SCHEMA marts GRANT SELECT ON TABLES TO analyst`,
    found: [
      ["default privileges of pipeline in schema marts", "each table that is created in marts gives analyst TRIGGER"],
      ["default privileges of postgres", "each table that is created anywhere gives analyst INSERT"],
      [
        "default privileges of postgres in schema gatehouse",
        "each table that is created in gatehouse gives analyst SELECT",
      ],
    ],
  },
  {
    name: "reports a default privilege to write the next table",
    sql: "ALTER DEFAULT PRIVILEGES FOR ROLE analyst IN SCHEMA marts GRANT INSERT ON TABLES TO PUBLIC",
    found: [
      [
        "default privileges of analyst in schema marts",
        "each table that is created in marts gives PUBLIC (all roles) INSERT",
      ],
    ],
  },
];

export const ROLES: readonly Tampering[] = [
  {
    name: "reports LOGIN and BYPASSRLS of the anonymous role",
    sql: "ALTER ROLE web_anon LOGIN BYPASSRLS",
    found: [
      ["role web_anon", "is BYPASSRLS"],
      ["role web_anon", "is LOGIN"],
    ],
  },
  {
    name: "reports powerful attributes of the roles",
    sql: `ALTER ROLE authenticator SUPERUSER; ALTER ROLE web_anon CREATEROLE CREATEDB REPLICATION; ALTER ROLE pipeline BYPASSRLS`,
    found: [
      ["role authenticator", "is SUPERUSER"],
      ["role web_anon", "is CREATEROLE"],
      ["role pipeline", "is BYPASSRLS"],
      ["role web_anon", "is REPLICATION"],
      ["role web_anon", "is CREATEDB"],
    ],
    condition: can("table", "private_marts.people", "SELECT", "authenticator"),
  },
  {
    name: "reports an authenticator that inherits",
    sql: "ALTER ROLE authenticator INHERIT; GRANT web_anon TO authenticator WITH INHERIT TRUE",
    found: [
      ["role authenticator", "has what web_anon has without becoming it"],
      ["role authenticator", "is INHERIT"],
    ],
    condition: can("table", "marts.sales", "SELECT", "authenticator"),
  },
  {
    name: "reports an authenticator that cannot become the anonymous role",
    sql: "REVOKE web_anon FROM authenticator",
    found: [["role authenticator", "cannot become web_anon"]],
    condition: "NOT pg_has_role('authenticator', 'web_anon', 'SET')",
  },
  {
    name: "reports an authenticator with ADMIN OPTION",
    sql: "GRANT web_anon TO authenticator WITH ADMIN OPTION",
    found: [["role authenticator", "may give web_anon to others"]],
  },
  {
    name: "reports membership in the data owner",
    sql: "GRANT pipeline TO web_anon",
    found: [["role web_anon", "is a member of pipeline, which owns the data"]],
    condition: can("table", "private_marts.people", "DELETE"),
  },
  {
    name: "reports indirect membership in a role that may write",
    sql: "GRANT UPDATE ON marts.sales TO analyst; GRANT analyst TO staff; GRANT staff TO authenticator",
    found: [
      ["table marts.sales", "analyst has UPDATE"],
      ["role authenticator", "is a member of staff, and with it has UPDATE on table marts.sales"],
    ],
    condition: "pg_has_role('authenticator', 'analyst', 'SET')",
  },
  {
    name: "reports membership in predefined roles that reach every row",
    sql: "GRANT pg_read_all_data TO web_anon; GRANT pg_execute_server_program TO pipeline; GRANT pg_write_all_data TO staff",
    found: [
      ["role pipeline", "is a member of pg_execute_server_program, as are its views"],
      ["role web_anon", "is a member of pg_read_all_data"],
      ["role staff", "is a member of pg_write_all_data, and so reaches the private schemas"],
    ],
    condition: can("table", "private_marts.people", "SELECT"),
  },
  {
    name: "reports memberships of the data owner in a superuser and in any other role",
    sql: "CREATE ROLE manager CREATEROLE; GRANT postgres, manager, analyst TO pipeline",
    found: [
      ["role pipeline", "is a member of manager, as are its views"],
      ["role pipeline", "is a member of postgres, as are its views"],
      ["role pipeline", "is a member of analyst, as are its views"],
    ],
    condition: "pg_has_role('pipeline', 'postgres', 'USAGE')",
  },
  {
    name: "reports a missing statement_timeout and a search_path of the role",
    sql: "ALTER ROLE web_anon RESET statement_timeout; ALTER ROLE web_anon SET search_path = private_marts",
    found: [
      ["role web_anon", "has no statement_timeout, not 5000"],
      ["role web_anon", "sets search_path = private_marts"],
    ],
  },
  {
    name: "reports a role and a search_path that apply to the database only",
    sql: `ALTER ROLE authenticator IN DATABASE warehouse SET role = pipeline; ALTER ROLE web_anon IN DATABASE warehouse SET search_path = private_marts;
      ALTER ROLE authenticator IN DATABASE postgres SET search_path = public`,
    found: [
      ["role authenticator", "sets role = pipeline in database warehouse"],
      ["role web_anon", "sets search_path = private_marts in database warehouse"],
    ],
  },
  {
    name: "reports a longer statement_timeout, and a longer idle transaction of the authenticator",
    sql: "ALTER ROLE web_anon SET statement_timeout = '5min'; ALTER ROLE authenticator SET idle_in_transaction_session_timeout = 0",
    found: [
      ["role authenticator", "has idle_in_transaction_session_timeout = 0, not 10000"],
      ["role web_anon", "has statement_timeout = 5min, not 5000"],
    ],
  },
  {
    name: "reports limits that apply to the database only",
    sql: `ALTER ROLE authenticator IN DATABASE warehouse SET temp_file_limit = -1; ALTER ROLE authenticator IN DATABASE warehouse SET log_min_error_statement = error;
      ALTER ROLE authenticator IN DATABASE warehouse SET idle_in_transaction_session_timeout = 0; ALTER ROLE web_anon IN DATABASE warehouse SET statement_timeout = 0`,
    found: [
      ["role authenticator", "sets idle_in_transaction_session_timeout = 0 in database warehouse"],
      ["role authenticator", "sets log_min_error_statement = error in database warehouse"],
      ["role authenticator", "sets temp_file_limit = -1 in database warehouse"],
      ["role web_anon", "sets statement_timeout = 0 in database warehouse"],
    ],
  },
  {
    name: "reports bounds of a request that are gone or larger",
    sql: `ALTER ROLE web_anon RESET lock_timeout; ALTER ROLE web_anon SET work_mem = '1GB'; ALTER ROLE web_anon SET jit = on`,
    found: [
      ["role web_anon", "has jit = on, not off"],
      ["role web_anon", "has no lock_timeout, not 1s"],
      ["role web_anon", "has work_mem = 1GB, not 8MB"],
    ],
  },
];
