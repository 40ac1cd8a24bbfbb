/** `npx gatehouse contract` against a real Postgres, from the first contract to the removal of a schema. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkContracts } from "../../../../ops/checks/contract/check.ts";
import { LockFolder } from "../../../../ops/checks/contract/lockFolder.ts";
import { startTestDatabase, type TestDatabase } from "./database.ts";
import { Project } from "./project.ts";

const PASSWORD = "contract-canary-'1'@/%";
let database: TestDatabase;
let project: Project;
beforeAll(async () => {
  database = await startTestDatabase(PASSWORD);
  project = new Project();
  const { port, user } = database.address;
  project.environment["SCRATCH"] = `postgres://${user}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
});
afterAll(async () => {
  project.remove();
  await database.close();
});

const sql = (text: string) => database.client.query(text);
const check = (...more: string[]) => project.run("check", "dev", "--database-url-from", "SCRATCH", ...more);
const accept = (...more: string[]) => project.run("accept", "dev", "--database-url-from", "SCRATCH", ...more);
const LOCK = "contract/dev/api_v1.json";

describe("contract check and accept", () => {
  test("reject an empty schema", async () => {
    project.writeDev({ host: "127.0.0.1", password: "${POSTGRES_PASSWORD}" });
    await sql("create schema api_v1");
    expect(await check()).toEqual({
      code: 0,
      error: "",
      out: `api_v1: no contract yet. To accept the current columns:\n  npx gatehouse contract accept dev --schema api_v1 --database-url-from SCRATCH\n`,
    });
    expect(await accept()).toEqual({
      code: 2,
      out: "",
      error: 'schema "api_v1" has no relations. Deploy, and run the pipeline first.\n',
    });
    expect(project.read(LOCK)).toBe(undefined);
  });

  test("write the lock file of a first version, which then passes", async () => {
    await sql(`
      create table api_v1.kommuner (kommune_nr text primary key, folk integer not null, level bigint, vara varchar(3));
      create table api_v1.old (kommune_nr text not null);`);
    expect(await accept()).toEqual({
      code: 0,
      error: "",
      out: `api_v1: ${LOCK} written; commit it with its CHANGELOG.md\n`,
    });
    expect(project.read(LOCK)).toBe(`{
  "schema": "api_v1",
  "default": true,
  "relations": {
    "kommuner": {
      "folk": "integer not null",
      "kommune_nr": "text not null",
      "level": "bigint",
      "vara": "character varying(3)"
    },
    "old": {
      "kommune_nr": "text not null"
    }
  }
}
`);
    expect(await check()).toEqual({ code: 0, error: "", out: `api_v1: no changes to ${LOCK}\n` });
    expect(await accept()).toEqual({ code: 0, error: "", out: `api_v1: no changes to ${LOCK}\n` });
  });

  test("list additions, which pass and can be accepted", async () => {
    project.today = "2026-12-01";
    await sql(`
      alter table api_v1.kommuner alter folk type bigint, alter vara type text, add areal numeric not null;
      create view api_v1.summary as select count(*) as n from api_v1.kommuner;`);
    expect(await check()).toEqual({
      code: 0,
      error: "",
      out: `api_v1 compared with ${LOCK}: nothing breaks, 4 changes

  + kommuner.areal  numeric not null                    added
  ~ kommuner.folk   integer not null → bigint not null  wider type
  ~ kommuner.vara   character varying(3) → text         wider type
  + summary         1 column                            added

To accept these as well:
  npx gatehouse contract accept dev --schema api_v1 --database-url-from SCRATCH
`,
    });
    expect((await accept("--breaking", "why not")).error).toBe(
      "--breaking: there is no breaking change. Leave it out.\n",
    );
    expect((await accept()).code).toBe(0);
    expect((await check()).out).toBe(`api_v1: no changes to ${LOCK}\n`);
  });

  test("fail for breaking changes with a diff, also as JSON, and do not accept them", async () => {
    const before = project.read(LOCK);
    await sql(`drop table api_v1.old;
      alter table api_v1.kommuner drop areal, alter folk drop not null, alter level type integer, drop vara, add extra text not null;`);
    const { code, out, error } = await check();
    expect([code, error]).toEqual([1, ""]);
    expect(out).toBe(`api_v1 compared with ${LOCK}: 5 breaking changes, 1 other

  ✖ kommuner.areal  numeric not null          removed
  ✖ kommuner.folk   bigint not null → bigint  may be null
  ✖ kommuner.level  bigint → integer          narrower type
  ✖ kommuner.vara   text                      removed
  ✖ old             1 column                  removed
  + kommuner.extra  text not null             added

Restore these, or serve the new columns as another schema (docs/versioning.md). Once clients have agreed:
  npx gatehouse contract accept dev --schema api_v1 --database-url-from SCRATCH --breaking REASON
`);
    expect(await accept()).toEqual({ code: 1, error: "", out });
    expect(project.read(LOCK)).toBe(before);

    const asJson = await check("--json");
    expect([asJson.code, asJson.error]).toEqual([1, ""]);
    const { schemas, ...rest } = JSON.parse(asJson.out) as { schemas: { changes: unknown[] }[] };
    expect(rest).toEqual({ stack: "dev", ok: false });
    expect(schemas).toHaveLength(1);
    expect(schemas[0]).toMatchObject({ schema: "api_v1", exposed: true, lock: LOCK });
    expect(schemas[0]?.changes.at(-1)).toEqual({ relation: "old", was: "1 column", breaking: true, reason: "removed" });
    expect(schemas[0]?.changes).toHaveLength(6);
  });

  test("print colours on a terminal only", async () => {
    project.colours = true;
    const { out } = await check();
    project.colours = false;
    expect(out).toContain("\u001b[31m✖ kommuner.areal");
    expect(out).toContain("\u001b[32m+ kommuner.extra");
    expect((await check()).out).not.toContain("\u001b");
  });

  test("accept breaking changes with a reason, which is written to the changelog", async () => {
    project.today = "2026-12-24";
    const { code, out } = await accept("--breaking", "no client used level");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^api_v1 compared with .*: 5 breaking changes, 1 other\n\n {2}✖ kommuner\.areal [^]*\n\napi_v1: .* written; /,
    );
    expect(out).not.toContain("--breaking");
    expect((await check()).out).toBe(`api_v1: no changes to ${LOCK}\n`);
    expect(project.read("contract/dev/CHANGELOG.md")).toBe(`# Changelog of the data API (dev)

## 2026-12-24, api_v1

Breaking: no client used level

- \`kommuner.areal\`: numeric not null (removed)
- \`kommuner.folk\`: bigint not null → bigint (may be null)
- \`kommuner.level\`: bigint → integer (narrower type)
- \`kommuner.vara\`: text (removed)
- \`old\`: 1 column (removed)

Added

- \`kommuner.extra\`: text not null (added)

## 2026-12-01, api_v1

Added

- \`kommuner.areal\`: numeric not null (added)
- \`summary\`: 1 column (added)

Changed

- \`kommuner.folk\`: integer not null → bigint not null (wider type)
- \`kommuner.vara\`: character varying(3) → text (wider type)

## 2026-11-30, api_v1

First version: relations 2, columns 5.
`);
  });

  test("keep the contract of an old version together with the new one until it is removed", async () => {
    await sql("create schema api_v2; create view api_v2.kommuner as select kommune_nr as nr from api_v1.kommuner");
    const postgres = { host: "127.0.0.1", password: "${POSTGRES_PASSWORD}" };
    project.writeDev(postgres, { schemas: { exposed: ["api_v1", "api_v2", "marts"] } });
    expect((await accept("--schema", "api_v2")).out).toBe(
      "api_v2: contract/dev/api_v2.json written; commit it with its CHANGELOG.md\n",
    );
    await sql("drop view api_v1.summary");
    const both = await check();
    expect(both.code).toBe(1);
    expect(both.out).toContain("api_v2: no changes to contract/dev/api_v2.json\n");
    expect(both.out).toContain("  ✖ summary  1 column  removed\n");

    await sql("alter view api_v2.kommuner rename nr to number");
    const several = await accept("--breaking", "for one of them");
    expect([several.code, several.error]).toEqual([
      2,
      "--breaking: several schemas break clients: api_v1, api_v2. Name one with --schema.\n",
    ]);
    expect(several.out).toContain("  ✖ kommuner.nr      text  removed\n");
    expect(several.out).toContain("  ✖ summary  1 column  removed\n");
    await sql("alter view api_v2.kommuner rename number to nr");
    project.writeDev(postgres, { schemas: { exposed: ["api_v2", "api_v1", "marts"] } });
    expect((await check("--schema", "api_v1")).out).toContain(
      "  ✖ (schema)  default schema → not the default schema  clients without Accept-Profile read another schema\n",
    );

    project.writeDev(postgres, { schemas: { exposed: ["api_v2", "marts"] } });
    const gone = await check();
    expect(gone.code).toBe(1);
    const removed = `api_v1, no longer exposed, compared with ${LOCK}: 2 breaking changes\n`;
    expect(gone.out).toContain(removed);
    const { client } = database;
    const checks = await checkContracts(client, new LockFolder(project.folder, "dev"), ["api_v2", "marts"]);
    expect(checks).toEqual([
      { name: "contract of api_v2", ok: true, detail: "kept; nothing breaks, 1 change" },
      {
        name: "contract of api_v1",
        ok: false,
        detail:
          "it has a contract and is no longer exposed; expose it again, or see docs/versioning.md for how to remove a schema",
      },
    ]);
    const accepted = (await accept("--breaking", "sunset of 2027-01-01")).out;
    expect(accepted).toContain("  + (schema)  default schema  added\n");
    expect(accepted).toContain(removed);
    const next = "contract/dev/api_v2.json written; commit it with its CHANGELOG.md";
    expect(accepted).toContain(`\n\napi_v2: ${next}\napi_v1: ${LOCK} removed; commit it with its CHANGELOG.md\n`);
    expect(project.read(LOCK)).toBe(undefined);
    expect(await check()).toEqual({ code: 0, error: "", out: "api_v2: no changes to contract/dev/api_v2.json\n" });
  });

  test("removes the contract of a schema whose relations were all removed before", async () => {
    const file = "contract/dev/api_v2.json";
    await sql("drop view api_v2.kommuner");
    expect((await accept("--breaking", "no client left")).out).toContain(
      `\n\napi_v2: ${file} written; commit it with its CHANGELOG.md\n`,
    );
    project.writeDev({ host: "127.0.0.1", password: "${POSTGRES_PASSWORD}" }, { schemas: { exposed: ["marts"] } });
    const out = `api_v2, no longer exposed, compared with ${file}: no relations

Restore these, or serve the new columns as another schema (docs/versioning.md). Once clients have agreed:
  npx gatehouse contract accept dev --schema api_v2 --database-url-from SCRATCH --breaking REASON
`;
    const [checked, refused] = [await check("--schema", "api_v2"), await accept("--schema", "api_v2")];
    expect([checked, refused]).toEqual([0, 0].map(() => ({ code: 1, error: "", out })));
    expect((await accept("--schema", "api_v2", "--breaking", "api_v2 is not served")).out).toBe(
      `${out.split("\n", 1)[0]}\n\napi_v2: ${file} removed; commit it with its CHANGELOG.md\n`,
    );
    expect(project.read(file)).toBe(undefined);
    expect(project.read("contract/dev/CHANGELOG.md")).toContain(
      "## 2026-12-24, api_v2\n\nBreaking: api_v2 is not served\n\nRemoved: the contract had no relations.\n",
    );
  });
});
