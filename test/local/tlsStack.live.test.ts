/** A whole stack on an existing Postgres that refuses connections without TLS, and whose certificate a private CA issued. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeRootCertificates } from "../../infra/postgres/certificateFile.ts";
import { tlsOptions } from "../../infra/postgres/tls.ts";
import { withClient } from "../../ops/clients/http.ts";
import { common, listed, type OwnPlatform, type OwnStack, service, startOwnPlatform } from "../helpers/ownPlatform.ts";
import { identityProvider } from "../helpers/sections.ts";
import { issue, newAuthority } from "../helpers/certificates.ts";
import { encrypt } from "../helpers/encryptedPostgres.ts";
import { fullTest } from "../helpers/fullTest.ts";

const ca = newAuthority("Private CA");
const next = newAuthority("Next CA");
const PROJECT = join(import.meta.dirname, "../..");
let own: OwnPlatform;
let stack: OwnStack;

beforeAll(async () => {
  own = await startOwnPlatform();
  const { postgres, data } = own.platform;
  Object.assign(process.env, {
    POSTGRES_PASSWORD: postgres.password,
    DATA_AUTHENTICATOR_PASSWORD: "authenticator-canary",
    DATA_OWNER_PASSWORD: "owner-canary",
  });
  await encrypt(postgres, data, issue(ca, "DNS:localhost"));
  stack = await own.open("tls");
});
afterAll(() => own.stop());

const config = (fields: Readonly<Record<string, unknown>>) => ({
  ...common(own.platform),
  ...listed([service("wiki")]),
  "gatehouse:identity_provider": identityProvider(),
  "gatehouse:postgres": {
    host: "localhost",
    port: own.platform.postgres.port,
    password: "${POSTGRES_PASSWORD}",
    sslmode: "verify-full",
    sslrootcert: ca.certificate,
    ...fields,
  },
  "gatehouse:data_api": {
    domains: "auto",
    replicas: 1,
    catalog: false,
    database: {
      name: "gatehouse",
      protect: false,
    },
    authenticator_password: "${DATA_AUTHENTICATOR_PASSWORD}",
    owner_password: "${DATA_OWNER_PASSWORD}",
  },
});

async function query(text: string, database = "postgres"): Promise<Record<string, unknown>[]> {
  const { postgres } = own.platform;
  const ssl = tlsOptions({ sslmode: "verify-full", sslrootcert: ca.certificate + next.certificate }, "localhost");
  const client = new Client({ ...postgres, host: "localhost", database, ssl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const ask = (url: string): Promise<number> => withClient(async (client) => (await client.send(url)).status);

test("fails with the root certificate of another CA, and creates no database", async () => {
  const refused = await stack.up(config({ sslrootcert: next.certificate })).then(() => "", String);
  expect(refused).toMatch(/certificate/);
  expect(refused).not.toContain("canary");
  expect(await query("select datname from pg_database where datname in ('gatehouse', 'authentik')")).toEqual([]);
});

test("deploys, and serves the data API and the login page", async () => {
  await stack.up(config({}));
  const table = "create table api_v1.thing as select 1 as id; comment on table api_v1.thing is 'A thing'";
  await query(`set role gatehouse_owner; ${table}`, "gatehouse");
  const data = own.origin("data.localhost");
  await expect.poll(() => ask(`${data}/thing`), { timeout: 240_000 }).toBe(200);
  await expect.poll(() => ask(own.origin("wiki.localhost")), { timeout: 240_000 }).toBe(302);
  const sessions = await query(
    "select distinct usename, ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename <> 'postgres' order by 1",
  );
  expect(sessions).toEqual([
    { usename: "authentik", ssl: true },
    { usename: "gatehouse_authenticator", ssl: true },
  ]);
});

fullTest("keeps serving while the CA is replaced, and does not run the migrations again", async () => {
  const jobs = async () => [...(await stack.resources())].filter(([urn]) => urn.includes("batch/v1:Job"));
  const before = await jobs();
  const url = `${own.origin("data.localhost")}/thing`;
  const statuses = new Set<number>();
  const watch = setInterval(() => void ask(url).then((status) => statuses.add(status)), 500);
  await stack.up(config({ sslrootcert: ca.certificate + next.certificate }));
  const { postgres, data } = own.platform;
  await encrypt(postgres, data, issue(next, "DNS:localhost"));
  await stack.up(config({ sslrootcert: next.certificate }));
  clearInterval(watch);
  expect([...statuses]).toEqual([200]);
  expect(await jobs()).toEqual(before);
});

fullTest("is removed after a preview on a machine without the file of the root certificate", async () => {
  rmSync(join(PROJECT, writeRootCertificates(next.certificate)));
  await expect(stack.stack.refresh()).rejects.toThrow("no such file");
  expect(Object.keys((await stack.stack.preview()).changeSummary)).toEqual(["same"]);
  await stack.destroy();
  expect(await query("select datname from pg_database where datname in ('gatehouse', 'authentik')")).toEqual([]);
});
