import { can, type Tampering } from "./tampering.ts";

export const PRIVILEGES: readonly Tampering[] = [
  {
    name: "may write to a table",
    sql: "GRANT INSERT, UPDATE ON marts.sales TO web_anon",
    found: [["table marts.sales", "web_anon has INSERT, UPDATE"]],
    proof: can("table", "marts.sales", "INSERT"),
  },
  {
    name: "everybody may delete from a table",
    sql: "GRANT DELETE ON api_v1.place TO PUBLIC",
    found: [["table api_v1.place", "everybody (PUBLIC) has DELETE"]],
    proof: can("table", "api_v1.place", "DELETE"),
  },
  {
    name: "may write through a view",
    sql: "GRANT UPDATE ON api_v1.sales TO web_anon",
    found: [["view api_v1.sales", "web_anon has UPDATE"]],
    proof: can("table", "api_v1.sales", "UPDATE"),
  },
  {
    name: "may refresh a materialized view",
    sql: "GRANT MAINTAIN ON marts.totals TO web_anon",
    found: [["materialized view marts.totals", "web_anon has MAINTAIN"]],
  },
  {
    name: "may empty a partition",
    sql: "GRANT TRUNCATE ON marts.events_2026 TO web_anon",
    found: [["table marts.events_2026", "web_anon has TRUNCATE"]],
    proof: can("table", "marts.events_2026", "TRUNCATE"),
  },
  {
    name: "may write one column",
    sql: "GRANT UPDATE (note) ON marts.sales TO web_anon",
    found: [["column marts.sales.note", "web_anon has UPDATE"]],
    proof: "has_column_privilege('web_anon', 'marts.sales', 'note', 'UPDATE')",
  },
  {
    name: "may read one column of a private table",
    sql: "GRANT SELECT (name) ON private_marts.people TO PUBLIC",
    found: [["column private_marts.people.name", "everybody (PUBLIC) has SELECT"]],
    proof: "has_column_privilege('web_anon', 'private_marts.people', 'name', 'SELECT')",
  },
  {
    name: "may use a private schema and read a table of it",
    sql: "GRANT USAGE ON SCHEMA private_marts TO web_anon; GRANT SELECT ON private_marts.people TO web_anon",
    found: [
      ["schema private_marts", "web_anon has USAGE"],
      ["table private_marts.people", "web_anon has SELECT"],
    ],
    proof: `${can("table", "private_marts.people", "SELECT")} AND ${can("schema", "private_marts", "USAGE")}`,
  },
  {
    name: "another role reads a private table",
    sql: "GRANT USAGE ON SCHEMA private_marts TO analyst; GRANT SELECT ON private_marts.people TO analyst",
    found: [
      ["schema private_marts", "analyst has USAGE"],
      ["table private_marts.people", "analyst has SELECT"],
    ],
    proof: can("table", "private_marts.people", "SELECT", "analyst"),
  },
  {
    name: "may pass on what it may",
    sql: "GRANT SELECT ON marts.sales TO web_anon WITH GRANT OPTION",
    found: [["table marts.sales", "web_anon may give SELECT to others"]],
    proof: can("table", "marts.sales", "SELECT WITH GRANT OPTION"),
  },
  {
    name: "was granted something by somebody else than the owner",
    sql: `GRANT USAGE ON SCHEMA marts TO analyst; GRANT UPDATE ON marts.sales TO analyst WITH GRANT OPTION;
      SET LOCAL ROLE analyst; GRANT UPDATE ON marts.sales TO web_anon; RESET ROLE`,
    found: [["table marts.sales", "web_anon has UPDATE"]],
    proof: can("table", "marts.sales", "UPDATE"),
  },
  {
    name: "may create objects in an exposed schema",
    sql: "GRANT CREATE ON SCHEMA api_v1 TO web_anon",
    found: [["schema api_v1", "web_anon has CREATE"]],
    proof: can("schema", "api_v1", "CREATE"),
  },
  {
    name: "another role may create objects in the schema of what runs in requests",
    sql: "GRANT USAGE, CREATE ON SCHEMA gatehouse TO pipeline",
    found: [["schema gatehouse", "pipeline has CREATE"]],
    proof: can("schema", "gatehouse", "CREATE", "pipeline"),
  },
  {
    name: "may count a sequence on",
    sql: "GRANT USAGE ON SEQUENCE marts.sales_id_seq TO web_anon",
    found: [["sequence marts.sales_id_seq", "web_anon has USAGE"]],
    proof: can("sequence", "marts.sales_id_seq", "USAGE"),
  },
  {
    name: "may call a function of an exposed schema",
    sql: "GRANT EXECUTE ON FUNCTION marts.total(integer) TO web_anon",
    found: [["function marts.total(integer)", "web_anon has EXECUTE"]],
    proof: can("function", "marts.total(integer)", "EXECUTE"),
  },
  {
    name: "a function made by a superuser is everybody's",
    sql: "CREATE FUNCTION api_v1.answer() RETURNS int LANGUAGE sql AS 'SELECT 42'",
    found: [["function api_v1.answer()", "everybody (PUBLIC) has EXECUTE"]],
    proof: can("function", "api_v1.answer()", "EXECUTE"),
  },
  {
    name: "a procedure and an aggregate, too",
    sql: `CREATE PROCEDURE api_v1.work(INOUT a int) LANGUAGE plpgsql AS 'BEGIN END';
      CREATE AGGREGATE api_v1.most(int) (SFUNC = int4larger, STYPE = int)`,
    found: [
      ["function api_v1.most(integer)", "everybody (PUBLIC) has EXECUTE"],
      ["procedure api_v1.work(integer)", "everybody (PUBLIC) has EXECUTE"],
    ],
    proof: can("function", "api_v1.most(int)", "EXECUTE"),
  },
  {
    name: "everybody connects and makes temporary tables",
    sql: "GRANT CONNECT, TEMPORARY ON DATABASE warehouse TO PUBLIC",
    found: [["database warehouse", "everybody (PUBLIC) has CONNECT, TEMPORARY"]],
    proof: can("database", "warehouse", "TEMPORARY"),
  },
  {
    name: "the authenticator may create schemas",
    sql: "GRANT CREATE ON DATABASE warehouse TO authenticator",
    found: [["database warehouse", "authenticator has CREATE"]],
    proof: can("database", "warehouse", "CREATE", "authenticator"),
  },
  {
    name: "may enter a schema that the plan does not name",
    sql: "GRANT USAGE ON SCHEMA reporting TO web_anon; GRANT SELECT ON reporting.orders TO web_anon",
    found: [
      ["schema reporting", "web_anon has USAGE"],
      ["table reporting.orders", "web_anon has SELECT"],
    ],
    proof: can("table", "reporting.orders", "SELECT"),
  },
  {
    name: "may read files of the server",
    sql: "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO web_anon",
    found: [["function pg_catalog.pg_read_file(text)", "web_anon has EXECUTE"]],
    proof: can("function", "pg_read_file(text)", "EXECUTE"),
  },
  {
    name: "may write the server's own catalog, and read passwords from it",
    sql: "GRANT UPDATE ON pg_class TO web_anon; GRANT SELECT (rolpassword) ON pg_authid TO PUBLIC",
    found: [
      ["column pg_catalog.pg_authid.rolpassword", "everybody (PUBLIC) has SELECT"],
      ["table pg_catalog.pg_class", "web_anon has UPDATE"],
    ],
    proof: "has_column_privilege('web_anon', 'pg_authid', 'rolpassword', 'SELECT')",
  },
  {
    name: "may set a parameter of the server",
    sql: "GRANT ALTER SYSTEM, SET ON PARAMETER archive_command TO web_anon",
    found: [["parameter archive_command", "web_anon has ALTER SYSTEM, SET"]],
    proof: can("parameter", "archive_command", "ALTER SYSTEM"),
  },
  {
    name: "may use a tablespace, a type, a language, a wrapper and a server",
    sql: `GRANT CREATE ON TABLESPACE pg_default TO web_anon; GRANT USAGE ON TYPE marts.size TO web_anon;
      GRANT USAGE ON LANGUAGE plpgsql TO web_anon; CREATE FOREIGN DATA WRAPPER far; CREATE SERVER away FOREIGN DATA WRAPPER far;
      GRANT USAGE ON FOREIGN DATA WRAPPER far TO web_anon; GRANT USAGE ON FOREIGN SERVER away TO PUBLIC`,
    found: [
      ["foreign data wrapper far", "web_anon has USAGE"],
      ["foreign server away", "everybody (PUBLIC) has USAGE"],
      ["language plpgsql", "web_anon has USAGE"],
      ["tablespace pg_default", "web_anon has CREATE"],
      ["type marts.size", "web_anon has USAGE"],
    ],
    proof: can("server", "away", "USAGE"),
  },
  {
    name: "may change a large object",
    sql: "SELECT lo_create(4711); GRANT UPDATE ON LARGE OBJECT 4711 TO web_anon",
    found: [["large object 4711", "web_anon has UPDATE"]],
  },
  {
    name: "cannot read what another role made in an exposed schema",
    sql: "CREATE TABLE marts.late (id int); ALTER TABLE marts.late OWNER TO pipeline",
    found: [["table marts.late", "web_anon lacks SELECT"]],
    proof: `NOT ${can("table", "marts.late", "SELECT")}`,
  },
  {
    name: "cannot enter an exposed schema, run its functions, nor log in",
    sql: `REVOKE USAGE ON SCHEMA marts FROM web_anon; REVOKE EXECUTE ON FUNCTION gatehouse.pre_request() FROM web_anon;
      REVOKE CONNECT ON DATABASE warehouse FROM authenticator`,
    found: [
      ["database warehouse", "authenticator lacks CONNECT"],
      ["function gatehouse.pre_request()", "web_anon lacks EXECUTE"],
      ["schema marts", "web_anon lacks USAGE"],
    ],
    proof: `NOT ${can("schema", "marts", "USAGE")}`,
  },
];
