import { tmpdir } from "node:os";
import fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LockFolder } from "../../../../ops/checks/contract/lockFolder.ts";
import { expectationOf } from "../../../../ops/checks/grants/expectation.ts";
import type { Finding } from "../../../../ops/checks/grants/finding.ts";
import { readLive } from "../../../../ops/checks/grants/live.ts";
import { compareGrants, verifyGrants } from "../../../../ops/checks/grants/verification.ts";
import { checkGrants } from "../../../../ops/checks/grants/report.ts";
import { checkDatabase } from "../../../../ops/checks/verify/database.ts";
import { plan, type Server, startPlanned } from "./database.ts";
import { OBJECTS } from "./tamperings/objects.ts";
import { PRIVILEGES } from "./tamperings/privileges.ts";
import { DEFAULTS, ROLES } from "./tamperings/roles.ts";
import type { Tampering } from "./tamperings/tampering.ts";

const expected = expectationOf(plan);
let server: Server;
let client: Client;

/** What a pipeline makes, as the data owner; and others, who are none of the API's business. */
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

/** What is found after some SQL, and what after the hints; nothing of it stays. */
async function tamper({ sql, proof, mend }: Pick<Tampering, "sql" | "proof" | "mend">) {
  const isTrue = async () => (await client.query<{ is: boolean }>(`SELECT ${proof ?? "true"} AS is`)).rows[0]?.is;
  await client.query("BEGIN");
  try {
    const before =
      proof === undefined ? false : await isTrue().catch(() => client.query("ROLLBACK; BEGIN").then(() => false));
    await client.query(sql);
    const proven = { before, after: await isTrue() };
    const found = compareGrants(await readLive(client, expected), expected);
    const hints = found.map(({ hint }) => hint).filter((hint) => hint.endsWith(";"));
    await client.query(mend ?? hints.join("\n"));
    return { found, proven, left: compareGrants(await readLive(client, expected), expected) };
  } finally {
    await client.query("ROLLBACK");
  }
}

const named = (findings: readonly Finding[]) => findings.map(({ object, problem }) => [object, problem]);

test("a database that is as planned has no findings, and its checks say so", async () => {
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
])("%s", (_group, tamperings) => {
  test.each(tamperings)("$name", async (tampering) => {
    const { found, proven, left } = await tamper(tampering);
    expect(named(found)).toEqual(tampering.found);
    expect(proven).toEqual({ before: false, after: true });
    if (tampering.mend !== undefined || found.every(({ hint }) => hint.endsWith(";"))) expect(left).toEqual([]);
  });
});

test("any one privilege that is granted is found and named, and its hint takes it back", async () => {
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
    // What extensions give everybody is not a finding.
    fc.pre(!(object.includes("digest") && role === "PUBLIC"));
    const { found, left } = await tamper({ sql });
    const who = role === "PUBLIC" ? "everybody (PUBLIC)" : role;
    const [kind = "", ...name] = object.split(" ");
    expect(named(found)).toEqual([[`${kind.toLowerCase()} ${name.join(" ")}`, `${who} has ${privilege}`]]);
    expect(left).toEqual([]);
  });
  await fc.assert(property, { numRuns: 60 });
});

test("an administrator that is no superuser reads the same", async () => {
  await client.query("BEGIN; GRANT UPDATE ON pg_class TO web_anon; SET LOCAL ROLE staff");
  try {
    const found = named(compareGrants(await readLive(client, expected), expected));
    expect(found).toEqual([["table pg_catalog.pg_class", "web_anon has UPDATE"]]);
  } finally {
    await client.query("ROLLBACK");
  }
});

test("a role that is not there is named, not stumbled over", async () => {
  const other = expectationOf({ ...plan, roles: { ...plan.roles, anonymous: "nobody_here" } });
  const found = named(await verifyGrants(client, other));
  expect(found).toContainEqual(["role nobody_here", "does not exist"]);
  expect(found).toContainEqual(["role authenticator", "cannot become nobody_here"]);
});

test("a database that cannot be reached is a check that failed, without the password", async () => {
  const [check, ...others] = await checkDatabase(
    { connection: { ...server.address, password: "canary-93c2" }, contracts: new LockFolder(tmpdir(), "none") },
    plan,
  );
  expect(others).toEqual([]);
  expect(check?.ok).toBe(false);
  expect(check?.detail).toContain("password authentication failed");
  expect(JSON.stringify(check)).not.toContain("canary-93c2");
});

test("1,000 relations are proven in few queries, in less than two seconds", async () => {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL ROLE pipeline; DO $$ BEGIN
      FOR i IN 1..500 LOOP
        EXECUTE format('CREATE TABLE marts.t%s (id serial, a int, b text)', i);
        EXECUTE format('CREATE VIEW api_v1.v%s AS SELECT x.* FROM marts.t%s x JOIN marts.t1 y USING (id)', i, i);
      END LOOP; END $$; RESET ROLE`);
    const started = performance.now();
    expect(compareGrants(await readLive(client, expected), expected)).toEqual([]);
    const elapsed = performance.now() - started;
    console.info(`1,000 relations: ${elapsed.toFixed(0)} ms`);
    expect(elapsed).toBeLessThan(2_000);
  } finally {
    await client.query("ROLLBACK");
  }
});
