import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import type { Context, Plugin, Values } from "../../plugins/protocol/plugin.ts";
import { decode, encode } from "../../plugins/protocol/values.ts";
import { authentik } from "../../plugins/terraform-provider/plugin.ts";
import traffic from "../authentik/traffic.json" with { type: "json" };

/** A call of the real provider, as it was recorded. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: Values;
  readonly status: number;
  readonly response?: Values | null;
}
type Call = Pick<Recorded, "method" | "path" | "query" | "body">;

export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

export const SEQUENCES = traffic as unknown as { what: string; calls: Recorded[] }[];
export const RECORDED = SEQUENCES.flatMap(({ calls }) => calls);
export const CONTEXT: Context = {
  preview: false,
  urn: "urn:pulumi:s::p::t::x",
  timeout: 0,
  signal: new AbortController().signal,
};

/** A plugin that is configured for a server of the test. */
export interface Scene {
  readonly plugin: Plugin;
  readonly url: string;
  /** The requests, without the one of the configuration. */
  sent: Call[];
  headers: IncomingHttpHeaders;
  answer: (call: Call) => Answer;
  close(): void;
}

export async function openScene(): Promise<Scene> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const [path = "", query] = (request.url ?? "").split("?");
      const method = request.method ?? "";
      const call = { method, path, ...(query && { query }), ...(body && { body: JSON.parse(body) as Values }) };
      if (!path.endsWith("/root/config/")) scene.sent.push(call);
      scene.headers = request.headers;
      const { status, type = "application/json", body: answered } = scene.answer(call);
      response.writeHead(status, { "content-type": type }).end(answered);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const answer = (): Answer => ({ status: 200, body: "{}" });
  const scene: Scene = { plugin: authentik(), url, sent: [], headers: {}, answer, close };
  await scene.plugin.configure({ url, token: "t0ken" });
  return scene;
}

/** Returns the fields of a recorded call that the plugin decides. */
export function bare({ method, path, query, body }: Recorded): Call {
  return { method, path, ...(query && { query }), ...(body && { body }) };
}

/** Returns a state as the engine passes it: without marks of secrets. */
export function opened(state: Values): Values {
  return decode(encode(state)).values;
}
