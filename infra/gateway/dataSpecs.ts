/** Middlewares of the data API. */
import { AGGREGATE, MAX_ORDERED } from "../../config/sections/dataApi/limits.ts";
import { OPENAPI_SCHEMA } from "../plan/grants.ts";
import type { Middleware } from "../plan/types.ts";
import { emptied } from "./requestHeaders.ts";
import type { PlainMiddleware } from "./traefik.ts";

type RateLimit = NonNullable<PlainMiddleware["rateLimit"]>;

/** Header with the number of proxies before the gateway, for Postgres, which counts queries by client (infra/data/sql/010_pre_request.sql). */
const PROXIES = "X-Gatehouse-Proxies";

/**
 * Returns the middleware for anonymous requests: it removes tokens and cookies, and allows scripts of every origin to read. The gateway answers preflights
 * itself, since PostgREST would allow methods that find no route.
 */
export function anonymousSpec({ upstream }: { readonly upstream: boolean }): PlainMiddleware {
  return {
    headers: {
      customRequestHeaders: {
        ...emptied(["Authorization", "Cookie", "Content-Profile"]),
        [PROXIES]: upstream ? "1" : "0",
      },
      customResponseHeaders: {
        // PostgREST answers OPTIONS with what a relation could take.
        Allow: "GET, HEAD, OPTIONS",
        // Also of what the database cannot set headers on: an error, and the description at the root.
        Vary: "Accept, Accept-Profile, Prefer, Range, Range-Unit",
      },
      accessControlAllowOriginList: ["*"],
      accessControlAllowMethods: ["GET", "HEAD", "OPTIONS"],
      accessControlAllowHeaders: ["Accept", "Accept-Profile", "If-None-Match", "Prefer", "Range", "Range-Unit"],
      accessControlExposeHeaders: [
        "Content-Range",
        "Content-Location",
        "Date",
        "ETag",
        "X-Max-Rows",
        "Retry-After",
        "Deprecation",
        "Sunset",
        "Link",
      ],
      accessControlMaxAge: 86_400,
      contentTypeNosniff: true,
    },
  };
}

/**
 * Returns the middleware that empties the body of 401 and 503. Without a database, PostgREST returns 503 with the error of the connection: address,
 * port, cause of a failed login. The body of a 401 response contains the name of what the anonymous role may not use: a private relation that a row
 * security policy reads, or a function. The body is replaced by that of an internal service of Traefik, which is empty. The middleware comes after those
 * that set headers, so that these are kept. Not 500: clients read the code of a timeout.
 */
export function unavailableSpec(): PlainMiddleware {
  return { errors: { status: ["401", "503"], service: { kind: "TraefikService", name: "noop@internal" }, query: "/" } };
}

/** Returns what identifies a client: its address, with IPv6 its /64; behind a proxy the last address of `X-Forwarded-For`. */
export function perClient({ upstream }: { readonly upstream: boolean }): Pick<RateLimit, "sourceCriterion"> {
  return { sourceCriterion: { ipStrategy: { ipv6Subnet: 64, ...(upstream ? { depth: 1 } : {}) } } };
}

/** Sets the schema for PostgREST, and the headers of a deprecated schema for the client (RFC 9745, RFC 8594). */
export function profileSpec({ schema, deprecation }: Extract<Middleware, { kind: "profile" }>): PlainMiddleware {
  const customRequestHeaders = { "Accept-Profile": schema };
  // PostgREST returns the schema that it used, and clients cannot select this one.
  if (schema === OPENAPI_SCHEMA)
    return { headers: { customRequestHeaders, customResponseHeaders: emptied(["Content-Profile"]) } };
  if (deprecation === undefined) return { headers: { customRequestHeaders } };
  const { since, sunset, link } = deprecation;
  const customResponseHeaders = {
    Deprecation: `@${Date.parse(since) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    ...(link === undefined ? {} : { Link: `<${link}>; rel="deprecation"; type="text/html"` }),
  };
  return { headers: { customRequestHeaders, customResponseHeaders } };
}

/** Parameters of a query that Traefik compares; of more than 10,000, Go reads none (net/url, GODEBUG `urlmaxqueryparams`). */
const MAX_PARAMETERS = 500;
/** Characters of a query, in thousands: RE2 repeats an expression at most 1,000 times. */
const MAX_THOUSANDS = 8;

/**
 * Returns the middleware that redirects a query to a path without a route, if it contains what PostgREST reads and no rule of a route compares:
 * - a parameter with a `%` that encodes nothing, which Traefik leaves out;
 * - more than {@link MAX_PARAMETERS} parameters, or a query that is longer than {@link MAX_THOUSANDS} thousand characters: PostgREST needs 0.3 s for nested
 *   conditions of this length, and 11 s for 50 kB;
 * - an order by more than {@link MAX_ORDERED} columns: PostgREST needs 1.8 s for 4,000 (measured with 12.0.2);
 * - an order by an aggregate, also of related rows (`relation.order`), whose names no rule can contain: it collects all rows in the memory of the database
 *   (measured: 1.4 GB for a million rows). Therefore no letter of a key or of an order may be encoded, nor an order
 *   contain a backslash, which PostgREST removes from a quoted name.
 */
export function unroutedQuerySpec(): PlainMiddleware {
  const broken = "%(?:$|[^0-9A-Fa-f]|[0-9A-Fa-f](?:$|[^0-9A-Fa-f]))";
  const letter = "%(?:[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff])";
  const parameter = "(?:.*[&;])?";
  const key = `${parameter}[^=&;]*`;
  // Each character matches one of these only, so that the time is linear in the length.
  const column = "(?:[^&;,%]|%(?:[013-9A-Fa-f]|2[^Cc]))*(?:,|%2[Cc])";
  const order = `${parameter}(?:[^=&;]*(?:[.]|%2[Ee]))?order=`;
  const backslash = String.raw`(?:\\|%5[Cc])`;
  const cases = [
    `.*${broken}`,
    `(?:[^&;]*[&;]){${MAX_PARAMETERS}}`,
    `${".{1000}".repeat(MAX_THOUSANDS)}.`,
    `${order}(?:${column}){${MAX_ORDERED}}`,
    `${key}${letter}`,
    `${key}order=[^&;]*(?:${AGGREGATE}|${letter})`,
    `${order}[^&;]*${backslash}`,
  ];
  return { redirectRegex: { regex: `^[^?]*[?](?:${cases.join("|")}).*$`, replacement: "/rpc/unrouted-query" } };
}
