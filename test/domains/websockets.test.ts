/** WebSockets through all middlewares: authentication, and messages in both directions. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, inject, test } from "vitest";
import { WebSocket } from "ws";
import type { Exposure } from "../../infra/plan/types.ts";
import { passwordLine, sessionAt } from "./credentials.ts";
import type { Line } from "./rawRequests.ts";
import { exposureOf } from "./fixtures.ts";

const KINDS = ["localhost", "mesh", "external", "partner"];

/** Opens a WebSocket at the gateway under an exposure's host. @returns the response to each message, or the status of a rejected handshake */
async function exchangeMessages(exposure: Exposure, messages: readonly string[], lines: readonly Line[] = []) {
  const { host, protocol } = new URL(exposure.url);
  // A proxy that terminates TLS before the gateway connects over HTTP.
  const secure = protocol === "https:" && exposure.tls?.termination !== "upstream";
  const { httpPort, httpsPort } = inject("domains");
  const socket = new WebSocket(`${secure ? "wss" : "ws"}://127.0.0.1:${secure ? httpsPort : httpPort}/echo`, {
    headers: { Host: host, ...Object.fromEntries(lines) },
    rejectUnauthorized: false,
    handshakeTimeout: 120_000,
  });
  const refused = new Promise<number>((resolve) =>
    socket.once("unexpected-response", (request, response: IncomingMessage) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    }),
  );
  const opened = once(socket, "open").then(() => undefined);
  const status = await Promise.race([opened, refused]);
  if (status !== undefined) return status;
  const answers: string[] = [];
  for (const message of messages) {
    const answered = once(socket, "message");
    socket.send(message);
    answers.push(String((await answered)[0]));
  }
  socket.close();
  await once(socket, "close");
  return answers;
}

const MESSAGES = ["hello", "æøå 漢字", "x".repeat(100_000), ""];

describe.each(KINDS)("a WebSocket on %s", (kind) => {
  test.each(["forward", "gated"])("requires a session of the service %s", async (service) => {
    const exposure = exposureOf(service, kind);
    const other = exposureOf("whoami-forward", "localhost");
    expect(await exchangeMessages(exposure, MESSAGES, [await sessionAt(exposure.url)])).toEqual(MESSAGES);
    expect(await exchangeMessages(exposure, MESSAGES)).toBe(401);
    expect(await exchangeMessages(exposure, MESSAGES, [await sessionAt(other.url)])).toBe(401);
    expect(await exchangeMessages(exposure, MESSAGES, [["Authorization", "Bearer invalid"]])).toBe(401);
  });

  test("requires the password of a basic service", async () => {
    const exposure = exposureOf("legacy", kind);
    expect(await exchangeMessages(exposure, MESSAGES, [passwordLine()])).toEqual(MESSAGES);
    expect(await exchangeMessages(exposure, MESSAGES)).toBe(401);
    expect(await exchangeMessages(exposure, MESSAGES, [passwordLine("ops:wrong")])).toBe(401);
  });
});

test("returns 404 for a WebSocket of the public test host, since the echo service reads messages of any size", async () => {
  expect(await exchangeMessages(exposureOf("whoami-public", "localhost"), MESSAGES)).toBe(404);
});
