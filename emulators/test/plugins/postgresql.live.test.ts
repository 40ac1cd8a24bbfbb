import { randomUUID } from "node:crypto";
import { chmod } from "node:fs/promises";
import { join } from "node:path";

import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import type { UpResult } from "@pulumi/pulumi/automation/index.js";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";

import { choosePorts } from "../../../local/platform/ports.ts";
import { startPostgres } from "../../../local/platform/postgres.ts";
import type { PostgresAddress } from "../../../local/platform/postgres.ts";
import { Processes } from "../../../local/platform/processes.ts";
import { openWorkshop } from "./stacks.ts";
import type { Workshop } from "./stacks.ts";

const SERVER_PASSWORD = "server-canary-5c1d";
const ROLE_PASSWORD = "role-canary-'77'\\x";
let workshop: Workshop;
let processes: Processes;
let address: PostgresAddress;
beforeAll(async () => {
  workshop = await openWorkshop("postgresql");
  const { folder } = workshop;
  await chmod(folder, 0o711); // Postgres runs as another user when this is root
  processes = new Processes(join(folder, "logs"), randomUUID());
  const { postgres: port } = await choosePorts(folder, { postgres: [] });
  address = await startPostgres(processes, folder, port, SERVER_PASSWORD);
});

afterAll(async () => {
  await processes.stop([]);
  await workshop.close();
});

type Program = (opts: pulumi.CustomResourceOptions) => void;

/** A separate stack whose program can be exchanged, with a provider for the server. */
function open(stackName: string, overrides: Partial<PostgresAddress> = {}) {
  const { host, port, user } = { ...address, ...overrides };
  return workshop.open(stackName, () => {
    const password = pulumi.secret(SERVER_PASSWORD);
    return { provider: new postgresql.Provider("db", { host, port, username: user, password, sslmode: "disable" }) };
  });
}

/** What an update did, but for what stayed as it was. */
function done({ summary }: Pick<UpResult, "summary">): Record<string, number> {
  return Object.fromEntries(Object.entries(summary.resourceChanges ?? {}).filter(([kind]) => kind !== "same"));
}

async function query(text: string, database = "postgres", values: unknown[] = []): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ ...address, database });
  await client.connect();
  try {
    return (await client.query<pg.QueryResultRow>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function can(
  role: string,
  privilege: string,
  object: string,
  database: string,
  kind = "table",
): Promise<unknown> {
  return (await query(`SELECT has_${kind}_privilege($1, $2, $3) AS can`, database, [role, object, privilege]))[0]?.can;
}

/** A database with a schema that `writer` owns and `reader` may read. */
function library(database: string, change: { more?: string[]; schema?: string } = {}): Program {
  return (opts) => {
    const writer = new postgresql.Role(`${database}-writer`, { name: `${database}_writer` }, opts);
    const reader = new postgresql.Role(
      `${database}-reader`,
      {
        name: `${database}_reader`,
        login: true,
        inherit: false,
        password: pulumi.secret(ROLE_PASSWORD),
        connectionLimit: 9,
        statementTimeout: 5000,
        roles: ["pg_monitor"],
      },
      opts,
    );
    const db = new postgresql.Database("db", { name: database, owner: writer.name }, opts);
    const schemaArgs = { name: change.schema ?? "books", database: db.name, owner: writer.name, dropCascade: true };
    const schema = new postgresql.Schema("schema", schemaArgs, opts);
    const inSchema = { database: db.name, role: reader.name, schema: schema.name };
    const privileges = ["SELECT", ...(change.more ?? [])];
    new postgresql.Grant("usage", { ...inSchema, objectType: "schema", privileges: ["USAGE"] }, opts);
    new postgresql.Grant("tables", { ...inSchema, objectType: "table", privileges }, opts);
    new postgresql.Grant(
      "connect",
      { database: db.name, role: reader.name, objectType: "database", privileges: ["CONNECT"] },
      opts,
    );
    new postgresql.DefaultPrivileges(
      "later",
      { ...inSchema, owner: writer.name, objectType: "table", privileges },
      opts,
    );
    const functions = { database: db.name, role: "public", objectType: "function", privileges: [] };
    new postgresql.Grant("no-functions", { ...functions, schema: schema.name }, opts);
    new postgresql.DefaultPrivileges("no-later-functions", { ...functions, owner: writer.name }, opts);
  };
}

test("creates, corrects drift, updates, and deletes", async () => {
  const { stack, use } = await open("life");
  use(library("library"));
  expect(done(await stack.up())).toEqual({ create: 12 });
  expect(done(await stack.up())).toEqual({});
  const readerRole =
    "SELECT rolcanlogin, rolinherit, rolconnlimit, rolconfig FROM pg_roles WHERE rolname = 'library_reader'";
  expect(await query(readerRole)).toEqual([
    {
      rolcanlogin: true,
      rolinherit: false,
      rolconnlimit: 9,
      rolconfig: ["statement_timeout=5000"],
    },
  ]);

  const logsIn = (password: string) => {
    const client = new pg.Client({ ...address, user: "library_reader", password, database: "library" });
    return client.connect().then(() => client.end(), String);
  };
  expect(await logsIn(ROLE_PASSWORD)).toMatch("password authentication failed");
  expect(await logsIn(ROLE_PASSWORD.replace("\\", "\\\\"))).toBe(undefined);

  const make = `SET ROLE library_writer; CREATE TABLE books.novel (title text);
    CREATE FUNCTION books.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`;
  await query(make, "library");
  expect(await can("library_reader", "SELECT", "books.novel", "library")).toBe(true);
  expect(await can("library_reader", "EXECUTE", "books.f()", "library", "function")).toBe(false);
  expect(done(await stack.up({ refresh: true }))).toEqual({});

  await query("GRANT INSERT ON books.novel TO library_reader", "library");
  expect(done(await stack.up({ refresh: true }))).toEqual({ update: 1 });
  expect(await can("library_reader", "INSERT", "books.novel", "library")).toBe(false);
  expect(await can("library_reader", "SELECT", "books.novel", "library")).toBe(true);

  use(library("library", { more: ["UPDATE"] }));
  expect(done(await stack.up())).toEqual({ update: 2 });
  expect(await can("library_reader", "UPDATE", "books.novel", "library")).toBe(true);

  const drift =
    "DROP TABLE books.novel; REVOKE USAGE ON SCHEMA books FROM library_reader; ALTER ROLE library_reader NOLOGIN";
  await query(drift, "library");
  expect(done(await stack.up({ refresh: true }))).toEqual({ update: 2 });
  const state = await workshop.state("life");
  expect(state).not.toContain("canary");

  await stack.destroy();
  expect(await query("SELECT datname AS left FROM pg_database WHERE datname = 'library'")).toEqual([]);
  expect(await query("SELECT rolname AS left FROM pg_roles WHERE rolname LIKE 'library%'")).toEqual([]);
});

test("replaces grants and renames a schema", async () => {
  const { stack, use } = await open("replacement");
  use(library("first"));
  await stack.up();
  use(library("first", { schema: "tomes" }));
  // The schema is renamed; what is granted in it is made again, and what is granted later too.
  expect(done(await stack.up())).toEqual({ update: 1, replace: 4 });
  expect(await can("first_reader", "USAGE", "tomes", "first", "schema")).toBe(true);
  expect(done(await stack.up({ refresh: true }))).toEqual({});
  await stack.destroy();
});

test("imports by id", async () => {
  await query("CREATE ROLE old_owner NOLOGIN");
  await query("CREATE DATABASE old_db OWNER old_owner");
  await query("CREATE SCHEMA old_schema AUTHORIZATION old_owner", "old_db");
  const { stack, use } = await open("import");
  use((opts) => {
    const role = new postgresql.Role("role", { name: "old_owner" }, { ...opts, import: "old_owner" });
    const db = new postgresql.Database("db", { name: "old_db", owner: role.name }, { ...opts, import: "old_db" });
    const schema = { name: "old_schema", database: db.name, owner: role.name };
    new postgresql.Schema("schema", schema, { ...opts, import: "old_db.old_schema" });
  });
  expect(done(await stack.up())).toEqual({ create: 2, import: 3 });
  expect(done(await stack.up({ refresh: true }))).toEqual({});
  await stack.destroy();
  expect(await query("SELECT rolname AS left FROM pg_roles WHERE rolname = 'old_owner'")).toEqual([]);
});

test("previews without the server, and reports errors without the password", async () => {
  const { stack, use } = await open("unreachable", { port: 1 });
  use(library("nowhere"));
  expect((await stack.preview()).changeSummary).toEqual({ create: 12 });

  const { stack: other, use: useOther } = await open("errors");
  await query("CREATE ROLE taken");
  const taken = { name: "taken", password: pulumi.secret(ROLE_PASSWORD) };
  useOther((opts) => new postgresql.Role("taken", taken, opts));
  const error = await other.up().then(() => "", String);
  expect(error).toContain('role "taken" already exists');
  expect(error).not.toContain("canary");
  useOther((opts) => {
    new postgresql.Grant("wrong", { database: "postgres", role: "taken", objectType: "tabel", privileges: [] }, opts);
  });
  await expect(other.preview()).rejects.toThrow("expected object_type to be one of");
  await other.destroy();
});

test("applies 50 grants at once", async () => {
  await query("CREATE SCHEMA crowd; CREATE TABLE crowd.t (x int)");
  const { stack, use } = await open("crowd");
  use((opts) => {
    for (let index = 0; index < 25; index += 1) {
      const role = new postgresql.Role(`role-${index}`, { name: `crowd_${index}` }, opts).name;
      const where = { database: "postgres", schema: "crowd", role };
      new postgresql.Grant(`schema-${index}`, { ...where, objectType: "schema", privileges: ["USAGE"] }, opts);
      new postgresql.Grant(`table-${index}`, { ...where, objectType: "table", privileges: ["SELECT"] }, opts);
    }
  });
  expect(done(await stack.up({ parallel: 60 }))).toEqual({ create: 77 });
  expect(done(await stack.up({ refresh: true }))).toEqual({});
  await stack.destroy({ parallel: 60 });
  expect(await query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'crowd%'")).toEqual([]);
});
