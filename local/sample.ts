import { readFile } from "node:fs/promises";
import { Client } from "pg";

export interface SampleTarget {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** The owner role, as which pipelines write. */
  readonly user: string;
  readonly password: string;
}

/** Loads the sample data as a pipeline would: after the deployment, as the owner role, in one transaction. Can run again. */
export async function loadSample(target: SampleTarget): Promise<void> {
  const client = new Client({ ...target });
  await client.connect();
  try {
    await client.query("begin");
    await client.query(await file("sample.sql"));
    await client.query(await file("load.sql"), [JSON.stringify(parseCsv(await file("kommuner-2024.csv")))]);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

function file(name: string): Promise<string> {
  return readFile(new URL(`sample/${name}`, import.meta.url), "utf8");
}

/** Rows as objects by the header's names. The file quotes nothing, so splitting at commas is all there is to do. */
function parseCsv(text: string): Record<string, string>[] {
  const [header = "", ...rows] = text.trim().split(/\r?\n/);
  const names = header.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((value, index) => [names[index] ?? "", value])));
}
