import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { proxy } from "hono/proxy";
import { untilItWorks } from "./log.ts";
import { browserHostHeader, outpostTokenHeader } from "./served.ts";

const prefix = "/outpost.goauthentik.io";

export type ProxyOptions = {
  hostname: string;
  port: number;
  /** Address of the server. */
  host: string;
  /** Origin of authentik as browsers see it; empty = what the outpost's configuration says. */
  browserHost: string;
  /** Of the outpost's service account. */
  token: string;
};

/**
 * Starts the process of a dedicated outpost. It forwards to the server, which does the work; so, unlike a real one, it lets nobody
 * in while the server is away. It listens once the server knows its token.
 */
export async function startProxy({ hostname, port, host, browserHost, token }: ProxyOptions): Promise<void> {
  const named = { [outpostTokenHeader]: token, [browserHostHeader]: browserHost };
  await untilItWorks("failed to fetch outpost configuration", async () => {
    const { status } = await fetch(new URL(`${prefix}/ping`, host), { headers: named });
    if (status !== 204) throw new Error(`${host} answers ${status}: is AUTHENTIK_TOKEN the outpost's?`);
  });
  const app = new Hono();
  app.get(`${prefix}/ping`, (c) => c.body(null, 204));
  app.all(`${prefix}/*`, async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const asked = c.req.header("x-forwarded-host") ?? c.req.header("host");
    const ownConnection = { host: undefined, connection: undefined, upgrade: undefined };
    const headers = { ...c.req.header(), ...ownConnection, "x-forwarded-host": asked, ...named };
    const answer = await proxy(new URL(pathname + search, host), { raw: c.req.raw, headers, redirect: "manual" });
    const body = await answer.arrayBuffer();
    // Together with a body that turns out empty, headers that hold UTF-8 already would be written as UTF-8 again.
    return new Response(body.byteLength > 0 ? body : null, answer);
  });
  const server = serve({ fetch: app.fetch, hostname, port });
  // As the server's: longer than Traefik keeps idle connections.
  (server as Server).keepAliveTimeout = 120_000;
}
