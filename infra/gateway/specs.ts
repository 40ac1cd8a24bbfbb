/** `spec` of Traefik's objects, for the components that deploy them and the checks that compare them. Pure. */
import { identityHeaderSpellings, spellings } from "../identity/headers.ts";
import { basicAuthSpec } from "../../protections/basic.ts";
import { forwardAuthSpec } from "../../protections/forwardAuth.ts";
import { signInPages } from "../plan/outposts.ts";
import type { ForwardAuth, Middleware, Route, RouteRule, TraefikService } from "../plan/types.ts";
import { anonymousSpec, perClient, profileSpec, unavailableSpec, unroutedQuerySpec } from "./dataSpecs.ts";
import { emptied } from "./requestHeaders.ts";
import type { PlainMiddleware, TraefikMiddleware } from "./traefik.ts";
import type { IngressRouteSpec, TraefikServiceSpec } from "../../sdks/traefik/index.d.ts";

export const TRAEFIK_API = "traefik.io/v1alpha1";

/** Values of middlewares that only a deployment has. */
interface Deployed<T> {
  /** Address that forward auth requests, with its path (protections/forwardAuth.ts). */
  readonly authAddress: (middleware: ForwardAuth) => T;
  /** Name of the Secret with the users of a basic service. */
  readonly users: (middleware: Extract<Middleware, { kind: "basic-auth" }>) => T;
}

/** Returns `spec` of a Middleware. */
export function middlewareSpec<T>(middleware: Middleware, deployed: Deployed<T>): TraefikMiddleware<T> {
  switch (middleware.kind) {
    case "strip":
      return stripSpec();
    case "target":
      return TARGET;
    case "refused-paths":
      return refusedPathsSpec(middleware.names);
    case "background":
      return { headers: { customRequestHeaders: { "X-Original-URI": "/", "X-Original-URL": "" } } };
    case "background-end":
      return { headers: { customRequestHeaders: emptied(["X-Original-URI"]) } };
    case "upstream":
      return upstreamSpec();
    case "sign-in-error":
      return signInErrorSpec(middleware.namespace);
    case "redirect":
      return { redirectScheme: { scheme: "https", permanent: true, ...portOf(middleware.port) } };
    case "anonymous":
      return anonymousSpec(middleware);
    case "unavailable":
      return unavailableSpec();
    case "rate-limit":
      return { rateLimit: { average: middleware.average, burst: middleware.burst, ...perClient(middleware) } };
    case "in-flight":
      return { inFlightReq: { amount: middleware.amount, ...perClient(middleware) } };
    case "profile":
      return profileSpec(middleware);
    case "replace-path":
      return { replacePath: { path: middleware.path } };
    case "unrouted-query":
      return unroutedQuerySpec();
    case "count":
      return { headers: { customRequestHeaders: { Prefer: `count=${middleware.count}` } } };
    case "forward-auth":
      return forwardAuthSpec(deployed.authAddress(middleware), middleware);
    case "basic-auth":
      return basicAuthSpec(deployed.users(middleware), middleware.service);
    case "authentication":
      return middleware.spec;
  }
}

/** Headers that make some application servers serve another path than the one that the gateway matched (CVE-2018-14773). */
const PATH_OVERRIDES = ["X-Original-URI", "X-Original-URL", "X-Rewrite-URL", "X-Script-Name"];
/** CGI variables with the same effect: gunicorn removes `SCRIPT_NAME` from the path, 21.2 that of any client, 23.0 that of a trusted proxy (measured). */
const CGI_VARIABLES = ["SCRIPT_NAME", "PATH_INFO"];
/** Most servers need this header to upgrade to h2c (RFC 7540, 3.2.1); `requestsFor` (infra/plan/matchers.ts) refuses the others. */
const TUNNEL = "HTTP2-Settings";
/** Headers that Traefik sets. */
const FORWARDED = [
  ...["For", "Host", "Method", "Port", "Prefix", "Proto", "Server", "Uri"].map((part) => `X-Forwarded-${part}`),
  "X-Real-Ip",
];

/**
 * Replaces each URL by itself, which is no redirect, but makes Traefik parse it again. For a request target such as `x:http://other/path`, Traefik matches
 * the path `/`, and sends what follows the colon, which names the application another path and host than the matched ones (sent with 3.7.5; `url.URL.Opaque`).
 */
const TARGET: PlainMiddleware = { redirectRegex: { regex: "^http", replacement: "http" } };

/** Returns the middleware that redirects paths that the rules do not match, but such a request target ({@link TARGET}) can contain, to `/`. */
function refusedPathsSpec(names: readonly string[]): PlainMiddleware {
  const encoded = (letter: string): string => `(${letter}|%${letter.charCodeAt(0).toString(16)})`;
  const segments = names.map((name) => [...name].map(encoded).join(""));
  return { redirectRegex: { regex: `^[^?]*/(${segments.join("|")})([/?].*)?$`, replacement: "/" } };
}

/**
 * Returns the middleware that removes headers of clients, which Traefik does for a header that is set to the empty string. Traefik drops a client's
 * X-Forwarded-*, but neither RFC 7239's `Forwarded` (traefik #12657) nor, before 3.7.12, every spelling that is folded into its own (CVE-2026-39858,
 * CVE-2026-54764, CVE-2026-88011).
 */
function stripSpec(): PlainMiddleware {
  const aliases = FORWARDED.flatMap((name) => spellings(name).slice(1));
  const overrides = [...PATH_OVERRIDES.flatMap(spellings), ...CGI_VARIABLES];
  const names = [...identityHeaderSpellings(), ...overrides, "Forwarded", ...aliases, TUNNEL];
  return { headers: { customRequestHeaders: emptied(names) } };
}

/**
 * Returns the middleware of a domain whose TLS is terminated before the gateway, which therefore receives HTTP. What else forward auth would believe is
 * dropped, so that a client behind a trusted proxy cannot name the host of another application; and so is X-Real-Ip, which Traefik keeps as such a proxy
 * sends it, although many pass on that of the client.
 */
function upstreamSpec(): PlainMiddleware {
  const dropped = ["Host", "Method", "Uri", "Port", "Prefix"].map((part) => `X-Forwarded-${part}`);
  return { headers: { customRequestHeaders: { ...emptied([...dropped, "X-Real-Ip"]), "X-Forwarded-Proto": "https" } } };
}

/**
 * Shows a page instead of the empty 400 that an outpost answers to a callback with an expired or unknown state (measured,
 * docs/authentik.md). The status is 200, since the page is what the user has to act on.
 */
function signInErrorSpec(namespace: string): PlainMiddleware {
  const { name, port } = signInPages(namespace);
  return {
    errors: {
      status: ["400"],
      statusRewrites: { "400": 200 },
      service: { name, namespace, port, nativeLB: true },
      query: "/sign-in-error?url={url}",
    },
  };
}

function portOf(port: number | undefined): { port?: string } {
  return port === undefined ? {} : { port: String(port) };
}

/** Returns `spec` of an IngressRoute. */
export function routeSpec(route: Route): IngressRouteSpec {
  return { entryPoints: [route.entryPoint], routes: route.rules.map(traefikRule), ...tls(route) };
}

function traefikRule(rule: RouteRule): IngressRouteSpec["routes"][number] {
  const { match, priority, middlewares, backend, traefikService } = rule;
  const { name, namespace, port } = backend;
  return {
    kind: "Rule",
    match,
    priority,
    middlewares: middlewares.map((middleware) => ({ name: middleware })),
    services: traefikService
      ? [{ kind: "TraefikService", name: traefikService, namespace }]
      : [{ name, namespace, port, nativeLB: true }],
  };
}

/**
 * Returns `spec` of a TraefikService. It refuses a request with a body (413): PostgREST reads the body of a GET into its memory, and 300 MB took 0.35 s (measured
 * with 12.0.2). Traefik limits a body without buffering the response in a failover only (3.7.5 and 3.7.13; `retry` passes it since 3.7.6). There is no failover: no
 * response has this status, and both services are the same.
 */
export function traefikServiceSpec({ service, namespace, port, middlewares }: TraefikService): TraefikServiceSpec {
  const named = middlewares.map((name) => ({ name }));
  const same = { name: service, namespace, port, nativeLB: true, middlewares: named };
  return { failover: { service: same, fallback: same, errors: { status: ["599"], maxRequestBodyBytes: 0 } } };
}

function tls({ tls }: Route): Pick<IngressRouteSpec, "tls"> {
  switch (tls?.termination) {
    case undefined:
    case "upstream":
      return {};
    case "default":
      return { tls: {} };
    case "resolver":
      return { tls: { certResolver: tls.name } };
    case "secret":
      return { tls: { secretName: tls.name } };
  }
}
