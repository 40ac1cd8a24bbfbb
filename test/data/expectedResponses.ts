/** Expected responses of the data API with status, headers and body. */
import type { ResponseParts } from "./apiClient.ts";

/** Headers of every response of PostgREST behind the gateway. */
export const ALWAYS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "Content-Range,Content-Location,Date,ETag,X-Max-Rows,Retry-After,Deprecation,Sunset,Link",
  allow: "GET, HEAD, OPTIONS",
  server: "postgrest/12.0.2",
  vary: "Accept, Accept-Profile, Prefer, Range, Range-Unit",
  "x-content-type-options": "nosniff",
};

export const CACHED = {
  "cache-control": "public, max-age=60",
  etag: "tag",
};

/** Headers of every response from the deprecated schema `raw`. */
export const NOTICE = {
  deprecation: `@${Date.UTC(2026, 0, 1) / 1000}`,
  sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
  link: '<https://data.example.org/versions>; rel="deprecation"; type="text/html"',
};

export const JSON_TYPE = "application/json; charset=utf-8";

interface RowsResponse {
  readonly status?: number;
  readonly profile?: string;
  readonly type?: string;
  /** The request's target. */
  readonly target: string;
  readonly range: string;
  /** The `Prefer` that PostgREST applied. */
  readonly applied?: string;
  readonly body: unknown;
}

/** Returns the response with rows of a relation. Defaults: 200, of `marts`, as JSON. */
export function rowsResponse({
  status = 200,
  profile = "marts",
  type = JSON_TYPE,
  target,
  range,
  applied,
  body,
}: RowsResponse): ResponseParts {
  const headers = {
    ...ALWAYS,
    ...CACHED,
    ...(profile === "raw" ? NOTICE : {}),
    "content-location": canonical(target),
    "content-profile": profile,
    "content-range": range,
    "content-type": type,
    "x-max-rows": "1000",
    ...(applied === undefined ? {} : { "preference-applied": applied }),
  };
  return { status, headers, body };
}

/**
 * Returns a target as PostgREST 12.0.2 writes it into Content-Location: parameters sorted and grouped by name, everything but letters, digits and `-_.~`
 * encoded, and each byte of a non-ASCII letter as a Latin-1 character.
 */
function canonical(target: string): string {
  const [path = "", query] = target.split("?");
  if (query === undefined) return path;
  const values = new Map<string, string[]>();
  for (const pair of new URLSearchParams(query)) {
    const [name = "", value = ""] = pair.map(encoded);
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${path}?${sorted.map(([name, several]) => `${name}=${several.join(",")}`).join("&")}`;
}

function encoded(text: string): string {
  const bytes = encodeURIComponent(Buffer.from(text).toString("latin1"));
  return bytes.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: string | null;
  readonly hint?: string | null;
}

/** Returns an error response of PostgREST, of Postgres, or of the pre-request function. */
export function errorResponse(status: number, error: ErrorBody, headers: Record<string, string> = {}): ResponseParts {
  return {
    status,
    headers: { ...ALWAYS, "content-type": JSON_TYPE, ...headers },
    body: { details: null, hint: null, ...error },
  };
}

/** Response of the gateway without a matching route. */
export const NO_ROUTE: ResponseParts = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: "404 page not found\n",
};

/** Names and values that a response may contain only if the request does. */
export const PRIVATE = /private_|secret_|Sample Person|gatehouse|carried_comment/;
