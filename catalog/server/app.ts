import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import { secureHeaders } from "hono/secure-headers";
import { isPage } from "../pages.ts";
import type { Settings } from "./settings.ts";
import { type Asset, type Encoding, PAGE, type Site } from "./site.ts";

/** Their names change with their content. */
const HASHED = /^assets\//;
const NO_CACHE = "no-cache";
const FOR_EVER = "public, max-age=31536000, immutable";
const METHODS = ["GET", "HEAD"];

/** Returns the server of the catalog: its files, the page at each of its paths, and the configuration for the requested host. */
export function catalog(site: Site, settings: Settings): Hono {
  const { basePath } = settings;
  const app = new Hono();
  app.use(secured(settings));
  app.use(async (c, next) => {
    if (!METHODS.includes(c.req.method)) return c.text("GET and HEAD only\n", 405, { Allow: METHODS.join(", ") });
    return next();
  });
  app.use(etag({ retainedHeaders: [...RETAINED_304_HEADERS] }));
  app.get("/healthz", (c) => c.text("ok\n", 200, { "Cache-Control": "no-store" }));
  app.get("*", (c) => {
    const { path } = c.req;
    if ([`/`, basePath, basePath.slice(0, -1)].includes(path)) return toStart(c, basePath);
    const name = path.startsWith(basePath) ? path.slice(basePath.length) : "";
    if (name === "config.json") {
      const config = { baseUrl: baseUrl(c, settings), limits: settings.limits };
      return c.json(config, 200, { "Cache-Control": NO_CACHE });
    }
    const asset = site.get(isPage(name) ? PAGE : name);
    // The page is not served under the name of its file, where its relative links would not resolve.
    return asset === undefined || name === PAGE ? c.notFound() : answer(c, asset, HASHED.test(name));
  });
  app.notFound((c) => c.text("not found\n", 404, { "Cache-Control": NO_CACHE }));
  return app;
}

function toStart(c: Context, basePath: string): Response {
  c.header("Cache-Control", NO_CACHE);
  return c.redirect(`${basePath}data`, 302);
}

function answer(c: Context, { type, bodies, hash }: Asset, forEver: boolean): Response {
  const supports = ["br", "gzip"] satisfies Encoding[];
  const encoding = accepts(c, { header: "Accept-Encoding", supports, default: "identity" }) as Encoding;
  const body = bodies[encoding];
  return c.body(body, 200, {
    "Content-Type": type,
    "Content-Length": String(body.length),
    "Cache-Control": forEver ? FOR_EVER : NO_CACHE,
    Vary: "Accept-Encoding",
    ETag: `"${hash}-${encoding}"`,
    ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
  });
}

/** Browsers leave out the default port of a protocol, other clients may not. */
function baseUrl(c: Context, { baseUrls, defaultBaseUrl }: Settings): string {
  const host = (c.req.header("Host") ?? "").toLowerCase().replace(/:(80|443)$/, "");
  return baseUrls.get(host) ?? defaultBaseUrl;
}

/**
 * Headers of every response. The page may load from this server only, and connect to it and the data API; no text becomes markup (Trusted
 * Types). The duration of HTTPS (HSTS) is set for a domain, not for one of its hosts.
 */
function secured(settings: Settings): ReturnType<typeof secureHeaders> {
  const self = ["'self'"];
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: self,
      styleSrc: self,
      imgSrc: self,
      fontSrc: self,
      connectSrc: [...self, (c) => baseUrl(c, settings)],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["'none'"],
    },
    permissionsPolicy: { camera: [], geolocation: [], microphone: [] },
    strictTransportSecurity: false,
    xDownloadOptions: false,
    xFrameOptions: "DENY",
  });
}
