/** Serves the files in the folder of the bundle; settings.ts reads the environment. Logs one JSON object per line. */
import { serve } from "@hono/node-server";
import { catalog } from "./app.ts";
import { readSettings } from "./settings.ts";
import { readSite } from "./site.ts";

/** Logs an event of the server; the gateway logs the requests. */
function log(level: "info" | "error", event: string, fields: Readonly<Record<string, unknown>> = {}): void {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
}

const settings = readSettings(process.env);
const app = catalog(readSite(import.meta.dirname, settings.basePath), settings);
app.onError((error, c) => {
  log("error", "failed", { path: c.req.path, error: error.message });
  return c.text("internal error\n", 500, { "Cache-Control": "no-store" });
});
const server = serve({ fetch: app.fetch, hostname: settings.host, port: settings.port }, ({ port }) =>
  log("info", "listening", { port }),
);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    log("info", "stopping", { signal });
    server.close(() => process.exit(0));
  });
}
