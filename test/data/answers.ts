/** Whole answers, as they must be. */
import type { Seen } from "./api-client.ts";

/** On every answer of PostgREST behind the gateway. */
export const ALWAYS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Content-Range,Content-Location,ETag,X-Max-Rows,Retry-After,Deprecation,Sunset,Link",
  allow: "GET, HEAD, OPTIONS",
  server: "postgrest/12.0.2",
  vary: "Accept, Accept-Profile, Prefer, Range, Range-Unit",
  "x-content-type-options": "nosniff",
};

export const CACHED = {
  "cache-control": "public, max-age=60",
  etag: "tag",
};

/** On every answer from `raw`, whose end the stack announces. */
export const NOTICE = {
  deprecation: `@${Date.UTC(2026, 0, 1) / 1000}`,
  sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
  link: '<https://data.example.org/versions>; rel="deprecation"; type="text/html"',
};

export const JSON_TYPE = "application/json; charset=utf-8";

export interface Served {
  readonly status?: number;
  readonly profile?: string;
  readonly type?: string;
  /** The request's target. */
  readonly target: string;
  readonly range: string;
  /** The `Prefer` that was followed. */
  readonly applied?: string;
  readonly body: unknown;
}

/** Rows of a relation. Defaults: 200, of `marts`, as JSON. */
export function served({
  status = 200,
  profile = "marts",
  type = JSON_TYPE,
  target,
  range,
  applied,
  body,
}: Served): Seen {
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
 * The target as PostgREST 12.0.2 names it: parameters sorted, those of one name together, everything but letters, digits and `-_.~`
 * encoded, and each byte of a letter beyond ASCII as if it were one.
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

export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly details?: string | null;
  readonly hint?: string | null;
}

/** A refusal of PostgREST, of Postgres, or of the function that runs first. */
export function refused(status: number, fault: Fault, headers: Record<string, string> = {}): Seen {
  return {
    status,
    headers: { ...ALWAYS, "content-type": JSON_TYPE, ...headers },
    body: { details: null, hint: null, ...fault },
  };
}

/** What the gateway says where it has no route. */
export const NO_ROUTE: Seen = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: "404 page not found\n",
};
