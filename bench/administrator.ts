import { Client } from "pg";
import type { Platform } from "../local/platform/platform.ts";

/** A connection to the data API's database as the superuser. */
export async function administrator({ postgres }: Platform): Promise<Client> {
  const client = new Client({ ...postgres, database: "gatehouse" });
  await client.connect();
  return client;
}
