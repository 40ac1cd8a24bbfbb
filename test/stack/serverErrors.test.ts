/** Requests of the Terraform provider that authentik answers with 500, as while one of its worker processes restarts (docs/authentik.md). */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runRepeatable } from "../../ops/engine/repeat.ts";
import { type Config, type OwnPlatform, type OwnStack, service } from "../helpers/ownPlatform.ts";
import { identityProvider } from "../helpers/sections.ts";
import { openShared } from "./stack.ts";

const CREATION = "POST /api/v3/core/applications/";

let own: OwnPlatform;
let stack: OwnStack;
let server: Server;
/** Number of creations of an application that the server in front of authentik received. */
let creations: number;
/** What it does with them. */
let answer: "pass" | "fail once, in effect" | "fail, without effect";
/** Beginnings of the requests that it answers with 500 once each. */
let failing: Set<string>;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  server = createServer((incoming, response) => void forward(incoming, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  answer = "pass";
  failing = new Set();
  await stack.up(config("first"));
});
beforeEach(() => {
  creations = 0;
  failing = new Set();
});
afterAll(async () => {
  // The state has the address of the provider.
  await stack.up(own.installed([service("first")]));
  server.closeAllConnections();
  server.close();
  await own.stop();
});

/** Returns a stack whose provider plugin reaches authentik through the server. */
function config(...names: readonly string[]): Config {
  const { port } = server.address() as AddressInfo;
  const section = identityProvider({ api_url: `http://127.0.0.1:${port}` });
  return own.installed(
    names.map((name) => service(name)),
    { "gatehouse:identity_provider": section },
  );
}

async function forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url: path = "", headers } = incoming;
  const fails = `${method} ${path}` === CREATION && (creations++ === 0 || answer === "fail, without effect");
  const body = await buffer(incoming);
  const fail = (): void => void response.writeHead(500).end("Internal Server Error");
  const found = failing.values().find((begin) => `${method} ${path}`.startsWith(begin));
  if (found !== undefined && failing.delete(found)) return fail();
  if (fails && answer === "fail, without effect") return fail();
  const { host, port } = new URL(own.identityProvider);
  const forwarded = request({ host: "127.0.0.1", port, method, path, headers: { ...headers, host } });
  forwarded.end(body);
  const [received] = (await once(forwarded, "response")) as [IncomingMessage];
  const content = await buffer(received);
  if (fails && answer !== "pass") return fail();
  response.writeHead(received.statusCode ?? 502, received.headers).end(content);
}

test("continues when the change of a request is in effect, and creates nothing twice", async () => {
  answer = "fail once, in effect";
  await stack.up(config("first", "second"));
  expect(creations).toBe(1);
  const { steps } = await stack.preview(config("first", "second"));
  expect(steps).toEqual([]);
});

test("fails after three runs with the error of authentik, and completes later", async () => {
  answer = "fail, without effect";
  const failed = stack.up(config("first", "second", "third"));
  await expect(failed).rejects.toThrow(
    `third-localhost-application: HTTP Error '500 Internal Server Error' during request '${CREATION}'`,
  );
  expect(creations).toBe(3);
  answer = "pass";
  await stack.up(config("first", "second", "third"));
  expect(creations).toBe(4);
});

test.each([
  ["lookup", "flows/instances/", ""],
  ["read", "core/applications/gatehouse-identity/", "identity-token-application: Preview failed: "],
])("repeats a preview with refresh in which a %s fails", async (_what, path, resource) => {
  failing.add(`GET /api/v3/${path}`);
  const details: string[] = [];
  const report = (detail: string): void => void details.push(detail);
  const { steps } = await runRepeatable(report, (watch) => stack.stack.preview({ ...watch, refresh: true }));
  expect(steps).toEqual([]);
  const error = `${resource}HTTP Error '500 Internal Server Error' during request 'GET /api/v3/${path}': "Internal Server Error"`;
  const repeated = details.filter((detail) => detail.startsWith("repeating"));
  // The publisher's plugin writes a colon behind the error of a read.
  expect(repeated.map((detail) => detail.replace(/:$/, ""))).toEqual([`repeating after ${error}`]);
});
