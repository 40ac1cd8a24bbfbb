import type { Context } from "hono";
import { EMBEDDED_OUTPOST } from "../objects.ts";
import type { Random } from "../random.ts";
import type { Store } from "../store.ts";
import { cookieOptionsOf } from "./application.ts";
import { sendHttp } from "./backChannel.ts";
import { configurationsOf } from "./providerConfigurations.ts";
import { DatabaseStore } from "./databaseStore.ts";
import type { EventHub } from "./eventHub.ts";
import { INSTRUCTIONS } from "./messages.ts";
import { ProxyServer } from "./proxyServer.ts";

/** The outpost inside of the server: it reads the objects of the server, but receives changes like any other outpost. */
export class EmbeddedOutpost {
  readonly #store: Store;
  readonly #events: EventHub;
  readonly #random: Random;
  readonly #proxy: ProxyServer;
  #stop: (() => void) | undefined;

  /** @param self returns the address of this process */
  constructor(store: Store, events: EventHub, random: Random, self: () => string) {
    this.#store = store;
    this.#events = events;
    this.#random = random;
    const storeOf = (configuration: Parameters<typeof cookieOptionsOf>[0]) =>
      new DatabaseStore(store, cookieOptionsOf(configuration));
    this.#proxy = new ProxyServer(storeOf, sendHttp(self));
  }

  /** Starts serving, once authentik has its outpost; later calls do nothing. */
  start(): void {
    const outpost = this.#store.find("outpost", { managed: EMBEDDED_OUTPOST });
    if (this.#stop || !outpost) return;
    this.refresh();
    this.#stop = this.#events.listen(outpost.pk, ({ instruction, args }) => {
      if (instruction === INSTRUCTIONS.sessionEnd) this.#proxy.endSessions(({ sid }) => sid === args.session_id);
      if (instruction === INSTRUCTIONS.triggerUpdate) void this.#update();
    });
  }

  /** Undefined = the request is not for the outpost. */
  async serve(c: Context): Promise<Response | undefined> {
    return this.#stop ? this.#proxy.serveEmbedded(c) : undefined;
  }

  refresh(): void {
    const outpost = this.#store.find("outpost", { managed: EMBEDDED_OUTPOST });
    if (!outpost) return;
    const authentikHost = (outpost.config["authentik_host"] as string | undefined) ?? "";
    const environment = { outpostName: outpost.name, embedded: true, authentikHost, browserHost: "" };
    // The embedded outpost reads the API over a socket, so that its addresses name localhost.
    this.#proxy.refresh(configurationsOf(this.#store, "http://localhost", outpost), environment);
  }

  /** Measured on authentik 2026.5: a removed provider stops after 0.3 s, a new one is served after up to 2 s. */
  async #update(): Promise<void> {
    const outpost = this.#store.find("outpost", { managed: EMBEDDED_OUTPOST });
    const known = outpost ? configurationsOf(this.#store, "http://localhost", outpost) : [];
    this.#proxy.keepOnly(known.map(({ external_host }) => URL.parse(external_host)?.host));
    await this.#random.wait(200, 1500);
    this.refresh();
  }
}
