/** Controls of the rules for CONNECT and upgrades, with an application that reads what follows as the next request. */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, createServer } from "node:net";
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
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const SWITCHING = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";

/** Starts an application at the address of a Service, which upgrades a connection if it is asked to. @returns what it received */
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
      socket.write(/^upgrade: h2c\r$/im.test(text) ? SWITCHING : OK);
    });
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void server.close());
  await once(server.listen(PORT, spec?.clusterIP), "listening");
  return () => received;
}

/** Opens a tunnel over HTTP/2 without TLS, and sends a request in it. @returns the status */
async function sendConnect(): Promise<number> {
  const session = connectHttp2(`http://127.0.0.1:${inject("domains").httpPort}`);
  try {
    const stream = session.request({ ":method": "CONNECT", ":authority": HOST }, { endStream: false });
    stream.write(SMUGGLED);
    const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
    return Number(answer[":status"]);
  } finally {
    session.destroy();
  }
}

/** Asks for an upgrade to HTTP/2 without `HTTP2-Settings`, and sends a request on the upgraded connection. @returns the status */
async function sendUpgrade(): Promise<number> {
  const socket = connect(inject("domains").httpPort, "127.0.0.1");
  try {
    socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: H2C\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(String(answer))?.[1]);
    if (status === 101) socket.write(SMUGGLED);
    return status;
  } finally {
    socket.end();
  }
}

test.each([
  { name: "CONNECT", attack: sendConnect, opened: 200 },
  { name: "an upgrade to HTTP/2", attack: sendUpgrade, opened: 101 },
])("$name does not reach an application, which would read a request with any X-idp-*", async ({ attack, opened }) => {
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
      expect(await attack()).toBe(isDefended ? 404 : opened);
      if (!isDefended) await expect.poll(received, { timeout: 240_000, interval: 100 }).toContain(SMUGGLED);
      expect(received().split(SMUGGLED)).toHaveLength(2);
    });
    await untilUnmarked(url, mark);
  }
});
