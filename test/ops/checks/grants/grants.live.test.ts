import { tmpdir } from "node:os";
import fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LockFolder } from "../../../../ops/checks/contract/lockFolder.ts";
import { expectationOf } from "../../../../ops/checks/grants/expectation.ts";
import type { GrantFinding } from "../../../../ops/checks/grants/finding.ts";
import { readDatabaseState } from "../../../../ops/checks/grants/databaseState.ts";
import { compareGrants, verifyGrants } from "../../../../ops/checks/grants/verification.ts";
import { checkGrants } from "../../../../ops/checks/grants/report.ts";
import { checkDatabase } from "../../../../ops/checks/verify/database.ts";
import { quoted } from "../../../../ops/checks/grants/sql.ts";
import { plan, type Server, startPlanned } from "./database.ts";
import { OBJECTS } from "./tamperings/objects.ts";
import { PRIVILEGES } from "./tamperings/privileges.ts";
import { DEFAULTS, ROLES } from "./tamperings/roles.ts";
import { UNRECORDED } from "./tamperings/unrecorded.ts";
import type { Tampering } from "./tamperings/tampering.ts";
import { samples } from "../../../helpers/full.ts";
import { fullTest } from "../../../helpers/fullTest.ts";

const expected = expectationOf(plan);
let server: Server;
let client: Client;

/** What a pipeline creates as the data owner, and objects of other roles that do not concern the API. */
const CONTENT = `
  CREATE ROLE analyst; CREATE ROLE staff LOGIN;
  CREATE SCHEMA reporting; CREATE TABLE reporting.orders (id int);
  CREATE EXTENSION pgcrypto SCHEMA public;
  SET ROLE pipeline;
  CREATE TABLE api_v1.place (id int PRIMARY KEY, name text);
  CREATE TABLE marts.sales (id serial PRIMARY KEY, amount int, note text);
  CREATE VIEW api_v1.sales AS SELECT id, amount FROM marts.sales;
  CREATE MATERIALIZED VIEW marts.totals AS SELECT sum(amount) AS amount FROM marts.sales;
  CREATE TABLE marts.events (year int) PARTITION BY RANGE (year);
  CREATE TABLE marts.events_2026 PARTITION OF marts.events FOR VALUES FROM (2026) TO (2027);
  CREATE TYPE marts.size AS ENUM ('small', 'large');
  CREATE FUNCTION marts.total(smallest int) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM marts.sales WHERE amount > smallest';
  CREATE TABLE private_marts.people (id serial PRIMARY KEY, name text);
  CREATE VIEW private_marts.names AS SELECT name FROM private_marts.people;
  CREATE VIEW catalog.sizes WITH (security_invoker) AS SELECT count(*) FROM private_marts.people;
  RESET ROLE`;

beforeAll(async () => {
  server = await startPlanned();
  client = new Client(server.address);
  await client.connect();
  await client.query(CONTENT);
});

afterAll(async () => {
  await client.end();
  await server.stop();
});

/** Returns the findings after some SQL, and those after the hints; rolls everything back. */
async function tamper({ sql, condition, fix }: Pick<Tampering, "sql" | "condition" | "fix">) {
  const isTrue = async () => (await client.query<{ is: boolean }>(`SELECT ${condition ?? "true"} AS is`)).rows[0]?.is;
  await client.query("BEGIN");
  try {
    const before =
      condition === undefined ? false : await isTrue().catch(() => client.query("ROLLBACK; BEGIN").then(() => false));
    await client.query(sql);
    const met = { before, after: await isTrue() };
    const found = compareGrants(await readDatabaseState(client, expected), expected);
    const hints = found.map(({ hint }) => hint).filter((hint) => hint.endsWith(";"));
    await client.query(fix ?? hints.join("\n"));
    return { found, met, left: compareGrants(await readDatabaseState(client, expected), expected) };
  } finally {
    await client.query("ROLLBACK");
  }
}

const named = (findings: readonly GrantFinding[]) => findings.map(({ subject, message }) => [subject, message]);

test("finds nothing in a database as planned, and its checks pass", async () => {
  expect(await verifyGrants(client, expected)).toEqual([]);
  expect(await checkGrants(client, expected)).toEqual([
    { name: "grants of database warehouse and its roles", ok: true, detail: "as planned" },
    ...plan.schemas.map(({ name }) => ({ name: `grants of schema ${name}`, ok: true, detail: "as planned" })),
  ]);
});

describe.each([
  ["privileges", PRIVILEGES],
  ["default privileges", DEFAULTS],
  ["roles", ROLES],
  ["objects", OBJECTS],
  ["what Postgres does not record", UNRECORDED],
])("%s", (_group, tamperings) => {
  test.each(tamperings)("$name", async (tampering) => {
    const { found, met, left } = await tamper(tampering);
    expect(named(found)).toEqual(tampering.found);
    expect(met).toEqual({ before: false, after: true });
    if (tampering.fix !== undefined || found.every(({ hint }) => hint.endsWith(";"))) expect(left).toEqual([]);
  });
});

test("finds any single granted privilege, and its hint revokes it", async () => {
  const privileges: Record<string, readonly string[]> = {
    "TABLE marts.sales": ["INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN"],
    "TABLE private_marts.people": ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"],
    "TABLE catalog.sources": ["SELECT", "INSERT"],
    "SEQUENCE marts.sales_id_seq": ["USAGE", "SELECT", "UPDATE"],
    "SCHEMA private_marts": ["USAGE", "CREATE"],
    "SCHEMA marts": ["CREATE"],
    "SCHEMA public": ["CREATE"],
    "SCHEMA reporting": ["USAGE", "CREATE"],
    "FUNCTION marts.total(integer)": ["EXECUTE"],
    "FUNCTION pg_catalog.pg_ls_dir(text)": ["EXECUTE"],
    "DATABASE warehouse": ["CREATE", "TEMPORARY"],
    "PARAMETER shared_preload_libraries": ["SET", "ALTER SYSTEM"],
    "TABLESPACE pg_global": ["CREATE"],
    "FUNCTION public.digest(text, text)": ["EXECUTE"],
  };
  const grants = Object.entries(privileges).flatMap(([object, list]) =>
    list.map((privilege) => ({ object, privilege })),
  );
  const any = fc.record({
    grant: fc.constantFrom(...grants),
    role: fc.constantFrom("web_anon", "authenticator", "PUBLIC"),
    option: fc.boolean(),
  });
  const property = fc.asyncProperty(any, async ({ grant: { object, privilege }, role, option }) => {
    const withOption = option && role !== "PUBLIC" ? " WITH GRANT OPTION" : "";
    const sql = `GRANT ${privilege} ON ${object} TO ${role}${withOption}`;
    // What extensions grant to PUBLIC is not a finding.
    fc.pre(!(object.includes("digest") && role === "PUBLIC"));
    const { found, left } = await tamper({ sql });
    const who = role === "PUBLIC" ? "PUBLIC (all roles)" : role;
    const [kind = "", ...name] = object.split(" ");
    expect(named(found)).toEqual([[`${kind.toLowerCase()} ${name.join(" ")}`, `${who} has ${privilege}`]]);
    expect(left).toEqual([]);
  });
  await fc.assert(property, samples(60));
});

test("prints no statement that publishes a column or a table, or hides rows from the programs of their owner", async () => {
  const { found } = await tamper({
    sql: `REVOKE SELECT ON api_v1.place FROM web_anon; GRANT SELECT (id) ON api_v1.place TO web_anon;
      ALTER TABLE private_marts.people SET SCHEMA marts; ALTER TABLE marts.sales ENABLE ROW LEVEL SECURITY;
      CREATE POLICY cheap ON marts.sales FOR SELECT TO web_anon USING (amount < 10); ALTER TABLE marts.events ENABLE ROW LEVEL SECURITY;
      ALTER TABLE marts.events_2026 ENABLE ROW LEVEL SECURITY; CREATE POLICY recent ON marts.events_2026 FOR SELECT USING (true)`,
    fix: "",
  });
  const owner = "an owner of data_api.writers that is no member of pipeline";
  const select = (name: string) =>
    `if all its rows and columns may be public: GRANT SELECT ON TABLE ${name} TO web_anon; otherwise move it to another schema`;
  expect(found.map(({ subject, hint }) => [subject, hint])).toEqual([
    ["materialized view marts.totals", `give marts.totals ${owner}`],
    ["view api_v1.sales", `give api_v1.sales ${owner}, or set security_invoker if its readers may read the table`],
    [
      "partitioned table marts.events",
      "if all its rows may be public: CREATE POLICY public_read ON marts.events FOR SELECT TO web_anon USING (true); otherwise move it to another schema",
    ],
    ["table api_v1.place", select("api_v1.place")],
    ["table marts.people", select("marts.people")],
  ]);
});

test("reports event triggers that the configuration of the server switches off", async () => {
  const found = async () => named(await verifyGrants(client, expected)).map(([, message]) => message);
  try {
    await client.query("ALTER SYSTEM SET event_triggers = off");
    await client.query("SELECT pg_reload_conf()");
    const off = "does not run: event_triggers is off on the server";
    await expect.poll(found).toEqual([off, off, off, off]);
  } finally {
    await client.query("ALTER SYSTEM RESET event_triggers");
    await client.query("SELECT pg_reload_conf()");
  }
  await expect.poll(found).toEqual([]);
});

test("quotes the keywords that Postgres reserves, in hints", async () => {
  const { rows } = await client.query<{ word: string }>(
    "SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T') ORDER BY 1",
  );
  expect(rows.length).toBeGreaterThan(90);
  expect(rows.map(({ word }) => quoted(word))).toEqual(rows.map(({ word }) => `"${word}"`));
  expect(["catalog", "marts", "raw"].map(quoted)).toEqual(["catalog", "marts", "raw"]);
});

test("finds the same as an administrator without superuser rights", async () => {
  await client.query("BEGIN; GRANT UPDATE ON pg_class TO web_anon; SET LOCAL ROLE staff");
  try {
    const found = named(compareGrants(await readDatabaseState(client, expected), expected));
    expect(found).toEqual([["table pg_catalog.pg_class", "web_anon has UPDATE"]]);
  } finally {
    await client.query("ROLLBACK");
  }
});

test("reports a role that does not exist", async () => {
  const other = expectationOf({ ...plan, roles: { ...plan.roles, anonymous: "missing_role" } });
  const found = named(await verifyGrants(client, other));
  expect(found).toContainEqual(["role missing_role", "does not exist"]);
  expect(found).toContainEqual(["role authenticator", "cannot become missing_role"]);
});

test("fails a check without the password if the database is unreachable", async () => {
  const [check, ...others] = await checkDatabase(
    { connection: { ...server.address, password: "canary-93c2" }, contracts: new LockFolder(tmpdir(), "none") },
    plan,
  );
  expect(others).toEqual([]);
  expect(check?.ok).toBe(false);
  expect(check?.detail).toContain("password authentication failed");
  expect(JSON.stringify(check)).not.toContain("canary-93c2");
});

fullTest("verifies 1,000 relations in less than two seconds", async () => {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL ROLE pipeline; DO $$ BEGIN
      FOR i IN 1..500 LOOP
        EXECUTE format('CREATE TABLE marts.t%s (id serial, a int, b text)', i);
        EXECUTE format('CREATE VIEW api_v1.v%s AS SELECT x.* FROM marts.t%s x JOIN marts.t1 y USING (id)', i, i);
      END LOOP; END $$; RESET ROLE`);
    const started = performance.now();
    expect(compareGrants(await readDatabaseState(client, expected), expected)).toEqual([]);
    const elapsed = performance.now() - started;
    console.info(`1,000 relations: ${elapsed.toFixed(0)} ms`);
    expect(elapsed).toBeLessThan(2_000);
  } finally {
    await client.query("ROLLBACK");
  }
});
