import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Context } from "hono";
import type pg from "pg";
import { Claims } from "./claims.ts";
import { flowExecutor } from "./flow.ts";
import { openIdEndpoints } from "./openid.ts";
import { EmbeddedOutpost } from "./outpost/embeddedOutpost.ts";
import { EventHub } from "./outpost/eventHub.ts";
import { flowPage, messagePage } from "./pages.ts";
import { MemoryTasks } from "./memoryTasks.ts";
import { PostgresTasks } from "./postgresTasks.ts";
import type { Random } from "./random.ts";
import { restApi } from "./rest.ts";
import type { Runtime } from "./resources.ts";
import { currentSession, originOf, signedIn } from "./sessions.ts";
import { Store } from "./store.ts";
import { TaskRunner } from "./taskRunner.ts";
import { Worker } from "./worker.ts";
import type { WorkerOptions } from "./worker.ts";

type Options = {
  hostname: string;
  /** 0 = any free one. */
  port: number;
  secretKey: string;
  random: Random;
  /** None = everything stays in memory. */
  pool?: pg.Pool | undefined;
  /** A worker in this process; only without `pool`. With one it is a separate process. */
  worker?: WorkerOptions | undefined;
  /** One of this number of requests is answered with 500; 0 = none. */
  errorRate: number;
  /** Called when an object could not be written to Postgres: memory and database differ from then on. */
  onLostWrite: (error: unknown) => void;
};
export type Authentik = {
  url: string;
  /** Resolves when requests are served; rejects when the database or Python fails to start. The default objects are created later. */
  ready: Promise<void>;
  close: () => Promise<void>;
};
type Parts = { runtime: Runtime; embedded: EmbeddedOutpost; state: { ready: boolean; url: string } };

/** Starts the server role. It listens at once and answers "authentik starting" until it has its database and Python. */
export async function startServer(options: Options): Promise<Authentik> {
  const store = new Store(options.pool);
  const queue = options.pool ? new PostgresTasks(options.pool) : new MemoryTasks((task) => runner.run(task));
  const claims = new Claims(store, options.secretKey);
  const runtime: Runtime = { store, secretKey: options.secretKey, tasks: queue, claims, random: options.random };
  const state = { ready: false, url: "" };
  const events = new EventHub(store);
  const embedded = new EmbeddedOutpost(store, events, options.random, () => state.url);
  const runner = new TaskRunner(runtime, events, embedded);
  const app = routes(options, { runtime, embedded, state });
  const server = serve({ fetch: app.fetch, hostname: options.hostname, port: options.port }) as Server;
  // Longer than Traefik keeps idle connections, or it meets closed ones.
  server.keepAliveTimeout = 120_000;
  events.attach(server, () => state.ready);
  await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
  const { address, port } = server.address() as { address: string; port: number };
  state.url = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  const closers: (() => void)[] = [() => events.close()];
  const start = async () => {
    await Promise.all([store.load(), claims.load()]);
    store.onRemoved("session", ({ user, uid }) => user !== null && queue.send("outpost_session_end", uid));
    embedded.start();
    const sweep = setInterval(() => store.sweep(), 600_000).unref();
    closers.push(() => clearInterval(sweep));
    if (queue instanceof PostgresTasks) {
      await queue.load();
      closers.push(queue.serve((task) => runner.run(task)));
    } else if (options.worker) {
      const worker = new Worker(queue, options.worker);
      worker.start();
      closers.push(() => worker.stop());
    }
    state.ready = true;
  };
  const close = () => {
    for (const close of closers) close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    return closed;
  };
  return { url: state.url, ready: start(), close };
}

function routes({ random, errorRate, onLostWrite }: Options, { runtime, embedded, state }: Parts) {
  const { store, claims } = runtime;
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.notFound((c) => c.html(messagePage("Not Found", "The page that you want does not exist."), 404));
  app.get("/-/health/live/", (c) => c.body(null, 200));
  app.use("*", async (c: Context, next) => {
    if (!state.ready) return starting(c);
    const answer = await embedded.serve(c);
    // As when gunicorn restarts its worker (docs/authentik.md, REST API).
    if (!answer && errorRate > 0 && random.between(0, errorRate) < 1) return c.text("Internal Server Error", 500);
    if (!answer) await next();
    await store.saved().catch(onLostWrite);
    return answer;
  });
  app.get("/-/health/ready/", (c) => c.body(null, 200));
  app.route("/api/v3/flows/executor", flowExecutor(runtime));
  app.route("/api/v3", restApi(runtime));
  app.route("/application/o", openIdEndpoints(store, claims));

  app.get("/if/flow/:slug/", (c) =>
    store.find("flow", { slug: c.req.param("slug") }) ? c.html(flowPage()) : c.notFound(),
  );
  app.get("/if/:name{admin|user}/", (c) =>
    c.html(messagePage("authentik", "The emulator of authentik has no such interface.")),
  );
  app.get("/", (c) => c.redirect(signedIn(store, c) ? "/if/user/" : "/flows/-/default/authentication/?next=/", 302));
  app.get("/flows/-/default/:designation{authentication|invalidation}/", (c) => {
    const query = new URL(c.req.url).searchParams.toString();
    return c.redirect(`/if/flow/default-${c.req.param("designation")}-flow/${query && `?${query}`}`, 302);
  });
  app.get("/flows/-/cancel/", (c) => {
    const session = currentSession(store, c);
    if (session) store.put("session", { ...session, flow: null });
    return c.redirect(`${originOf(c)}/`, 302);
  });
  return app;
}

/** The front's answer until the core is up (docs/authentik.md, Blueprints and start-up). */
function starting(c: Context): Response {
  c.header("retry-after", "5");
  const accept = c.req.header("accept") ?? "";
  if (accept.includes("application/json")) return c.json({ error: "authentik starting" }, 503);
  return accept.includes("text/html") ? c.html("<h1>authentik starting</h1>", 503) : c.text("authentik starting", 503);
}
