/**
 * Emulates traefik/whoami: responds with the request that it received. `--port N` (default 8080), `--host ADDRESS`.
 * Header lines are given as they came: their names as spelled, and each of a repeated one. A websocket at /echo gives back each message.
 * /data sends `size` bytes; a POST to /health sets the status of each later response there.
 */
import { createServer, type IncomingMessage } from "node:http";
import { hostname } from "node:os";
import { unescape } from "node:querystring";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { WebSocketServer } from "ws";

const { values } = parseArgs({
  options: { port: { type: "string", default: "8080" }, host: { type: "string", default: "127.0.0.1" } },
});

const UNITS: Readonly<Record<string, number>> = { kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40 };
let health = 200;

const server = createServer(
  { shouldUpgradeCallback: (request) => pathOf(request) === "/echo" },
  (request, response) => {
    const path = pathOf(request);
    if (path === "/health" && request.method === "POST") {
      void text(request).then((status) => {
        const isStatus = /^[1-9]\d\d$/.test(status);
        if (isStatus) health = Number(status);
        response.writeHead(isStatus ? 200 : 400).end();
      });
      return;
    }
    request.resume();
    if (path === "/health") {
      response.writeHead(health).end();
    } else if (path === "/data") {
      Readable.from(dataOf(request)).pipe(response);
    } else if (path === "/api") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(asJson(request)));
    } else {
      response.setHeader("content-type", "text/plain; charset=utf-8");
      // Node.js reads header values as Latin-1; the original writes their bytes unchanged.
      response.end(Buffer.from(asText(request), "latin1"));
    }
  },
);
const sockets = new WebSocketServer({ server }).on("connection", (socket) => {
  socket.on("message", (message, binary) => socket.send(message, { binary }));
  socket.on("error", () => socket.terminate());
});
server.listen(Number(values.port), values.host);
process.once("SIGTERM", () => {
  server.close(); // what is under way is still answered
  sockets.clients.forEach((socket) => socket.terminate());
});

function urlOf(request: IncomingMessage): URL {
  return new URL(request.url ?? "/", "http://localhost");
}

/** As Go's servers compare it: decoded, also where that is no UTF-8. */
function pathOf(request: IncomingMessage): string {
  return unescape(urlOf(request).pathname);
}

function* dataOf(request: IncomingMessage): Generator<Buffer> {
  const { searchParams } = urlOf(request);
  const unit = UNITS[searchParams.get("unit")?.toLowerCase() ?? ""] ?? 1;
  for (let left = Number(searchParams.get("size") ?? 1) * unit; left > 0; left -= 2 ** 16) {
    yield Buffer.alloc(Math.min(left, 2 ** 16), "-");
  }
}

function asText(request: IncomingMessage): string {
  const lines = [
    `Hostname: ${hostname()}`,
    `IP: ${values.host}`,
    `RemoteAddr: ${request.socket.remoteAddress}:${request.socket.remotePort}`,
    `${request.method} ${request.url} HTTP/${request.httpVersion}`,
    `Host: ${request.headers.host ?? ""}`,
    ...headerLines(request).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\n")}\n`;
}

function asJson(request: IncomingMessage): object {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of headerLines(request))
    (headers[name] ??= []).push(Buffer.from(value, "latin1").toString());
  const { method, url } = request;
  const remoteAddr = `${request.socket.remoteAddress}:${request.socket.remotePort}`;
  return { hostname: hostname(), ip: [values.host], headers, url, host: request.headers.host, method, remoteAddr };
}

/** All but Host, which Go's servers, and so the real one, give apart. */
function headerLines({ rawHeaders }: IncomingMessage): [string, string][] {
  const lines: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push([rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""]);
  return lines.filter(([name]) => name.toLowerCase() !== "host");
}
