/** Serves the files beside this one, once it is bundled; see settings.ts for what it reads from the environment. */
import { serve } from "@hono/node-server";
import { catalogue } from "./app.ts";
import { readSettings } from "./settings.ts";
import { readSite } from "./site.ts";

const settings = readSettings(process.env);
const site = readSite(import.meta.dirname, settings.basePath);
const server = serve({ fetch: catalogue(site, settings).fetch, hostname: settings.host, port: settings.port });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => server.close(() => process.exit(0)));
