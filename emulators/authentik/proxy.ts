import { mkdirSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { log } from "./log.ts";
import { EMBEDDED_OUTPOST } from "./objects.ts";
import { ApiController } from "./outpost/apiController.ts";
import { cookieOptionsOf } from "./outpost/application.ts";
import { sendHttp } from "./outpost/backChannel.ts";
import { FileStore } from "./outpost/fileStore.ts";
import { ProxyServer } from "./outpost/proxyServer.ts";
import type { Random } from "./random.ts";

type ProxyOptions = {
  hostname: string;
  port: number;
  /** Address of the server. */
  host: string;
  /** Origin of authentik as browsers see it; empty = `host`. */
  browserHost: string;
  /** Of the outpost's service account. */
  token: string;
  random: Random;
};

/**
 * Starts a standalone outpost. Its sessions are files in the temporary folder, and it listens once it has its providers.
 * @throws Error when the token belongs to no outpost
 */
export async function startProxy({ hostname, port, host, browserHost, token, random }: ProxyOptions): Promise<void> {
  const folder = tmpdir();
  mkdirSync(folder, { recursive: true });
  const store: FileStore = new FileStore(folder, () => proxy.secrets());
  const proxy: ProxyServer = new ProxyServer((configuration) => {
    store.configure(configuration.cookie_secret, cookieOptionsOf(configuration));
    return store;
  }, sendHttp());
  const controller = new ApiController(
    host,
    token,
    {
      refresh: ({ name, config, managed }, configurations) => {
        const authentikHost = config["authentik_host"];
        if (typeof authentikHost !== "string") return panic("the outpost's config has no authentik_host");
        const embedded = managed === EMBEDDED_OUTPOST;
        proxy.refresh(configurations, { outpostName: name, embedded, authentikHost, browserHost });
      },
      endSession: (id) => proxy.endSessions(({ sid }) => sid === id),
    },
    random,
  );
  await controller.start();
  const app = new Hono();
  app.all("*", (c) => proxy.serve(c));
  const server = serve({ fetch: app.fetch, hostname, port });
  // As the server's: longer than Traefik keeps idle connections.
  (server as Server).keepAliveTimeout = 120_000;
}

/** Ends the process where Go's outpost does: it reads the field without a check. */
function panic(message: string): never {
  log("panic", message);
  process.exit(2);
}
