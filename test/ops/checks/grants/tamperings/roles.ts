import { can, type Tampering } from "./tampering.ts";

export const DEFAULTS: readonly Tampering[] = [
  {
    name: "the owner's next table is not readable",
    sql: "ALTER DEFAULT PRIVILEGES FOR ROLE pipeline IN SCHEMA marts REVOKE SELECT ON TABLES FROM web_anon",
    found: [
      ["default privileges of pipeline in schema marts", "the next table in marts does not give web_anon SELECT"],
    ],
  },
  {
    name: "the owner's next function is everybody's",
    sql: "ALTER DEFAULT PRIVILEGES FOR ROLE pipeline GRANT EXECUTE ON FUNCTIONS TO PUBLIC",
    found: [
      ["default privileges of pipeline", "each function that is created anywhere gives everybody (PUBLIC) EXECUTE"],
    ],
  },
  {
    name: "the next private table of any role is readable",
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
    name: "the next table can be written",
    sql: "ALTER DEFAULT PRIVILEGES FOR ROLE analyst IN SCHEMA marts GRANT INSERT ON TABLES TO PUBLIC",
    found: [
      [
        "default privileges of analyst in schema marts",
        "each table that is created in marts gives everybody (PUBLIC) INSERT",
      ],
    ],
  },
];

export const ROLES: readonly Tampering[] = [
  {
    name: "logs in, past row security",
    sql: "ALTER ROLE web_anon LOGIN BYPASSRLS",
    found: [
      ["role web_anon", "is BYPASSRLS"],
      ["role web_anon", "is LOGIN"],
    ],
  },
  {
    name: "roles that rule",
    sql: `ALTER ROLE authenticator SUPERUSER; ALTER ROLE web_anon CREATEROLE CREATEDB REPLICATION; ALTER ROLE pipeline BYPASSRLS`,
    found: [
      ["role authenticator", "is SUPERUSER"],
      ["role web_anon", "is CREATEROLE"],
      ["role pipeline", "is BYPASSRLS"],
      ["role web_anon", "is REPLICATION"],
      ["role web_anon", "is CREATEDB"],
    ],
    proof: can("table", "private_marts.people", "SELECT", "authenticator"),
  },
  {
    name: "an authenticator that inherits",
    sql: "ALTER ROLE authenticator INHERIT; GRANT web_anon TO authenticator WITH INHERIT TRUE",
    found: [
      ["role authenticator", "has what web_anon has without becoming it"],
      ["role authenticator", "is INHERIT"],
    ],
    proof: can("table", "marts.sales", "SELECT", "authenticator"),
  },
  {
    name: "an authenticator that cannot become the anonymous role",
    sql: "REVOKE web_anon FROM authenticator",
    found: [["role authenticator", "cannot become web_anon"]],
    proof: "NOT pg_has_role('authenticator', 'web_anon', 'SET')",
  },
  {
    name: "an authenticator that gives the role to others",
    sql: "GRANT web_anon TO authenticator WITH ADMIN OPTION",
    found: [["role authenticator", "may give web_anon to others"]],
  },
  {
    name: "is the data owner",
    sql: "GRANT pipeline TO web_anon",
    found: [["role web_anon", "is a member of pipeline, which owns the data"]],
    proof: can("table", "private_marts.people", "DELETE"),
  },
  {
    name: "is in a group that may write",
    sql: "GRANT UPDATE ON marts.sales TO analyst; GRANT analyst TO staff; GRANT staff TO authenticator",
    found: [["role authenticator", "is a member of staff, and with it has UPDATE on table marts.sales"]],
    proof: "pg_has_role('authenticator', 'analyst', 'SET')",
  },
  {
    name: "roles of the server that reach every row",
    sql: "GRANT pg_read_all_data TO web_anon; GRANT pg_execute_server_program TO pipeline; GRANT pg_write_all_data TO staff",
    found: [
      ["role web_anon", "is a member of pg_read_all_data"],
      ["role pipeline", "is a member of pg_execute_server_program, as are its views"],
      ["role staff", "is a member of pg_write_all_data, and so reaches the private schemas"],
    ],
    proof: can("table", "private_marts.people", "SELECT"),
  },
  {
    name: "has no limits",
    sql: "ALTER ROLE web_anon RESET statement_timeout; ALTER ROLE web_anon SET search_path = private_marts",
    found: [
      ["role web_anon", "has no statement_timeout, not 5000ms"],
      ["role web_anon", "sets search_path = private_marts"],
    ],
  },
  {
    name: "has a longer limit",
    sql: "ALTER ROLE web_anon SET statement_timeout = '5min'",
    found: [["role web_anon", "has statement_timeout = 5min, not 5000ms"]],
  },
];
