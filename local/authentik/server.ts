import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type pg from "pg";
import { bootstrap } from "./bootstrap.ts";
import type { Bootstrap } from "./bootstrap.ts";
import { Claims } from "./claims.ts";
import { flowExecutor } from "./flow.ts";
import { openIdEndpoints } from "./openid.ts";
import { proxyOutposts } from "./outpost.ts";
import { flowPage, messagePage } from "./pages.ts";
import { restApi } from "./rest.ts";
import { currentSession, originOf, signedIn } from "./sessions.ts";
import { Store } from "./store.ts";

export type Options = {
  hostname: string;
  /** 0 = any free one. */
  port: number;
  secretKey: string;
  bootstrap: Bootstrap;
  /** None = everything stays in memory. */
  pool?: pg.Pool | undefined;
  /** Called when an object could not be written to Postgres: memory and database differ from then on. */
  onLostWrite: (error: unknown) => void;
};
export type Authentik = {
  url: string;
  /** Resolves when requests are served; rejects when the database or Python does not come up. */
  ready: Promise<void>;
  close: () => Promise<void>;
};

/** Starts the server role. It listens at once and answers "authentik starting" until database and Python are there. */
export async function startServer(options: Options): Promise<Authentik> {
  const store = new Store(options.pool);
  const claims = new Claims(store, options.secretKey);
  const state = { ready: false, url: "" };
  const app = routes(options, store, claims, state);
  const server = serve({ fetch: app.fetch, hostname: options.hostname, port: options.port });
  // Longer than Traefik keeps idle connections, or it meets closed ones.
  (server as Server).keepAliveTimeout = 120_000;
  await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
  const { address, port } = server.address() as { address: string; port: number };
  state.url = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  const start = async () => {
    await Promise.all([store.load(), claims.load()]);
    bootstrap({ store, secretKey: options.secretKey }, options.bootstrap);
    await store.saved();
    setInterval(() => store.sweep(), 600_000).unref();
    state.ready = true;
  };
  const close = () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    (server as Server).closeAllConnections();
    return closed;
  };
  return { url: state.url, ready: start(), close };
}

function routes(options: Options, store: Store, claims: Claims, state: { ready: boolean; url: string }) {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.notFound((c) => c.json({ detail: "Not found." }, 404));
  app.get("/-/health/live/", (c) => c.body(null, 200));
  app.use("*", async (c, next) => {
    if (!state.ready) {
      // authentik's front answers API clients with 200 while its core starts.
      if (c.req.header("accept")?.includes("application/json")) return c.json({ error: "authentik starting" });
      return c.text("authentik starting", 503, { "retry-after": "5" });
    }
    await next();
    return store.saved().catch(options.onLostWrite);
  });
  app.get("/-/health/ready/", (c) => c.body(null, 200));
  app.route("/api/v3/flows/executor", flowExecutor(store));
  app.route("/api/v3", restApi({ store, secretKey: options.secretKey }));
  app.route("/application/o", openIdEndpoints(store, claims));
  const outposts = proxyOutposts(store, () => state.url);
  app.route("/outpost.goauthentik.io", outposts);

  app.get("/if/flow/:slug/", (c) =>
    store.find("flow", { slug: c.req.param("slug") }) ? c.html(flowPage()) : c.notFound(),
  );
  app.get("/if/:name{admin|user}/", (c) => c.html(messagePage("authentik", "This interface has no counterpart here.")));
  app.get("/", (c) => c.redirect(signedIn(store, c) ? "/if/user/" : "/flows/-/default/authentication/?next=/", 302));
  app.get("/flows/-/default/:designation{authentication|invalidation}/", (c) => {
    return c.redirect(`/if/flow/default-${c.req.param("designation")}-flow/${new URL(c.req.url).search}`, 302);
  });
  app.get("/flows/-/cancel/", (c) => {
    const session = currentSession(store, c);
    if (session) store.put("session", { ...session, flow: null });
    return c.redirect(`${originOf(c)}/`, 302);
  });
  return app;
}
