import { Client, type ClientConfig } from "pg";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";

/** A database that cannot be reached; the message contains its address, and never the password. */
export class UnreachableError extends UserError {
  override readonly name = "UnreachableError";
}

/** A firewall can drop a connection without a message. Queries of the catalog of a large database take seconds. */
const LIMITS = { connectionTimeoutMillis: 10_000, query_timeout: 5 * 60_000, keepAlive: true };

/**
 * Runs work with a connection to a database, and ends the connection when the work is done.
 * @throws UnreachableError when there is no connection; what the work throws
 */
export async function withDatabase<T>(config: ClientConfig, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ ...config, ...LIMITS, application_name: "gatehouse" });
  client.on("error", () => undefined); // the query that it hits fails as well
  try {
    await client.connect().catch((error: unknown) => Promise.reject(unreachable(config, error)));
    return await work(client);
  } finally {
    await client.end();
  }
}

function unreachable({ host, port, user, database }: ClientConfig, error: unknown): UnreachableError {
  return new UnreachableError(`cannot reach database ${database} on ${host}:${port} as ${user}: ${errorText(error)}`);
}
