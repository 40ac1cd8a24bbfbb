/**
 * A stand-in for authentik: `main.ts server|worker|proxy`, with authentik's own environment (AUTHENTIK_LISTEN__HTTP;
 * AUTHENTIK_SECRET_KEY, AUTHENTIK_BOOTSTRAP_*, AUTHENTIK_POSTGRESQL__*; for a proxy AUTHENTIK_HOST, _HOST_BROWSER, _TOKEN). Without
 * a Postgres host everything stays in memory.
 */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import pg from "pg";
import { log } from "./log.ts";
import { reachable } from "./store.ts";

const env = (name: string): string | undefined => process.env[`AUTHENTIK_${name}`] || undefined;
const role = process.argv[2];
const listen = /^\[?(.*?)\]?:(\d+)$/.exec(env("LISTEN__HTTP") ?? "[::]:9000");
const hostname = listen?.[1] ?? "::";
const port = Number(listen?.[2] ?? 9000);

log("info", "this is a stand-in for authentik, not authentik", { role, hostname, port });
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));
if (role === "server") await server();
else if (role === "worker") await worker();
else if (role === "proxy") await proxy();
else fail(`"${role ?? ""}" is not a role; give server, worker or proxy`);

async function server(): Promise<void> {
  const secretKey = env("SECRET_KEY");
  if (!secretKey) return fail("AUTHENTIK_SECRET_KEY is not set; give it any long random text");
  // Python and the OpenID library are of no use to a worker.
  const { startServer } = await import("./server.ts");
  const pool = postgres();
  const bootstrap = {
    password: env("BOOTSTRAP_PASSWORD"),
    token: env("BOOTSTRAP_TOKEN"),
    email: env("BOOTSTRAP_EMAIL"),
  };
  const onLostWrite = (error: unknown) => fail(`an object could not be written to Postgres: ${String(error)}`);
  const authentik = await startServer({ hostname, port, secretKey, bootstrap, pool, onLostWrite });
  await authentik.ready;
  log("info", "ready", { url: authentik.url, storage: pool ? "Postgres" : "memory" });
}

/** authentik's worker runs background tasks; here the server has none to hand over. */
async function worker(): Promise<void> {
  const pool = postgres();
  if (pool) await reachable(pool);
  const app = new Hono();
  app.get("/-/health/:probe{live|ready}/", (c) => c.body(null, 200));
  serve({ fetch: app.fetch, hostname, port });
  log("info", "ready");
}

async function proxy(): Promise<void> {
  const [host, token] = [env("HOST"), env("TOKEN")];
  if (!host || !token)
    return fail("AUTHENTIK_HOST and AUTHENTIK_TOKEN are needed: the server's address, an outpost's token");
  const { startProxy } = await import("./proxy.ts");
  await startProxy({ hostname, port, host, browserHost: env("HOST_BROWSER") ?? "", token });
  log("info", "ready", { host });
}

function postgres(): pg.Pool | undefined {
  const host = env("POSTGRESQL__HOST");
  if (!host) return undefined;
  const sslmode = env("POSTGRESQL__SSLMODE") ?? "verify-ca";
  const pool = new pg.Pool({
    host,
    port: Number(env("POSTGRESQL__PORT") ?? 5432),
    database: env("POSTGRESQL__NAME") ?? "authentik",
    user: env("POSTGRESQL__USER") ?? "authentik",
    password: env("POSTGRESQL__PASSWORD") ?? "",
    ssl: sslmode === "disable" ? false : { rejectUnauthorized: sslmode.startsWith("verify") },
    max: 4,
  });
  pool.on("error", (error) => log("warning", "lost a connection to Postgres", { error: error.message }));
  return pool;
}

function fail(message: string): void {
  log("error", message);
  process.exit(1);
}
