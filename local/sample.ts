import { readFile } from "node:fs/promises";
import Papa from "papaparse";
import { Client } from "pg";
import type { LocalStack } from "./deploy.ts";
import type { Platform } from "./platform/platform.ts";
import { fill } from "./platform/secrets.ts";

/**
 * Loads the sample data as a pipeline would: after the deployment, as the owner role, in one transaction. Can run again.
 * A stack without a data API has none.
 */
export async function loadSampleOf({ postgres }: Platform, { settings, variables }: LocalStack): Promise<void> {
  const { dataApi } = settings;
  if (!dataApi) return;
  const { database, roles, ownerPassword } = dataApi;
  const { host, port } = postgres;
  const client = new Client({ host, port, database, user: roles.owner, password: fill(ownerPassword, variables) });
  await client.connect();
  const { data: rows } = Papa.parse(await file("kommuner-2024.csv"), { header: true, skipEmptyLines: true });
  try {
    await client.query("begin");
    await client.query(await file("sample.sql"));
    await client.query(await file("load.sql"), [JSON.stringify(rows)]);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

function file(name: string): Promise<string> {
  return readFile(new URL(`sample/${name}`, import.meta.url), "utf8");
}
