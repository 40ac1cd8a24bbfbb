/** What a standalone outpost requests from authentik when it starts. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { ApiController, reconnectAfter } from "../../authentik/outpost/apiController.ts";
import { Random } from "../../authentik/random.ts";

test("an outpost is connected before it reads its providers, so that it misses no change", async () => {
  const sockets = new WebSocketServer({ noServer: true });
  const connections: number[] = [];
  const answer = ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
    if (url.includes("/outposts/proxy/")) connections.push(sockets.clients.size);
    const results = url.includes("/outposts/instances/") ? [{ pk: "one", refresh_interval_s: 300 }] : [];
    response.setHeader("content-type", "application/json").end(JSON.stringify({ pagination: { next: 0 }, results }));
  };
  const server = createServer(answer).on("upgrade", (request, socket, head) => {
    // Longer than a response takes.
    void pause(200).then(() => sockets.handleUpgrade(request, socket, head, () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const handlers = { refresh: () => undefined, endSession: () => undefined };
  const controller = new ApiController(host, "token", handlers, new Random(1));
  onTestFinished(() => {
    controller.stop();
    sockets.close();
    server.close();
  });
  await controller.start();
  expect(connections).toEqual([1]);
});

test("an outpost waits twice as long after each failed attempt to connect, at most five minutes", () => {
  expect([0, 1, 2, 3, 8, 9, 2000].map(reconnectAfter)).toEqual([1_000, 2_000, 4_000, 8_000, 256_000, 300_000, 300_000]);
});
