import { can, type Tampering } from "./tampering.ts";

const definer = "RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM private_marts.people'";
/** Disables the event triggers that reject such views; only a superuser can. */
const unguarded = (sql: string) =>
  `ALTER EVENT TRIGGER gatehouse_guard_private DISABLE; ${sql}; ALTER EVENT TRIGGER gatehouse_guard_private ENABLE ALWAYS`;
export const asOwner = (sql: string) => `SET LOCAL ROLE pipeline; ${sql}; RESET ROLE;`;

export const OBJECTS: readonly Tampering[] = [
  {
    name: "reports a view that reads a private table",
    sql: unguarded(asOwner("CREATE VIEW api_v1.leak AS SELECT name FROM private_marts.people")),
    found: [["view api_v1.leak", "serves rows of the private table private_marts.people"]],
    condition: `${can("table", "api_v1.leak", "SELECT")} AND NOT ${can("table", "private_marts.people", "SELECT")}`,
    fix: "DROP VIEW api_v1.leak",
  },
  {
    name: "reports a materialized view that reads it through views, one with security_invoker",
    sql: unguarded(
      asOwner(`CREATE VIEW catalog.a AS SELECT * FROM private_marts.people;
      CREATE VIEW private_marts.b WITH (security_invoker) AS SELECT * FROM catalog.a;
      CREATE MATERIALIZED VIEW marts.c AS SELECT count(*) FROM private_marts.b`),
    ),
    found: [
      [
        "materialized view marts.c",
        "serves rows of the private table private_marts.people through private_marts.b → catalog.a",
      ],
      ["materialized view marts.c", "serves rows of the private view private_marts.b"],
    ],
    fix: "DROP MATERIALIZED VIEW marts.c",
  },
  {
    name: "reports a materialized view that a private function fills with the rights of its owner",
    sql: asOwner(`CREATE FUNCTION private_marts.names() RETURNS TABLE (name text) LANGUAGE sql STABLE
        BEGIN ATOMIC SELECT name::text FROM private_marts.people; END;
      CREATE MATERIALIZED VIEW marts.persons AS SELECT name FROM private_marts.names()`),
    found: [
      [
        "materialized view marts.persons",
        "is filled with what private_marts.names() returns, of the private schema private_marts",
      ],
      ["materialized view marts.persons", "serves rows of the private table private_marts.people"],
    ],
    condition: `${can("table", "marts.persons", "SELECT")} AND NOT ${can("function", "private_marts.names()", "EXECUTE")}`,
    fix: "DROP MATERIALIZED VIEW marts.persons",
  },
  {
    name: "reports a private sequence",
    sql: unguarded(asOwner("CREATE VIEW api_v1.last_person AS SELECT last_value FROM private_marts.people_id_seq")),
    found: [["view api_v1.last_person", "serves rows of the private sequence private_marts.people_id_seq"]],
    fix: "DROP VIEW api_v1.last_person",
  },
  {
    name: "reports a private partition of an exposed table",
    sql: unguarded(
      asOwner("CREATE TABLE private_marts.events_2027 PARTITION OF marts.events FOR VALUES FROM (2027) TO (2028)"),
    ),
    found: [["partitioned table marts.events", "serves rows of the private table private_marts.events_2027"]],
    fix: "DROP TABLE private_marts.events_2027",
  },
  {
    name: "reports a partition of a private table and a view of it, but not what other tables of its parent contain",
    sql: unguarded(
      asOwner(`CREATE TABLE private_marts.visits (year int, month int) PARTITION BY RANGE (year);
      CREATE TABLE catalog.visits_2026 PARTITION OF private_marts.visits FOR VALUES FROM (2026) TO (2027) PARTITION BY RANGE (month);
      CREATE TABLE marts.visits_2026_1 PARTITION OF catalog.visits_2026 FOR VALUES FROM (1) TO (2);
      CREATE VIEW api_v1.visits AS SELECT month FROM marts.visits_2026_1;
      CREATE TABLE catalog.base (id int); CREATE TABLE marts.child () INHERITS (catalog.base);
      CREATE TABLE private_marts.child () INHERITS (catalog.base)`) +
        "CREATE TABLE marts.counted () INHERITS (reporting.orders); ALTER TABLE marts.counted OWNER TO pipeline; GRANT SELECT ON marts.counted TO web_anon",
    ),
    found: [
      ["table marts.visits_2026_1", "serves rows of the private partitioned table private_marts.visits"],
      [
        "view api_v1.visits",
        "serves rows of the private partitioned table private_marts.visits through marts.visits_2026_1",
      ],
    ],
    fix: "DROP TABLE private_marts.visits CASCADE",
  },
  {
    name: "reports a partition without the row security of its parent, which a request for it bypasses",
    sql: `ALTER TABLE marts.events ENABLE ROW LEVEL SECURITY; CREATE POLICY recent ON marts.events FOR SELECT USING (year > 2026)`,
    found: [["table marts.events_2026", "serves every row of marts.events, past its row security"]],
    fix: `ALTER TABLE marts.events_2026 ENABLE ROW LEVEL SECURITY; CREATE POLICY recent ON marts.events_2026 FOR SELECT USING (year > 2026)`,
  },
  {
    name: "reports a view of a partition without the row security of its parent, next to the parent, once",
    sql: asOwner(`CREATE TABLE catalog.visits (year int, month int) PARTITION BY RANGE (year);
      CREATE TABLE catalog.visits_2026 PARTITION OF catalog.visits FOR VALUES FROM (2026) TO (2027) PARTITION BY RANGE (month);
      CREATE TABLE catalog.visits_2026_1 PARTITION OF catalog.visits_2026 FOR VALUES FROM (1) TO (2);
      CREATE TABLE catalog.visits_2026_2 PARTITION OF catalog.visits_2026 FOR VALUES FROM (2) TO (3);
      INSERT INTO catalog.visits VALUES (2026, 1);
      ALTER TABLE catalog.visits ENABLE ROW LEVEL SECURITY; ALTER TABLE catalog.visits FORCE ROW LEVEL SECURITY;
      CREATE VIEW marts.visits AS SELECT part.month FROM catalog.visits_2026 part LEFT JOIN catalog.visits USING (month)`),
    found: [
      ["view marts.visits", "serves every row of catalog.visits through catalog.visits_2026, past its row security"],
    ],
    condition: "(SELECT count(*) FROM marts.visits) = 1",
    fix: "DROP VIEW marts.visits; DROP TABLE catalog.visits",
  },
  {
    name: "reports a view of a table outside of the plan",
    sql: `GRANT USAGE ON SCHEMA reporting TO pipeline; GRANT SELECT ON reporting.orders TO pipeline;
      ${asOwner("CREATE VIEW api_v1.orders AS SELECT * FROM reporting.orders")}`,
    found: [
      ["view api_v1.orders", "serves rows of table reporting.orders, in a schema that the configuration does not name"],
    ],
    fix: "DROP VIEW api_v1.orders",
  },
  {
    name: "reports a view that a superuser owns",
    sql: "ALTER VIEW api_v1.sales OWNER TO postgres",
    found: [
      ["view api_v1.sales", "is owned by postgres (SUPERUSER, BYPASSRLS), and reads whatever that may, not pipeline"],
    ],
  },
  {
    name: "reports a private table, a schema and a function of requests with other owners",
    sql: `ALTER TABLE private_marts.people OWNER TO analyst; ALTER SCHEMA marts OWNER TO analyst;
      GRANT CREATE ON SCHEMA gatehouse TO analyst; ALTER FUNCTION gatehouse.pre_request() OWNER TO analyst;
      REVOKE ALL ON SCHEMA gatehouse FROM analyst`,
    found: [
      ["function gatehouse.pre_request()", "is owned by analyst, not postgres, who can change what runs in requests"],
      ["table private_marts.people", "is owned by analyst, not pipeline"],
      ["schema marts", "is owned by analyst, not pipeline"],
    ],
    condition: can("table", "private_marts.people", "SELECT", "analyst"),
  },
  {
    name: "reports objects that the anonymous role or the authenticator owns",
    sql: `ALTER TABLE marts.sales OWNER TO web_anon; ALTER SCHEMA marts OWNER TO web_anon;
      ALTER FUNCTION marts.total(int) OWNER TO authenticator`,
    found: [
      ["function marts.total(integer)", "is owned by authenticator"],
      ["schema marts", "is owned by web_anon"],
      ["table marts.sales", "is owned by web_anon"],
    ],
    condition: can("table", "marts.sales", "DELETE"),
  },
  {
    name: "reports a SECURITY DEFINER function of a superuser in the schema public",
    sql: `CREATE FUNCTION public.count_people() ${definer}`,
    found: [
      [
        "function public.count_people()",
        "runs with the rights of postgres (SECURITY DEFINER), and web_anon may call it",
      ],
    ],
    condition: can("function", "public.count_people()", "EXECUTE"),
  },
  {
    name: "reports a SECURITY DEFINER function in an exposed schema",
    sql:
      asOwner(`CREATE FUNCTION marts.count_people() ${definer}`) +
      "GRANT EXECUTE ON FUNCTION marts.count_people() TO web_anon",
    found: [
      [
        "function marts.count_people()",
        "web_anon has EXECUTE, and it runs with the rights of pipeline (SECURITY DEFINER)",
      ],
    ],
    condition: can("function", "marts.count_people()", "EXECUTE"),
  },
  {
    name: "reports a SECURITY DEFINER function without its own search_path in an internal schema",
    sql: `CREATE FUNCTION gatehouse.helper() ${definer}; REVOKE ALL ON FUNCTION gatehouse.helper() FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION gatehouse.helper() TO web_anon`,
    found: [
      [
        "function gatehouse.helper()",
        "runs with the rights of postgres (SECURITY DEFINER), with the caller's search path",
      ],
    ],
  },
  {
    name: "reports a SECURITY DEFINER function that a view calls by an operator of an inaccessible schema",
    sql: `CREATE FUNCTION reporting.sum(int, int) RETURNS bigint LANGUAGE sql SECURITY DEFINER
        AS 'SELECT count(*) FROM private_marts.people';
      CREATE OPERATOR reporting.+ (FUNCTION = reporting.sum, LEFTARG = int, RIGHTARG = int);
      CREATE VIEW api_v1.sums WITH (security_invoker) AS SELECT 1 OPERATOR(reporting.+) 2 AS people;
      ALTER VIEW api_v1.sums OWNER TO pipeline; GRANT SELECT ON api_v1.sums TO web_anon`,
    found: [
      [
        "view api_v1.sums",
        "calls reporting.sum(integer, integer), which runs with the rights of postgres (SECURITY DEFINER)",
      ],
    ],
    condition: `NOT ${can("schema", "reporting", "USAGE")} AND ${can("function", "reporting.sum(int, int)", "EXECUTE")}`,
  },
  {
    name: "reports row security that is off, admits no row, or is bypassed",
    sql: `ALTER TABLE marts.sales ENABLE ROW LEVEL SECURITY; CREATE POLICY cheap ON api_v1.place FOR SELECT USING (false)`,
    found: [
      ["materialized view marts.totals", "serves every row of marts.sales, past its row security"],
      ["table api_v1.place", "has policies, but row security is off: every row is served"],
      ["view api_v1.sales", "serves every row of marts.sales, past its row security"],
      ["table marts.sales", "has row security and no policy for web_anon: no rows are returned"],
    ],
    fix: `ALTER TABLE marts.sales DISABLE ROW LEVEL SECURITY; DROP POLICY cheap ON api_v1.place`,
  },
  {
    name: "reports policies of a hidden table without row security that a view reads, but not of a partition that is read through its table",
    sql: asOwner(`CREATE TABLE catalog.visits (id int); CREATE POLICY recent ON catalog.visits USING (id > 1);
      CREATE VIEW catalog.latest AS SELECT id FROM catalog.visits; CREATE VIEW marts.visits AS SELECT id FROM catalog.latest;
      CREATE TABLE catalog.events_2027 PARTITION OF marts.events FOR VALUES FROM (2027) TO (2028);
      CREATE POLICY recent ON catalog.events_2027 USING (year > 2027)`),
    found: [
      [
        "view marts.visits",
        "serves every row of catalog.visits through catalog.latest: catalog.visits has policies, but row security is off",
      ],
    ],
    fix: "DROP POLICY recent ON catalog.visits",
  },
  {
    name: "reports row security that a parent table, and an owner with BYPASSRLS, bypass although it is forced",
    sql: `CREATE ROLE bypass BYPASSRLS; GRANT USAGE, CREATE ON SCHEMA catalog TO bypass; GRANT USAGE ON SCHEMA marts TO bypass; GRANT SELECT ON marts.sales TO bypass;
      ALTER TABLE marts.sales ENABLE ROW LEVEL SECURITY; ALTER TABLE marts.sales FORCE ROW LEVEL SECURITY;
      CREATE POLICY cheap ON marts.sales FOR SELECT USING (false);
      SET LOCAL ROLE bypass; CREATE VIEW catalog.all_sales AS SELECT * FROM marts.sales; GRANT SELECT ON catalog.all_sales TO pipeline; RESET ROLE;
      ${asOwner(`CREATE VIEW marts.a AS SELECT * FROM catalog.all_sales;
      CREATE TABLE catalog.events_2027 PARTITION OF marts.events FOR VALUES FROM (2027) TO (2028);
      ALTER TABLE catalog.events_2027 ENABLE ROW LEVEL SECURITY; ALTER TABLE catalog.events_2027 FORCE ROW LEVEL SECURITY`)}`,
    found: [
      ["schema catalog", "bypass has CREATE, USAGE"],
      ["partitioned table marts.events", "serves every row of catalog.events_2027, past its row security"],
      ["view catalog.all_sales", "is owned by bypass (BYPASSRLS), and reads whatever that may, not pipeline"],
      [
        "view marts.a",
        "serves every row of marts.sales through catalog.all_sales, past its row security: catalog.all_sales is owned by bypass (BYPASSRLS)",
      ],
    ],
    fix: `DROP VIEW marts.a; DROP VIEW catalog.all_sales; DROP TABLE catalog.events_2027; REVOKE ALL ON SCHEMA catalog FROM bypass;
      DROP POLICY cheap ON marts.sales; ALTER TABLE marts.sales DISABLE ROW LEVEL SECURITY`,
  },
  {
    name: "reports a guard that bulk loads bypass",
    sql: "ALTER EVENT TRIGGER gatehouse_guard_private ENABLE",
    found: [
      ["event trigger gatehouse_guard_private", "does not run in sessions with session_replication_role = replica"],
    ],
  },
  {
    name: "reports disabled and missing event triggers",
    sql: "ALTER EVENT TRIGGER gatehouse_schema_changed DISABLE; DROP EVENT TRIGGER gatehouse_schema_dropped",
    found: [
      ["event trigger gatehouse_schema_changed", "is disabled"],
      ["event trigger gatehouse_schema_dropped", "does not exist, so it does not run when the schema changes"],
    ],
    fix: `CREATE EVENT TRIGGER gatehouse_schema_dropped ON sql_drop EXECUTE FUNCTION gatehouse.reload_schema_cache();
      ALTER EVENT TRIGGER gatehouse_schema_changed ENABLE`,
  },
  {
    name: "reports event triggers that a setting of a database or role switches off",
    sql: `ALTER DATABASE warehouse SET event_triggers = off; ALTER ROLE pipeline SET event_triggers = false;
      ALTER ROLE pipeline IN DATABASE postgres SET event_triggers = off; ALTER ROLE staff SET event_triggers = on`,
    found: [
      "gatehouse_guard_private",
      "gatehouse_comments",
      "gatehouse_schema_changed",
      "gatehouse_schema_dropped",
    ].flatMap((name) =>
      ["for all roles in database warehouse", "for pipeline"].map(
        (where) => [`event trigger ${name}`, `does not run: event_triggers is off ${where}`] as const,
      ),
    ),
  },
  {
    name: "reports a missing schema",
    sql: "DROP SCHEMA gatehouse_openapi CASCADE",
    found: [["schema gatehouse_openapi", "does not exist"]],
  },
];
