/**
 * An emulator of authentik: `main.ts server|worker|proxy|healthcheck`, with authentik's own environment (AUTHENTIK_LISTEN__HTTP;
 * AUTHENTIK_SECRET_KEY, AUTHENTIK_POSTGRESQL__*; for a worker AUTHENTIK_BOOTSTRAP_* and AUTHENTIK_BLUEPRINTS_DIR; for a proxy
 * AUTHENTIK_HOST, _HOST_BROWSER, _TOKEN). Without a Postgres host everything stays in memory, and the server is its own worker.
 * GATEHOUSE_EMULATOR_SEED repeats the random delays of an earlier start; GATEHOUSE_EMULATOR_ERROR_RATE=300 answers one of 300 requests
 * with 500.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import pg from "pg";
import { libpqTls } from "../libpq.ts";
import { log } from "./log.ts";
import { Random, seedOf } from "./random.ts";
import type { WorkerOptions } from "./worker.ts";

/** Longest path of a socket (unix(7)). */
const MAX_SOCKET_PATH = 107;

const env = (name: string): string | undefined => process.env[`AUTHENTIK_${name}`] || undefined;
const role = process.argv[2];
const listen = /^\[?(.*?)\]?:(\d+)$/.exec(env("LISTEN__HTTP") ?? "[::]:9000");
const hostname = listen?.[1] ?? "::";
const port = Number(listen?.[2] ?? 9000);
const random = new Random(seedOf(process.env["GATEHOUSE_EMULATOR_SEED"]));

// In images, `ak` runs this file; the local platform runs healthcheck.ts, which loads less.
if (role === "healthcheck") {
  await import("./healthcheck.ts");
  await new Promise<never>(() => undefined);
}
log("info", "this is an emulator of authentik, not authentik", { role, hostname, port, seed: random.seed });
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));
if (role === "server") await server();
else if (role === "worker") await worker();
else if (role === "proxy") await proxy();
else fail(`"${role ?? ""}" is not a role. Use server, worker or proxy.`);

async function server(): Promise<void> {
  const secretKey = env("SECRET_KEY");
  if (!secretKey) return fail("AUTHENTIK_SECRET_KEY is not set. Set it to a long random text.");
  // The real server is never ready with a longer one (docs/authentik.md).
  const socket = join(tmpdir(), "authentik-core.sock");
  if (socket.length > MAX_SOCKET_PATH) return fail(`AF_UNIX path too long: ${socket}. Set TMPDIR to a shorter folder.`);
  // A worker needs neither Python nor the OpenID library.
  const { startServer } = await import("./server.ts");
  const pool = postgres();
  const onLostWrite = (error: unknown) => fail(`an object could not be written to Postgres: ${String(error)}`);
  const errorRate = Number(process.env["GATEHOUSE_EMULATOR_ERROR_RATE"] ?? 0);
  const options = { hostname, port, secretKey, random, pool, errorRate, onLostWrite };
  const authentik = await startServer({ ...options, worker: pool ? undefined : workerOptions() });
  await authentik.ready;
  log("info", "ready", { url: authentik.url, storage: pool ? "Postgres" : "memory" });
}

async function worker(): Promise<void> {
  const { PostgresTasks } = await import("./postgresTasks.ts");
  const { Worker } = await import("./worker.ts");
  const pool = postgres();
  if (pool) {
    const queue = new PostgresTasks(pool);
    await queue.load();
    await queue.requeue();
    new Worker(queue, workerOptions()).start();
  }
  const app = new Hono();
  app.get("/-/health/:probe{live|ready}/", (c) => c.body(null, 200));
  serve({ fetch: app.fetch, hostname, port });
  log("info", "ready");
}

function workerOptions(): WorkerOptions {
  const bootstrap = {
    password: env("BOOTSTRAP_PASSWORD"),
    token: env("BOOTSTRAP_TOKEN"),
    email: env("BOOTSTRAP_EMAIL"),
  };
  return { random, bootstrap, blueprints: env("BLUEPRINTS_DIR") };
}

async function proxy(): Promise<void> {
  const [host, token] = [env("HOST"), env("TOKEN")];
  if (!host || !token)
    return fail("Set AUTHENTIK_HOST to the server's address and AUTHENTIK_TOKEN to an outpost's token.");
  const { startProxy } = await import("./proxy.ts");
  const options = { hostname, port, host, browserHost: env("HOST_BROWSER") ?? "", token, random };
  await startProxy(options).then(
    () => log("info", "ready", { host }),
    (error: unknown) => fail(error instanceof Error ? error.message : String(error)),
  );
}

function postgres(): pg.Pool | undefined {
  const host = env("POSTGRESQL__HOST");
  if (!host) return undefined;
  const pool = new pg.Pool({
    host,
    port: Number(env("POSTGRESQL__PORT") ?? 5432),
    database: env("POSTGRESQL__NAME") ?? "authentik",
    user: env("POSTGRESQL__USER") ?? "authentik",
    password: env("POSTGRESQL__PASSWORD") ?? "",
    ssl: encryption(host),
    max: 4,
  });
  pool.on("error", (error) => log("warning", "lost a connection to Postgres", { error: error.message }));
  return pool;
}

function encryption(host: string): ReturnType<typeof libpqTls> {
  try {
    return libpqTls(env("POSTGRESQL__SSLMODE") ?? "verify-ca", env("POSTGRESQL__SSLROOTCERT"), host);
  } catch (error) {
    return fail((error as Error).message);
  }
}

function fail(message: string): never {
  log("error", message);
  process.exit(1);
}
