/** A control of the rules for CONNECT, with an application that reads the body of one as the next request. */
import { once } from "node:events";
import { connect } from "node:http2";
import { createServer } from "node:net";
import { CoreV1Api } from "@kubernetes/client-node";
import { randomUUID } from "node:crypto";
import { expect, inject, onTestFinished, test } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { hostIs, requestsFor } from "../../infra/plan/matchers.ts";
import { markOf, untilUnmarked, withObjects } from "./cluster.ts";
import { sendRaw } from "./rawRequests.ts";

const HOST = "tunnel.localhost";
const PORT = 8080;
const SMUGGLED = `GET /admin HTTP/1.1\r\nHost: ${HOST}\r\nX-idp-username: mallory\r\n\r\n`;

/** Starts an application at the address of a Service. @returns what it received */
async function application(name: string): Promise<() => string> {
  const cluster = RetryingKubeConfig.fromFile(inject("domains").kubeconfig).makeApiClient(CoreV1Api);
  const namespace = "default";
  const body = { metadata: { name }, spec: { ports: [{ port: PORT }] } };
  const { spec } = await cluster.createNamespacedService({ namespace, body });
  onTestFinished(async () => void (await cluster.deleteNamespacedService({ namespace, name })));
  let received = "";
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void server.close());
  await once(server.listen(PORT, spec?.clusterIP), "listening");
  return () => received;
}

/** Opens a tunnel over HTTP/2 without TLS, and sends a request in it. @returns the status */
async function openTunnel(): Promise<number> {
  const session = connect(`http://127.0.0.1:${inject("domains").httpPort}`);
  try {
    const stream = session.request({ ":method": "CONNECT", ":authority": HOST }, { endStream: false });
    stream.write(SMUGGLED);
    const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
    return Number(answer[":status"]);
  } finally {
    session.destroy();
  }
}

test("CONNECT does not reach an application, which would read its body as a request with any X-idp-*", async () => {
  const name = `tunnel-${randomUUID()}`;
  const received = await application(name);
  const url = `http://${HOST}:${inject("domains").httpPort}`;
  for (const match of [hostIs({ host: HOST }), requestsFor({ host: HOST })]) {
    const mark = markOf(randomUUID());
    const middlewares = [{ name: mark.name }, { name: "gatehouse-strip" }];
    const rule = { kind: "Rule", match, middlewares, services: [{ name, port: PORT, nativeLB: true }] };
    const spec = { entryPoints: ["web"], routes: [rule] };
    await withObjects([mark, { kind: "IngressRoute", name: "control", spec }], async () => {
      const marked = async () => (await sendRaw(url)).headers["x-control"];
      await expect.poll(marked, { timeout: 240_000, interval: 100 }).toBe(mark.name);
      const isDefended = match !== hostIs({ host: HOST });
      expect(await openTunnel()).toBe(isDefended ? 404 : 200);
      if (!isDefended) await expect.poll(received, { timeout: 240_000, interval: 100 }).toContain(SMUGGLED);
      expect(received().split(SMUGGLED)).toHaveLength(2);
    });
    await untilUnmarked(url, mark);
  }
});
