import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import { log, retryForever } from "../log.ts";
import type { Fields } from "../objects.ts";
import type { Random } from "../random.ts";
import type { Configuration } from "./configuration.ts";
import { INSTRUCTIONS } from "./messages.ts";
import type { Message } from "./messages.ts";

type OutpostOfApi = {
  pk: string;
  name: string;
  config: Fields;
  refresh_interval_s: number;
  managed: string | null;
};
type Handlers = {
  refresh: (outpost: OutpostOfApi, configurations: Configuration[]) => void;
  endSession: (sessionId: string) => void;
};

const MAX_RECONNECT_AFTER = 300_000;
const HANDSHAKE_TIMEOUT = 10_000;

/** Returns the milliseconds before the next attempt to connect the websocket: 1, 2, 4 … s, at most 5 min (`recentEvents` in internal/outpost/ak/api_event.go). */
export function reconnectAfter(failures: number): number {
  return Math.min(1000 * 2 ** failures, MAX_RECONNECT_AFTER);
}

/** The connection of a standalone outpost to authentik: its configuration, and the changes of it. */
export class ApiController {
  readonly #host: string;
  readonly #token: string;
  readonly #handlers: Handlers;
  readonly #random: Random;
  /** Chosen once, so that replicas do not refresh together; in milliseconds. */
  readonly #reloadOffset: number;
  #work: Promise<void> = Promise.resolve();
  /** Milliseconds. */
  #interval = 0;
  #timer: NodeJS.Timeout | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #connection: WebSocket | undefined;
  /** Attempts to connect since the last connection. */
  #failures = 0;
  #isStopped = false;

  constructor(host: string, token: string, handlers: Handlers, random: Random) {
    this.#host = host;
    this.#token = token;
    this.#handlers = handlers;
    this.#random = random;
    this.#reloadOffset = this.#random.between(200, 2000);
  }

  /** Reads everything once, then follows changes. @throws Error when the token belongs to no outpost */
  async start(): Promise<void> {
    let outpost: OutpostOfApi | undefined;
    await retryForever("Failed to fetch outpost configuration, retrying", async () => {
      outpost = (await this.#list<OutpostOfApi>("/outposts/instances/"))[0];
    });
    if (!outpost)
      throw new Error("No outposts found with given token, ensure the given token corresponds to an authentik Outpost");
    await this.#get("/root/config/");
    // As the real one does (internal/outpost/ak/api.go): otherwise a change between the first read and the connection would be missed.
    await this.#connect(outpost.pk);
    await this.#refresh();
    this.#refreshLater();
  }

  /** Ends the connection and the refreshes. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#reconnect);
    this.#connection?.terminate();
  }

  /** Refreshes after the interval of the last refresh, and so on, without waiting for the queue of messages. */
  #refreshLater(): void {
    const refresh = (): Promise<void> =>
      this.#refresh()
        .catch(logFailure)
        .finally(() => this.#refreshLater());
    if (!this.#isStopped) this.#timer = setTimeout(() => void refresh(), this.#interval);
  }

  async #refresh(): Promise<void> {
    const [outpost] = await this.#list<OutpostOfApi>("/outposts/instances/");
    const configurations = await this.#list<Configuration>("/outposts/proxy/");
    if (!outpost) throw new Error("the outpost does not exist any more");
    this.#interval = Math.max(30, outpost.refresh_interval_s || 300) * 1000;
    this.#handlers.refresh(outpost, configurations);
  }

  /** Follows the websocket; a message that is missed while it is down is not sent again. Resolves after the first attempt to connect. */
  #connect(outpost: string): Promise<void> {
    const url = new URL(`/ws/outpost/${outpost}/?instance_uuid=${randomUUID()}`, this.#host.replace(/^http/, "ws"));
    const headers = { authorization: `Bearer ${this.#token}` };
    const connection = new WebSocket(url, { headers, handshakeTimeout: HANDSHAKE_TIMEOUT });
    this.#connection = connection;
    const hello = () => connection.send(JSON.stringify({ instruction: INSTRUCTIONS.hello, args: { version: "" } }));
    const alive = setInterval(() => connection.readyState === WebSocket.OPEN && hello(), 10_000);
    connection.on("open", () => {
      this.#failures = 0;
      hello();
    });
    connection.on("message", (data: Buffer) => this.#receive(JSON.parse(data.toString()) as Message));
    connection.on("error", (error) => log("warning", "failed to connect websocket", { error: error.message }));
    connection.on("close", () => {
      clearInterval(alive);
      if (!this.#isStopped)
        this.#reconnect = setTimeout(() => void this.#connect(outpost), reconnectAfter(this.#failures++));
    });
    return new Promise((resolve) => void connection.once("open", resolve).once("close", () => resolve()));
  }

  #receive({ instruction, args }: Message): void {
    if (instruction === INSTRUCTIONS.triggerUpdate) {
      this.#enqueue(async () => {
        await this.#random.wait(this.#reloadOffset, this.#reloadOffset);
        await this.#refresh();
      });
    } else if (instruction === INSTRUCTIONS.sessionEnd) {
      this.#enqueue(() => this.#handlers.endSession(args.session_id ?? ""));
    }
  }

  /** One message after the other, as Go's event loop does; a failure ends none of the later ones. */
  #enqueue(task: () => void | Promise<void>): void {
    this.#work = this.#work.then(task).catch(logFailure);
  }

  async #list<T>(path: string): Promise<T[]> {
    const results: T[] = [];
    for (let page = 1; page > 0;) {
      const answer = await this.#get(`${path}?page=${page}&page_size=100`);
      results.push(...(answer["results"] as T[]));
      page = (answer["pagination"] as { next: number }).next;
    }
    return results;
  }

  async #get(path: string): Promise<Fields> {
    const headers = { authorization: `Bearer ${this.#token}`, accept: "application/json" };
    const answer = await fetch(new URL(`/api/v3${path}`, this.#host), { headers });
    if (!answer.ok) throw new Error(`${this.#host} answers ${answer.status} to GET ${path}`);
    return (await answer.json()) as Fields;
  }
}

function logFailure(error: unknown): void {
  log("warning", "failed to update", { error: String(error) });
}
