import { can, type Tampering } from "./tampering.ts";

export const PRIVILEGES: readonly Tampering[] = [
  {
    name: "reports write privileges on a table",
    sql: "GRANT INSERT, UPDATE ON marts.sales TO web_anon",
    found: [["table marts.sales", "web_anon has INSERT, UPDATE"]],
    condition: can("table", "marts.sales", "INSERT"),
  },
  {
    name: "reports DELETE for PUBLIC on a table",
    sql: "GRANT DELETE ON api_v1.place TO PUBLIC",
    found: [["table api_v1.place", "PUBLIC (all roles) has DELETE"]],
    condition: can("table", "api_v1.place", "DELETE"),
  },
  {
    name: "reports UPDATE on a view",
    sql: "GRANT UPDATE ON api_v1.sales TO web_anon",
    found: [["view api_v1.sales", "web_anon has UPDATE"]],
    condition: can("table", "api_v1.sales", "UPDATE"),
  },
  {
    name: "reports MAINTAIN on a materialized view",
    sql: "GRANT MAINTAIN ON marts.totals TO web_anon",
    found: [["materialized view marts.totals", "web_anon has MAINTAIN"]],
  },
  {
    name: "reports TRUNCATE on a partition",
    sql: "GRANT TRUNCATE ON marts.events_2026 TO web_anon",
    found: [["table marts.events_2026", "web_anon has TRUNCATE"]],
    condition: can("table", "marts.events_2026", "TRUNCATE"),
  },
  {
    name: "reports UPDATE on one column",
    sql: "GRANT UPDATE (note) ON marts.sales TO web_anon",
    found: [["column marts.sales.note", "web_anon has UPDATE"]],
    condition: "has_column_privilege('web_anon', 'marts.sales', 'note', 'UPDATE')",
  },
  {
    name: "reports SELECT on one column of a private table",
    sql: "GRANT SELECT (name) ON private_marts.people TO PUBLIC",
    found: [["column private_marts.people.name", "PUBLIC (all roles) has SELECT"]],
    condition: "has_column_privilege('web_anon', 'private_marts.people', 'name', 'SELECT')",
  },
  {
    name: "reports USAGE of a private schema and SELECT on its table",
    sql: "GRANT USAGE ON SCHEMA private_marts TO web_anon; GRANT SELECT ON private_marts.people TO web_anon",
    found: [
      ["schema private_marts", "web_anon has USAGE"],
      ["table private_marts.people", "web_anon has SELECT"],
    ],
    condition: `${can("table", "private_marts.people", "SELECT")} AND ${can("schema", "private_marts", "USAGE")}`,
  },
  {
    name: "reports privileges of another role on a private table",
    sql: "GRANT USAGE ON SCHEMA private_marts TO analyst; GRANT SELECT ON private_marts.people TO analyst",
    found: [
      ["schema private_marts", "analyst has USAGE"],
      ["table private_marts.people", "analyst has SELECT"],
    ],
    condition: can("table", "private_marts.people", "SELECT", "analyst"),
  },
  {
    name: "reports GRANT OPTION",
    sql: "GRANT SELECT ON marts.sales TO web_anon WITH GRANT OPTION",
    found: [["table marts.sales", "web_anon may give SELECT to others"]],
    condition: can("table", "marts.sales", "SELECT WITH GRANT OPTION"),
  },
  {
    name: "reports a privilege that another role than the owner granted",
    sql: `GRANT USAGE ON SCHEMA marts TO analyst; GRANT REFERENCES ON marts.sales TO analyst WITH GRANT OPTION;
      SET LOCAL ROLE analyst; GRANT REFERENCES ON marts.sales TO web_anon; RESET ROLE`,
    found: [["table marts.sales", "web_anon has REFERENCES"]],
    condition: can("table", "marts.sales", "REFERENCES"),
  },
  {
    name: "reports CREATE on an exposed schema",
    sql: "GRANT CREATE ON SCHEMA api_v1 TO web_anon",
    found: [["schema api_v1", "web_anon has CREATE"]],
    condition: can("schema", "api_v1", "CREATE"),
  },
  {
    name: "reports CREATE of another role on an internal schema",
    sql: "GRANT USAGE, CREATE ON SCHEMA gatehouse TO pipeline",
    found: [["schema gatehouse", "pipeline has CREATE, USAGE"]],
    condition: can("schema", "gatehouse", "CREATE", "pipeline"),
  },
  {
    name: "reports another role that changes rows or runs code in an exposed schema, but not that it reads",
    sql: `GRANT SELECT, REFERENCES, INSERT, TRIGGER ON marts.sales TO analyst; GRANT UPDATE (name) ON api_v1.place TO analyst;
      GRANT USAGE, UPDATE ON SEQUENCE marts.sales_id_seq TO analyst; GRANT EXECUTE ON FUNCTION marts.total(int) TO analyst;
      GRANT USAGE ON SCHEMA marts TO analyst`,
    found: [
      ["column api_v1.place.name", "analyst has UPDATE"],
      ["sequence marts.sales_id_seq", "analyst has UPDATE"],
      ["table marts.sales", "analyst has INSERT, TRIGGER"],
    ],
    condition: can("table", "marts.sales", "TRIGGER", "analyst"),
  },
  {
    name: "reports every privilege of another role in an internal schema",
    sql: `GRANT ALL ON catalog.sources TO analyst; GRANT USAGE ON SCHEMA gatehouse TO analyst; GRANT TRIGGER ON gatehouse.guarded TO analyst;
      GRANT EXECUTE ON FUNCTION gatehouse.refuse_leaks() TO analyst; GRANT SELECT ON gatehouse.guarded TO pipeline`,
    found: [
      ["table catalog.sources", "analyst has DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE"],
      ["table gatehouse.guarded", "analyst has TRIGGER"],
      ["function gatehouse.refuse_leaks()", "analyst has EXECUTE"],
      ["schema gatehouse", "analyst has USAGE"],
      ["table gatehouse.guarded", "pipeline has SELECT"],
    ],
    condition: can("table", "catalog.sources", "TRIGGER", "analyst"),
  },
  {
    name: "reports USAGE on a sequence",
    sql: "GRANT USAGE ON SEQUENCE marts.sales_id_seq TO web_anon",
    found: [["sequence marts.sales_id_seq", "web_anon has USAGE"]],
    condition: can("sequence", "marts.sales_id_seq", "USAGE"),
  },
  {
    name: "reports EXECUTE on a function of an exposed schema",
    sql: "GRANT EXECUTE ON FUNCTION marts.total(integer) TO web_anon",
    found: [["function marts.total(integer)", "web_anon has EXECUTE"]],
    condition: can("function", "marts.total(integer)", "EXECUTE"),
  },
  {
    name: "reports EXECUTE for PUBLIC on a function that a superuser created",
    sql: "CREATE FUNCTION api_v1.answer() RETURNS int LANGUAGE sql AS 'SELECT 42'",
    found: [["function api_v1.answer()", "PUBLIC (all roles) has EXECUTE"]],
    condition: can("function", "api_v1.answer()", "EXECUTE"),
  },
  {
    name: "reports EXECUTE for PUBLIC on a procedure and an aggregate",
    sql: `CREATE PROCEDURE api_v1.work(INOUT a int) LANGUAGE plpgsql AS 'BEGIN END';
      CREATE AGGREGATE api_v1.most(int) (SFUNC = int4larger, STYPE = int)`,
    found: [
      ["function api_v1.most(integer)", "PUBLIC (all roles) has EXECUTE"],
      ["procedure api_v1.work(integer)", "PUBLIC (all roles) has EXECUTE"],
    ],
    condition: can("function", "api_v1.most(int)", "EXECUTE"),
  },
  {
    name: "reports CONNECT and TEMPORARY for PUBLIC on the database",
    sql: "GRANT CONNECT, TEMPORARY ON DATABASE warehouse TO PUBLIC",
    found: [["database warehouse", "PUBLIC (all roles) has CONNECT, TEMPORARY"]],
    condition: can("database", "warehouse", "TEMPORARY"),
  },
  {
    name: "reports CREATE of the authenticator on the database",
    sql: "GRANT CREATE ON DATABASE warehouse TO authenticator",
    found: [["database warehouse", "authenticator has CREATE"]],
    condition: can("database", "warehouse", "CREATE", "authenticator"),
  },
  {
    name: "reports privileges in a schema outside of the plan",
    sql: "GRANT USAGE ON SCHEMA reporting TO web_anon; GRANT SELECT ON reporting.orders TO web_anon",
    found: [
      ["schema reporting", "web_anon has USAGE"],
      ["table reporting.orders", "web_anon has SELECT"],
    ],
    condition: can("table", "reporting.orders", "SELECT"),
  },
  {
    name: "reports EXECUTE on a function that reads files of the server",
    sql: "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO web_anon",
    found: [["function pg_catalog.pg_read_file(text)", "web_anon has EXECUTE"]],
    condition: can("function", "pg_read_file(text)", "EXECUTE"),
  },
  {
    name: "reports privileges on the system catalogs",
    sql: "GRANT UPDATE ON pg_class TO web_anon; GRANT SELECT (rolpassword) ON pg_authid TO PUBLIC",
    found: [
      ["column pg_catalog.pg_authid.rolpassword", "PUBLIC (all roles) has SELECT"],
      ["table pg_catalog.pg_class", "web_anon has UPDATE"],
    ],
    condition: "has_column_privilege('web_anon', 'pg_authid', 'rolpassword', 'SELECT')",
  },
  {
    name: "reports privileges on a configuration parameter",
    sql: "GRANT ALTER SYSTEM, SET ON PARAMETER archive_command TO web_anon",
    found: [["parameter archive_command", "web_anon has ALTER SYSTEM, SET"]],
    condition: can("parameter", "archive_command", "ALTER SYSTEM"),
  },
  {
    name: "reports privileges on a tablespace, a type, a language, a foreign data wrapper and a foreign server",
    sql: `GRANT CREATE ON TABLESPACE pg_default TO web_anon; GRANT USAGE ON TYPE marts.size TO web_anon;
      GRANT USAGE ON LANGUAGE plpgsql TO web_anon; CREATE FOREIGN DATA WRAPPER far; CREATE SERVER away FOREIGN DATA WRAPPER far;
      GRANT USAGE ON FOREIGN DATA WRAPPER far TO web_anon; GRANT USAGE ON FOREIGN SERVER away TO PUBLIC`,
    found: [
      ["foreign data wrapper far", "web_anon has USAGE"],
      ["foreign server away", "PUBLIC (all roles) has USAGE"],
      ["language plpgsql", "web_anon has USAGE"],
      ["tablespace pg_default", "web_anon has CREATE"],
      ["type marts.size", "web_anon has USAGE"],
    ],
    condition: can("server", "away", "USAGE"),
  },
  {
    name: "reports UPDATE on a large object",
    sql: "SELECT lo_create(4711); GRANT UPDATE ON LARGE OBJECT 4711 TO web_anon",
    found: [["large object 4711", "web_anon has UPDATE"]],
  },
  {
    name: "reports a missing SELECT on a table that another role created in an exposed schema",
    sql: "CREATE TABLE marts.late (id int); ALTER TABLE marts.late OWNER TO pipeline",
    found: [["table marts.late", "web_anon lacks SELECT"]],
    condition: `NOT ${can("table", "marts.late", "SELECT")}`,
    fix: "GRANT SELECT ON marts.late TO web_anon",
  },
  {
    name: "reports missing USAGE, EXECUTE and CONNECT",
    sql: `REVOKE USAGE ON SCHEMA marts FROM web_anon; REVOKE EXECUTE ON FUNCTION gatehouse.pre_request() FROM web_anon;
      REVOKE CONNECT ON DATABASE warehouse FROM authenticator`,
    found: [
      ["database warehouse", "authenticator lacks CONNECT"],
      ["function gatehouse.pre_request()", "web_anon lacks EXECUTE"],
      ["schema marts", "web_anon lacks USAGE"],
    ],
    condition: `NOT ${can("schema", "marts", "USAGE")}`,
  },
];
