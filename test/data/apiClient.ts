/** HTTP and SQL clients for the tests of the data API. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Client } from "pg";
import { expect, inject, vi } from "vitest";
import type { HttpResponse } from "../../ops/clients/http.ts";
import { note } from "../helpers/exchanges.ts";

export type Lines = readonly (readonly [name: string, value: string])[];

export interface RequestOptions {
  /** Header lines as sent: any case, repeated, in order. */
  readonly headers?: Readonly<Record<string, string>> | Lines;
  readonly body?: string;
  /** Address of the client. Default: a new one, so that no limit per client applies. */
  readonly from?: string;
  /** Address of the server. Default: the gateway. */
  readonly to?: { readonly host: string; readonly port: number };
}

let clients = 0;

/** Returns a loopback address that no other request uses. It contains the process id, which differs between Vitest's workers. */
export function newClient(): string {
  clients += 1;
  return `127.${128 + (process.pid % 96)}.${Math.floor(clients / 250) % 250}.${(clients % 250) + 1}`;
}

/**
 * Sends a request to the data API.
 * @param line method and target as written into the request: `GET /dim_kommune?limit=1`
 */
export async function sendRequest(
  line: string,
  { headers = [], body, from = newClient(), to }: RequestOptions = {},
): Promise<HttpResponse> {
  const { url, gatewayPort } = inject("data");
  const [, method = "", path = ""] = /^(\S+) (.*)$/s.exec(line) ?? [];
  const lines = [["Host", new URL(url).host], ...(isLines(headers) ? headers : Object.entries(headers))];
  const address = to ?? { host: "127.0.0.1", port: gatewayPort };
  // PostgREST repeats the query in Content-Location, with commas and brackets encoded.
  const connection = { ...address, localAddress: from, setHost: false, agent: false, maxHeaderSize: 131_072 };
  const options = { ...connection, method, path, headers: lines.flat() };
  const outgoing = request(options);
  outgoing.setTimeout(120_000, () => outgoing.destroy(new Error(`no answer to ${line}`)));
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const received = { status: answer.statusCode ?? 0, headers: answer.headers, body: text };
  note(line, received);
  return { url: `${url}${path}`, ...received };
}

function isLines(headers: NonNullable<RequestOptions["headers"]>): headers is Lines {
  return Array.isArray(headers);
}

/** The compared parts of a response. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed if it is JSON. */
  readonly body: unknown;
}

/** Headers of the connection, or that differ each time. */
const IGNORED_HEADERS = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

/** Returns the compared parts of a response, with `tag` for a well-formed ETag, which differs after each write. */
function partsOf({ status, headers, body }: HttpResponse): ResponseParts {
  const kept = Object.entries(headers).filter(([name]) => !IGNORED_HEADERS.includes(name));
  const normalized = kept.map(([name, value]) => [
    name,
    name === "etag" && /^W\/"[0-9a-f]{32}"$/.test(String(value)) ? "tag" : value,
  ]);
  return {
    status,
    headers: Object.fromEntries(normalized) as ResponseParts["headers"],
    body: parsed(headers["content-type"], body),
  };
}

function parsed(type: string | string[] | undefined, body: string): unknown {
  return /^application\/([\w.]+\+)?json/.test(String(type)) && body !== "" ? JSON.parse(body) : body;
}

/** Sends a request and returns the compared parts of the response. */
export async function responseTo(line: string, options?: RequestOptions): Promise<ResponseParts> {
  return partsOf(await sendRequest(line, options));
}

/** Sends a request and returns its rows. */
export async function rowsOf(line: string, options?: RequestOptions): Promise<Record<string, unknown>[]> {
  const response = await sendRequest(line, options);
  expect([line, response.status < 300 ? 200 : response.body]).toEqual([line, 200]);
  return JSON.parse(response.body) as Record<string, unknown>[];
}

/** Runs `work` with a connection of the administrator or of another login role. */
export async function withDatabase<T>(work: (client: Client) => Promise<T>, role?: string): Promise<T> {
  const { postgresPort: port, plan, passwords } = inject("data");
  const user = role ?? plan.roles.administrator;
  const client = new Client({ host: "127.0.0.1", port, database: plan.database, user, password: passwords[user] });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs SQL as the role of pipelines. @throws the error of Postgres */
export function asOwner(...statements: readonly string[]): Promise<void> {
  return run(statements, inject("data").plan.roles.owner);
}

/** Runs SQL as the administrator. @throws the error of Postgres */
export function asAdministrator(...statements: readonly string[]): Promise<void> {
  return run(statements);
}

function run(statements: readonly string[], role?: string): Promise<void> {
  return withDatabase(async (client) => {
    for (const statement of statements) await client.query(statement);
  }, role);
}

/** Returns how many queries run now whose text contains a quoted name that starts so. @param start without the first quote */
export function runningQueries(start: string): Promise<number> {
  return withDatabase(async (database) => {
    const { rows } = await database.query<{ running: number }>(
      `select count(*)::integer as running from pg_stat_activity
       where backend_type = 'client backend' and state = 'active' and strpos(query, '"' || $1) > 0`,
      [start],
    );
    return rows[0]?.running ?? 0;
  });
}

/** Polls until `observe` returns the expected value. */
export async function until(expected: unknown, observe: () => Promise<unknown>, timeout = 240_000): Promise<void> {
  await vi.waitFor(async () => expect(await observe()).toEqual(expected), { timeout, interval: 50 });
}
