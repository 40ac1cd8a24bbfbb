/**
 * Records the last requests and responses of a test, which a failed test prints (printExchanges.ts). Undici, and so fetch and
 * ops/clients/http.ts, publishes its requests (undici.nodejs.org, "Diagnostics Channel Support"); other helpers call {@link note}.
 */
import { subscribe } from "node:diagnostics_channel";

interface Exchange {
  readonly request: string;
  readonly at: number;
  status?: number;
  headers: string;
  body: string;
}

/** Maximum recorded exchanges, printed lines, and characters of a body. */
const MAX = { exchanges: 500, lines: 40, body: 400 };
/** Headers that are printed. */
const PRINTED_HEADERS =
  /^(location|content-type|content-range|etag|retry-after|set-cookie|www-authenticate|x-control|x-powered-by)$/;
/** Requests to the Kubernetes API are not recorded. */
const KUBERNETES = /^https:\/\/127\.0\.0\.1:\d+\/(apis|version|readyz|api\/v1)\b/;

const exchanges: Exchange[] = [];
const pending = new WeakMap<object, Exchange>();

/** Records a response or another observation, e.g. the text of a page. */
export function note(
  request: string,
  observed: { readonly status?: number; readonly headers?: Readonly<Record<string, unknown>>; readonly body: string },
): void {
  const headers = Object.entries(observed.headers ?? {}).map(([name, value]) => [name, String(value)] as const);
  add({
    request,
    at: Date.now(),
    ...(observed.status !== undefined && { status: observed.status }),
    headers: formatHeaders(headers),
    body: observed.body,
  });
}

/** Forgets what was recorded. */
export function forget(): void {
  exchanges.length = 0;
}

/** Returns a line for each of the last requests and its response. */
export function describe(): readonly string[] {
  // Tests poll, so only the last of equal requests with the same status is described.
  const groups = Map.groupBy(exchanges, ({ request, status }) => `${request.slice(0, 300)} → ${status ?? "no answer"}`);
  const lines = [...groups].map(([what, all]) => ({ what, count: all.length, last: all.at(-1) }));
  lines.sort((a, b) => (a.last?.at ?? 0) - (b.last?.at ?? 0));
  return lines.slice(-MAX.lines).map(({ what, count, last }) => {
    const text = last?.body.replace(/\s+/g, " ").slice(0, MAX.body);
    return `${new Date(last?.at ?? 0).toISOString().slice(11, 23)} ${count} × ${what} {${last?.headers}} ${text}`;
  });
}

function add(exchange: Exchange): void {
  exchanges.push(exchange);
  if (exchanges.length > MAX.exchanges) exchanges.shift();
}

function formatHeaders(headers: readonly (readonly [name: string, value: string])[]): string {
  return headers
    .filter(([name]) => PRINTED_HEADERS.test(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value.slice(0, 200)}`)
    .join(", ");
}

interface Sent {
  readonly request: { readonly origin: string | URL; readonly method: string; readonly path: string };
}

/** A response that undici publishes: headers are alternating names and values over HTTP/1.1, an object over HTTP/2. */
interface Response {
  readonly statusCode: number;
  readonly headers: readonly Buffer[] | Readonly<Record<string, unknown>>;
}

function entriesOf(headers: Response["headers"]): (readonly [name: string, value: string])[] {
  if (!Array.isArray(headers)) return Object.entries(headers).map(([name, value]) => [name, String(value)]);
  const texts = headers.map(String);
  return texts.flatMap((name, place) => (place % 2 === 0 ? [[name, texts[place + 1] ?? ""] as const] : []));
}

subscribe("undici:request:create", (message) => {
  const { request } = message as Sent;
  const url = `${String(request.origin)}${request.path}`;
  if (KUBERNETES.test(url)) return;
  const exchange = { request: `${request.method} ${url}`, at: Date.now(), headers: "", body: "" };
  pending.set(request, exchange);
  add(exchange);
});
subscribe("undici:request:headers", (message) => {
  const { request, response } = message as Sent & { response: Response };
  const exchange = pending.get(request);
  if (!exchange) return;
  exchange.status = response.statusCode;
  exchange.headers = formatHeaders(entriesOf(response.headers));
});
subscribe("undici:request:bodyChunkReceived", (message) => {
  const { request, chunk } = message as Sent & { chunk: Uint8Array };
  const exchange = pending.get(request);
  if (exchange && exchange.body.length < MAX.body) exchange.body += Buffer.from(chunk).toString();
});
subscribe("undici:request:error", (message) => {
  const { request, error } = message as Sent & { error: Error };
  const exchange = pending.get(request);
  if (exchange) exchange.body += ` (${error.message})`;
});
