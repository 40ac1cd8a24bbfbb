/** Traefik's rules as text (Traefik docs, "Rules and priority"). */
import { AGGREGATE, MAX_SELECTED } from "../../config/sections/dataApi/limits.ts";

/** Matches exactly one host, because a domain that is not enabled must answer 404. */
export function hostIs({ host }: { readonly host: string }): string {
  return `Host(\`${host}\`)`;
}

/**
 * Matches requests for a host but those that can open a connection on which the client sends further requests past the gateway, with `X-idp-*` as it
 * writes them:
 * - CONNECT: Traefik sends the body of such a request without length or chunks, which an application that does not know tunnels reads as the next
 *   request (sent with 3.7.5; 3.7.9 ends it for HTTP/2 bodies without a length only).
 * - An upgrade to HTTP/2 or TLS (RFC 7540, 3.2; RFC 2817): Traefik tunnels what follows. Hypercorn 0.18 upgrades without `HTTP2-Settings` (sent).
 */
export function requestsFor(exposure: { readonly host: string }): string {
  return `${hostIs(exposure)} && !Method(\`CONNECT\`) && !HeaderRegexp(\`Upgrade\`, \`(?i)h2|http|tls\`)`;
}

/**
 * Matches what servers read in different ways: `..` that Traefik does not resolve, e.g. before `;` (Tomcat and Jetty cut path parameters), control
 * characters, a backslash, bytes that are not UTF-8 (U+FFFD for Go), such as an overlong `/`, and an encoded `/`, `;`, `?`, `#` or `%`, which many
 * decode before they resolve `..`. Traefik compares the path with these encoded and all others decoded, and its entry points let all of them pass
 * unless `encodedCharacters` is set (measured with 3.7.5; doc.traefik.io, security/request-path).
 */
const AMBIGUOUS = String.raw`/[.][.]|[\x00-\x1F\x7F\\\x{FFFD}]|(?i:%(2[35F]|3[BF]|5C))`;

/**
 * Matches a prefix by whole segments: `/public` does not match `/publicity`. Traefik resolves `/public/../x` before it looks for a route. A path that servers read
 * in different ways is not below the prefix.
 */
export function pathBelow(path: string): string {
  const below = path.endsWith("/") ? `PathPrefix(\`${path}\`)` : `(Path(\`${path}\`) || PathPrefix(\`${path}/\`))`;
  return `${below} && !PathRegexp(\`${AMBIGUOUS}\`)`;
}

/**
 * Matches a background request: fetch and XHR as browsers mark them (Fetch Metadata), preflights, sockets, and clients that
 * bring their own credentials. What a client claims here only changes how it is refused.
 */
export function background(): string {
  const signs = {
    "X-Requested-With": "^XMLHttpRequest$",
    "Sec-Fetch-Mode": "^(cors|no-cors|same-origin|websocket)$",
    "Sec-Fetch-Dest": "^empty$",
    "Access-Control-Request-Method": ".",
    Upgrade: "(?i)^websocket$",
    Authorization: ".",
    Accept: "^application/(json|[a-z.-]+[+]json)",
  };
  const rules = Object.entries(signs).map(([header, pattern]) => `HeaderRegexp(\`${header}\`, \`${pattern}\`)`);
  return `(${rules.join(" || ")})`;
}

/**
 * An address without slashes after its scheme, such as `x:\\evil.example` or `http:evil.example`. authentik and its outposts find no host in it, and take
 * it for a path of their own (`checkRedirectParam` in oauth_state.go, `is_url_absolute` in urls.py of 2026.5); a browser goes to that host.
 */
const WITHOUT_SLASHES = "^[^/?#:]*:[^/]";

/** Matches the start of a login that ends at the outpost's own path or at another host. @param outpost that path */
export function returnsElsewhere(outpost: string): string {
  const addresses = `${outpost.replaceAll(".", "[.]")}/|${WITHOUT_SLASHES}`;
  return `${pathIs(`${outpost}/start`)} && QueryRegexp(\`rd\`, \`${addresses}\`)`;
}

/** Matches requests to authentik, but no login that ends at another host. */
export function signInRequests(exposure: { readonly host: string }): string {
  return `${requestsFor(exposure)} && !QueryRegexp(\`next\`, \`${WITHOUT_SLASHES}\`)`;
}

/** Matches one path and nothing below it. */
export function pathIs(path: string): string {
  return `Path(\`${path}\`)`;
}

/** Matches these methods. Requests with others have no route. */
export function methodIs(...methods: readonly string[]): string {
  return `(${methods.map((method) => `Method(\`${method}\`)`).join(" || ")})`;
}

/** Paths of traefik/whoami that send or receive any number of bytes. */
export const ECHO_PATHS = ["data", "echo"];

/**
 * Matches what any client may request of traefik/whoami: reads of any path but those that send or receive any number of bytes, and without
 * the parameter that delays the response (traefik/whoami v1.11.0, app.go).
 */
export function echoes(): string {
  const refused = [...ECHO_PATHS.map((name) => pathIs(`/${name}`)), "QueryRegexp(`wait`, `.`)"];
  return `${methodIs("GET", "HEAD")} && !(${refused.join(" || ")})`;
}

/**
 * Matches a request for one schema (docs/reading-the-api.md, Choose a schema).
 * @param first whether it is the default, which a request without the header means
 */
export function selects(schema: string, first: boolean): string {
  const named = `HeaderRegexp(\`Accept-Profile\`, \`^${schema}$\`)`;
  return first ? `(!HeaderRegexp(\`Accept-Profile\`, \`.*\`) || ${named})` : named;
}

/**
 * The items of a `select` up to the first bracket that is not in a quoted name, such as `"share (percent)"`. PostgREST reads a quote at the beginning of an item as
 * that of a name (its ApiRequest/QueryParams.hs, `pQuotedValue`); elsewhere it can be part of a JSON key, and a backslash escapes a character of a name. So any
 * other quote, and a name with a backslash, ends these items: from there on, every bracket counts.
 */
const QUOTED = String.raw`"[^"\\]*"`;
const ITEMS = String.raw`^((${QUOTED})?[^",(]*,)*`;
const TO_BRACKET = `${ITEMS}(${QUOTED})?[^",(]*`;
const TO_OTHER_QUOTE = String.raw`${ITEMS}((${QUOTED}[^",(]*|[^",(]+)"|"[^"\\]*\\)`;

/**
 * Related rows inside of related rows, or of more than three relations: each level multiplies the response by the maximum number of
 * rows, and rows that such a query collects before its timeout are in the memory of the database (docs/limits.md). A quoted name among related rows can
 * contain a bracket, so a quoted closing bracket is not counted.
 */
const EMBEDDED = String.raw`[(][^)]*[(]|[(].*".*[(]|([(].*){4}`;
/** The same, from the first bracket on. */
const EMBEDDED_FROM = String.raw`([(][^)]*[(]|[(].*[(][^)]*[(]|[(].*".*[(]|([(].*){4})`;
const EMBEDS = `${TO_BRACKET}${EMBEDDED_FROM}|${TO_OTHER_QUOTE}.*(${EMBEDDED})`;
/**
 * Postgres reads `relation.json_agg` as `json_agg(relation)` if there is no such column (PostgreSQL docs, "Using Composite Types in Queries"): all
 * rows in one, past the maximum number of rows (measured: 50,000 rows of a table with `max_rows` 1000).
 */
const AGGREGATES = `(^|[^A-Za-z0-9_$])${AGGREGATE}(_strict)?($|[^A-Za-z0-9_$])`;
/** A backslash in a quoted name before another character than a quote or a backslash, which need one: PostgREST reads `"json\\_agg"` as `json_agg`. */
const ESCAPED = String.raw`^([^\\]|\\[\\"])*\\[^\\"]`;
/**
 * A cast of a number to `regclass` and the like, also to `setof regclass`, returns the name of any relation, role or function with that OID, also of
 * private ones.
 */
const NAMES = String.raw`::[\w$\s]*(?i:reg)`;

/**
 * Matches a `select` beyond the limits: related rows, aggregates, names by their OID, number of columns. Repeated columns multiply the memory that a
 * response needs in Postgres and PostgREST (docs/limits.md).
 */
export function selectsTooMuch(): string {
  // The number has its own anchor: without it, Traefik computes 2 s for 60 kB (measured with 3.7.5).
  const columns = `QueryRegexp(\`select\`, \`^([^,]*,){${MAX_SELECTED}}\`)`;
  return `(${columns} || QueryRegexp(\`select\`, \`(?s)${EMBEDS}|${AGGREGATES}|${ESCAPED}|${NAMES}\`))`;
}

export const COUNTS = ["exact", "planned", "estimated"] as const;
export type Count = (typeof COUNTS)[number];

/**
 * Matches a request for an estimate with related rows: the planner estimates a filter of these with statistics that can contain rows which they do not serve, and
 * the database checks the relation of the path only (`gatehouse.reads_hidden_rows`).
 */
export function estimatesRelated(): string {
  const related = `(?s)${TO_BRACKET}[(]|${TO_OTHER_QUOTE}.*[(]`;
  return `(HeaderRegexp(\`Prefer\`, \`(?i)count=(planned|estimated)\`) && QueryRegexp(\`select\`, \`${related}\`))`;
}

/**
 * Matches the addresses of forward auth. Traefik compares a path with `%2F` left encoded, and the outpost one that is decoded (gorilla/mux without
 * `UseEncodedPath`; measured with authentik 2026.5.0-rc1: `auth%2Ftraefik` answers 200 with `X-idp-jwt`).
 */
export function forwardAuthAddress(outpost: string): string {
  return `PathRegexp(\`(?i)^${outpost.replaceAll(".", "[.]")}/auth(/|%2F)\`)`;
}

/** Matches a request with this count in one of its headers `Prefer`. */
export function counts(count: Count): string {
  return `HeaderRegexp(\`Prefer\`, \`(?i)count=${count}\`)`;
}
