/**
 * Emulates `pg_isready` of the image `postgres`: `--host`, else PGHOST; `--port`, else PGPORT; `--timeout` in seconds (default: that of the
 * probe; the original's three seconds can pass on a busy machine before this process reads the answer). An explicit `--host=127.0.0.1`,
 * which an `exec` probe uses for the server in its own container, is the address of the Pod (POD_IP) here.
 * Exit codes of the original: 0 the server accepts connections, 1 it rejects them while it starts, 2 no response.
 */
import { parseArgs } from "node:util";
import { Client, DatabaseError } from "pg";
import { libpqTls } from "../libpq.ts";

const CANNOT_CONNECT_NOW = "57P03";

const { values } = parseArgs({
  options: {
    host: { type: "string", short: "h" },
    port: { type: "string", short: "p" },
    username: { type: "string", short: "U" },
    timeout: { type: "string", short: "t", default: "0" },
    quiet: { type: "boolean", short: "q" },
  },
});
const { POD_IP, PGHOST = "", PGPORT = "5432", PGSSLMODE, PGSSLROOTCERT } = process.env;
const host = values.host === "127.0.0.1" ? (POD_IP ?? "") : (values.host ?? PGHOST);
const port = Number(values.port ?? PGPORT);

/** A server that requests a password accepts connections; the original sends none. */
const accepts = (): never => end(0, "accepting connections");
try {
  const client = new Client({
    host,
    port,
    user: values.username ?? "postgres",
    password: accepts,
    ssl: libpqTls(PGSSLMODE, PGSSLROOTCERT, host),
    connectionTimeoutMillis: Number(values.timeout) * 1000,
  });
  await client.connect();
  accepts();
} catch (error) {
  if (!(error instanceof DatabaseError)) end(2, "no response");
  if (error.code === CANNOT_CONNECT_NOW) end(1, "rejecting connections");
  accepts();
}

function end(code: number, state: string): never {
  if (!values.quiet) console.log(`${host}:${port} - ${state}`);
  process.exit(code);
}
