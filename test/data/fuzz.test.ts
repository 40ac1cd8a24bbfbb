/** Generated requests cause no unexpected error, return nothing private, and change nothing. */
import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { checksum } from "./checksum.ts";
import { type Described, type Request, requests } from "./requests.ts";
import { SCHEMAS } from "./relations.ts";
import { sendRequest, newClient } from "./apiClient.ts";
import { samples } from "../helpers/full.ts";

const RUNS = samples(2_000).numRuns;
const SEED = 20_261_121;
/** Private schemas, tables, columns, comments and values. A response may contain one only if the request does. */
const PRIVATE = ["private_marts", "private_raw", "secret_person", "secret_landing", "secret_name", "secret_id"].concat(
  "secret_text",
  "secret_comment",
  "secret_canary",
  "Sample Person",
  "carried_comment",
  "pre_request",
);
test(`causes no unexpected error, returns nothing private, and changes nothing for ${RUNS} generated requests`, async () => {
  const described = (await Promise.all(SCHEMAS.map(relationsOf))).flat();
  expect(described.length).toBeGreaterThan(12);
  const before = await checksum();
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(requests(described), async (request) => {
    const response = await send(request);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(response)?.[1]);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const broken = status >= 500 && !isDocumentedError(request, response) ? response : "";
    const sent = decoded(JSON.stringify(request));
    const leaked = PRIVATE.filter((name) => response.includes(name) && !sent.includes(name));
    expect({ broken, leaked, isAnswer: status >= 200 }).toEqual({ broken: "", leaked: [], isAnswer: true });
    if (!["GET", "HEAD", "OPTIONS"].includes(request.method)) expect([400, 404, 405]).toContain(status);
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  // Enough requests reach the database.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(RUNS / 10);
  expect(statuses.get(400) ?? 0).toBeGreaterThan(RUNS / 10);
  expect(await checksum()).toBe(before);
});

/** Returns whether an error is documented: a query that ran too long (57014), or invalid UTF-8, for which PostgREST 12.0.2 returns no message. */
function isDocumentedError({ target }: Request, response: string): boolean {
  return (
    response.includes('"code":"57014"') || (!isUtf8(Buffer.from(unescaped(target), "latin1")) && hasNoMessage(response))
  );
}

function hasNoMessage(response: string): boolean {
  const body = response.slice(response.indexOf("\r\n\r\n") + 4);
  return body === "" || body === "14\r\nSomething went wrong\r\n0\r\n\r\n";
}

async function relationsOf(schema: string): Promise<Described[]> {
  const root = await sendRequest("GET /", { headers: { "Accept-Profile": schema } });
  const { definitions } = JSON.parse(root.body) as { definitions: Record<string, { properties: object }> };
  return Object.entries(definitions).map(([relation, { properties }]) => ({
    schema,
    relation,
    columns: Object.keys(properties),
  }));
}

/** Sends a request from a new client address on a new connection. @returns the raw response */
async function send({ method, target, headers }: Request): Promise<string> {
  const { url, gatewayPort: port } = inject("data");
  const lines = [["Host", new URL(url).host], ["Connection", "close"], ...headers];
  const text = `${method} ${target} HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`;
  const socket = connect({ host: "127.0.0.1", port, localAddress: newClient() });
  socket.setTimeout(120_000, () => socket.destroy(new Error(`no answer to ${text}`)));
  await once(socket, "connect");
  socket.write(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Returns a text and the results of decoding it once and twice. */
function decoded(text: string): string {
  return [text, unescaped(text), unescaped(unescaped(text))].join("\n");
}

function unescaped(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
