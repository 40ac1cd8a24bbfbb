/** Requests that HTTP libraries refuse to send: header lines as given, any target, any bytes. */
import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { decodeJwt } from "jose";
import { type HttpResponse, headerOf } from "../../ops/clients/http.ts";
import { receivedPath } from "../../ops/checks/verify/echo.ts";
import { note } from "../helpers/exchanges.ts";

export type Line = readonly [name: string, value: string];

export interface RawRequest {
  readonly method?: string;
  /** The request target as written. Default: path and query of the URL. */
  readonly target?: string;
  /** The first `Host` line, unless it is empty. Default: the URL's host. */
  readonly host?: string;
  readonly lines?: readonly Line[];
  readonly body?: string;
}

/** Sends one request to loopback at the URL's port, with header lines in any case, repeated and in order. */
export async function sendRaw(url: string, { method = "GET", ...raw }: RawRequest = {}): Promise<HttpResponse> {
  const { protocol, hostname, port, pathname, search, host: own } = new URL(url);
  const { target = pathname + search, host = own, lines = [], body } = raw;
  const secure = protocol === "https:";
  const headers = [...(host === "" ? [] : [["Host", host]]), ...lines, ["Connection", "close"]].flat();
  const address = { host: "127.0.0.1", port: port || (secure ? 443 : 80), setHost: false };
  const options = { ...address, method, path: target, headers, servername: hostname, rejectUnauthorized: false };
  const outgoing = secure ? httpsRequest(options) : httpRequest(options);
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const received = { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() };
  note(`${method} ${url}`, received);
  return { url, ...received };
}

/** Writes bytes to loopback at the URL's port. @returns all bytes until the gateway closed the connection @throws if it does not */
export async function transmit(url: string, bytes: string): Promise<string> {
  const { protocol, hostname: servername, port } = new URL(url);
  const secure = protocol === "https:";
  const address = { host: "127.0.0.1", port: Number(port) || (secure ? 443 : 80) };
  const socket = secure ? connectTls({ ...address, servername, rejectUnauthorized: false }) : connect(address);
  socket.setTimeout(120_000, () => socket.destroy(new Error("the gateway kept the connection open")));
  socket.write(bytes, "latin1");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}

/** Returns the statuses of the responses in the bytes of `transmit`, in order. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status));
}

/** Describes a response: `200 shows /x`, `login for http://forward.localhost/x`, `302 to ...`, or the status only. */
export function outcome(response: HttpResponse): string {
  const { status, body, url } = response;
  if (body.includes("Hostname:")) return `${status} shows ${receivedPath(body)}`;
  const location = headerOf(response, "location");
  if (location === undefined) return String(status);
  const { searchParams } = new URL(location, url);
  const [state, callback] = [searchParams.get("state"), searchParams.get("redirect_uri")];
  if (state === null || callback === null) return `${status} to ${location}`;
  // A login that was started without a target ends at the root.
  const back = new URL(String(decodeJwt(state)["redirect"]) || "/", callback).href;
  return new URL(callback).origin === new URL(back).origin ? `login for ${back}` : `login for ${back} at ${callback}`;
}
