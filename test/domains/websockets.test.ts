/** Websockets through the whole chain: who may open one, and that messages pass both ways. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, inject, test } from "vitest";
import { WebSocket } from "ws";
import type { Exposure } from "../../infra/plan/types.ts";
import { passwordLine, sessionAt } from "./credentials.ts";
import type { Line } from "./raw-requests.ts";
import { exposureOf } from "./fixtures.ts";

const KINDS = ["localhost", "mesh", "external", "partner"];

/** Opens a websocket at the gateway under an exposure's host. @returns what came back for each message, or the status of a refusal */
async function talk(exposure: Exposure, messages: readonly string[], lines: readonly Line[] = []) {
  const { host, protocol } = new URL(exposure.url);
  // A proxy that ends TLS before the gateway comes over HTTP.
  const secure = protocol === "https:" && exposure.tls?.ends !== "upstream";
  const { httpPort, httpsPort } = inject("domains");
  const socket = new WebSocket(`${secure ? "wss" : "ws"}://127.0.0.1:${secure ? httpsPort : httpPort}/echo`, {
    headers: { Host: host, ...Object.fromEntries(lines) },
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
  });
  const refused = new Promise<number>((resolve) =>
    socket.once("unexpected-response", (request, answer: IncomingMessage) => {
      resolve(answer.statusCode ?? 0);
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

describe.each(KINDS)("a websocket on %s", (kind) => {
  test.each(["forward", "gated"])("of %s answers who has a session, and nobody else", async (service) => {
    const exposure = exposureOf(service, kind);
    const other = exposureOf("whoami-forward", "localhost");
    expect(await talk(exposure, MESSAGES, [await sessionAt(exposure.url)])).toEqual(MESSAGES);
    expect(await talk(exposure, MESSAGES)).toBe(401);
    expect(await talk(exposure, MESSAGES, [await sessionAt(other.url)])).toBe(401);
    expect(await talk(exposure, MESSAGES, [["Authorization", "Bearer nobody"]])).toBe(401);
  });

  test("of a basic service answers who has the password, and nobody else", async () => {
    const exposure = exposureOf("legacy", kind);
    expect(await talk(exposure, MESSAGES, [passwordLine()])).toEqual(MESSAGES);
    expect(await talk(exposure, MESSAGES)).toBe(401);
    expect(await talk(exposure, MESSAGES, [passwordLine("ops:wrong")])).toBe(401);
  });
});

test("a websocket of the open test host answers anyone", async () => {
  expect(await talk(exposureOf("whoami-public", "localhost"), MESSAGES)).toEqual(MESSAGES);
});
