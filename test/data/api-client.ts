/** What the tests of the data API ask it with, and how they look behind it. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { Client } from "pg";
import { expect, inject, vi } from "vitest";
import type { Answer } from "../../ops/clients/http.ts";
import { note } from "../helpers/exchanges.ts";

export type Lines = readonly (readonly [name: string, value: string])[];

export interface Asked {
  /** Header lines as they are sent: any case, twice, in order. */
  readonly headers?: Readonly<Record<string, string>> | Lines;
  readonly body?: string;
  /** Address that the client has. Default: one that no request had before, so that no limit per client is met. */
  readonly from?: string;
  /** Where to. Default: the gateway. */
  readonly to?: { readonly host: string; readonly port: number };
}

let clients = 0;

/** An address of the machine that no other request comes from. Vitest's workers are told apart by their process. */
export function newClient(): string {
  clients += 1;
  return `127.${128 + (process.pid % 96)}.${Math.floor(clients / 250) % 250}.${(clients % 250) + 1}`;
}

/**
 * Asks the data API.
 * @param line method and target as written into the request: `GET /dim_kommune?limit=1`
 */
export async function ask(line: string, { headers = [], body, from = newClient(), to }: Asked = {}): Promise<Answer> {
  const { url, gatewayPort } = inject("data");
  const [, method = "", path = ""] = /^(\S+) (.*)$/s.exec(line) ?? [];
  const lines = [["Host", new URL(url).host], ...(isLines(headers) ? headers : Object.entries(headers))];
  const place = to ?? { host: "127.0.0.1", port: gatewayPort };
  const options = { ...place, localAddress: from, method, path, headers: lines.flat(), setHost: false, agent: false };
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

function isLines(headers: NonNullable<Asked["headers"]>): headers is Lines {
  return Array.isArray(headers);
}

/** A whole answer, to be compared with what it must be. */
export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

/** Of the connection, or different each time. */
const PASSING = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

/** Everything that an answer says: an ETag of the right form is the word `tag`, since it is another after each write. */
export function seen({ status, headers, body }: Answer): Seen {
  const kept = Object.entries(headers).filter(([name]) => !PASSING.includes(name));
  const told = kept.map(([name, value]) => [
    name,
    name === "etag" && /^W\/"[0-9a-f]{32}"$/.test(String(value)) ? "tag" : value,
  ]);
  return { status, headers: Object.fromEntries(told) as Seen["headers"], body: parsed(headers["content-type"], body) };
}

function parsed(type: string | string[] | undefined, body: string): unknown {
  return /^application\/([\w.]+\+)?json/.test(String(type)) && body !== "" ? JSON.parse(body) : body;
}

/** Asks, and gives everything that the answer says. */
export async function told(line: string, asked?: Asked): Promise<Seen> {
  return seen(await ask(line, asked));
}

/** The rows of an answer. */
export async function rowsOf(line: string, asked?: Asked): Promise<Record<string, unknown>[]> {
  const answer = await ask(line, asked);
  expect([line, answer.status < 300 ? 200 : answer.body]).toEqual([line, 200]);
  return JSON.parse(answer.body) as Record<string, unknown>[];
}

/** Works with a connection of the administrator, or of another role that logs in. */
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

/** Runs SQL as the role that pipelines write as. @throws what Postgres says */
export function asOwner(...statements: readonly string[]): Promise<void> {
  return run(statements, inject("data").plan.roles.owner);
}

/** Runs SQL as the administrator. @throws what Postgres says */
export function asAdministrator(...statements: readonly string[]): Promise<void> {
  return run(statements);
}

function run(statements: readonly string[], role?: string): Promise<void> {
  return withDatabase(async (client) => {
    for (const statement of statements) await client.query(statement);
  }, role);
}

/** Asks until the answer is as expected: for what takes a moment to become true. */
export async function until(expected: unknown, look: () => Promise<unknown>, timeout = 240_000): Promise<void> {
  await vi.waitFor(async () => expect(await look()).toEqual(expected), { timeout, interval: 50 });
}
