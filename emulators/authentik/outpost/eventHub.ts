import { STATUS_CODES } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Outpost } from "../objects.ts";
import { bearerOf, tokenOwner } from "../users.ts";
import { mayView } from "../permissions.ts";
import type { Store } from "../store.ts";
import { INSTRUCTIONS } from "./messages.ts";
import type { Message } from "./messages.ts";

type Listener = (message: Message) => void;

/** The websocket of outposts, `/ws/outpost/<uuid>/`: the only channel on which authentik sends changes and ended sessions. */
export class EventHub {
  readonly #store: Store;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Accepts the websockets of outposts on a server. A server that is not ready (`isReady`) responds with 503. */
  attach(server: Server, isReady: () => boolean): void {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const outpost = isReady() ? this.#outpostOf(request) : undefined;
      if (!outpost) return refuse(socket, isReady() ? 403 : 503);
      this.#sockets.handleUpgrade(request, socket, head, (connection) => {
        const stop = this.listen(outpost.pk, (message) => connection.send(JSON.stringify(message)));
        connection.on("message", () =>
          connection.send(JSON.stringify({ instruction: INSTRUCTIONS.acknowledge, args: {} })),
        );
        connection.on("error", () => connection.terminate());
        connection.on("close", stop);
      });
    });
  }

  /** Calls the listener with every message for an outpost; returns the function that removes it. */
  listen(outpost: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(outpost) ?? new Set();
    this.#listeners.set(outpost, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  send(outpost: string, message: Message): void {
    for (const listener of this.#listeners.get(outpost) ?? []) listener(message);
  }

  close(): void {
    for (const connection of this.#sockets.clients) connection.terminate();
  }

  #outpostOf(request: IncomingMessage): Outpost | undefined {
    const [, pk] = /^\/ws\/outpost\/([^/?]+)\//.exec(request.url ?? "") ?? [];
    const user = tokenOwner(this.#store, bearerOf(request.headers.authorization), "api");
    const outpost = this.#store.get("outpost", pk);
    return outpost && user && mayView(this.#store, user, "outpost", outpost) ? outpost : undefined;
  }
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
