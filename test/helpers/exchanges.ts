/**
 * The last requests of a test and what each was answered: a failed test prints them, so that its log tells what it saw. Undici, and so fetch and
 * ops/clients/http.ts, tells of its requests by itself (undici.nodejs.org, "Diagnostics Channel Support"); other helpers call {@link note}.
 */
import { subscribe } from "node:diagnostics_channel";
import { beforeEach } from "vitest";

interface Exchange {
  readonly request: string;
  readonly at: number;
  status?: number;
  headers: string;
  body: string;
}

/** How many are kept, how many different ones are printed, and how much of each body. */
const KEPT = { exchanges: 500, lines: 40, body: 400 };
/** Headers that explain an answer. */
const TELLING =
  /^(location|content-type|content-range|etag|retry-after|set-cookie|www-authenticate|x-control|x-powered-by)$/;
/** What a test asks of the Kubernetes API is not what it is about. */
const KUBERNETES = /^https:\/\/127\.0\.0\.1:\d+\/(apis|version|readyz|api\/v1)\b/;

const exchanges: Exchange[] = [];
const underWay = new WeakMap<object, Exchange>();

/** Adds an answer, or what else a test saw, e.g. the text of a page. */
export function note(
  request: string,
  seen: { readonly status?: number; readonly headers?: Readonly<Record<string, unknown>>; readonly body: string },
): void {
  const headers = Object.entries(seen.headers ?? {}).map(([name, value]) => [name, String(value)] as const);
  add({
    request,
    at: Date.now(),
    ...(seen.status !== undefined && { status: seen.status }),
    headers: told(headers),
    body: seen.body,
  });
}

function add(exchange: Exchange): void {
  exchanges.push(exchange);
  if (exchanges.length > KEPT.exchanges) exchanges.shift();
}

function told(headers: readonly (readonly [name: string, value: string])[]): string {
  return headers
    .filter(([name]) => TELLING.test(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value.slice(0, 200)}`)
    .join(", ");
}

interface Sent {
  readonly request: { readonly origin: string | URL; readonly method: string; readonly path: string };
}

/** As undici publishes it: names and values in turn over HTTP/1.1, an object over HTTP/2. */
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
  underWay.set(request, exchange);
  add(exchange);
});
subscribe("undici:request:headers", (message) => {
  const { request, response } = message as Sent & { response: Response };
  const exchange = underWay.get(request);
  if (!exchange) return;
  exchange.status = response.statusCode;
  exchange.headers = told(entriesOf(response.headers));
});
subscribe("undici:request:bodyChunkReceived", (message) => {
  const { request, chunk } = message as Sent & { chunk: Uint8Array };
  const exchange = underWay.get(request);
  if (exchange && exchange.body.length < KEPT.body) exchange.body += Buffer.from(chunk).toString();
});
subscribe("undici:request:error", (message) => {
  const { request, error } = message as Sent & { error: Error };
  const exchange = underWay.get(request);
  if (exchange) exchange.body += ` (${error.message})`;
});

beforeEach(({ onTestFailed }) => {
  exchanges.length = 0;
  onTestFailed(({ task }) => {
    // Tests poll: of the same request with the same status, the last one stands for all.
    const groups = Map.groupBy(
      exchanges,
      ({ request, status }) => `${request.slice(0, 300)} → ${status ?? "no answer"}`,
    );
    const lines = [...groups].map(([what, all]) => ({ what, count: all.length, last: all.at(-1) }));
    lines.sort((a, b) => (a.last?.at ?? 0) - (b.last?.at ?? 0));
    const printed = lines.slice(-KEPT.lines).map(({ what, count, last }) => {
      const text = last?.body.replace(/\s+/g, " ").slice(0, KEPT.body);
      return `${new Date(last?.at ?? 0).toISOString().slice(11, 23)} ${count} × ${what} {${last?.headers}} ${text}`;
    });
    // Vitest prints the errors at the end of the run, which one that is cut short does not reach.
    const errors = (task.result?.errors ?? []).map(({ message, diff = "" }) => `${message}\n${diff}`);
    console.error([`"${task.name}" failed:`, ...errors, "What it saw last:", ...printed].join("\n"));
  });
});
