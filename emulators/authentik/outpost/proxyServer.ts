import type { Context } from "hono";
import { log } from "../log.ts";
import { OUTPOST_PATH } from "./address.ts";
import { OutpostApplication } from "./application.ts";
import type { Send } from "./backChannel.ts";
import type { Claims } from "./claims.ts";
import type { Configuration, Environment } from "./configuration.ts";
import type { SessionStore } from "./session.ts";

/** Creates the session store of a provider that is new to the outpost. */
type StoreOf = (configuration: Configuration) => SessionStore;

/** The providers of one outpost by their host, as of the last refresh. */
export class ProxyServer {
  readonly #storeOf: StoreOf;
  readonly #send: Send;
  #applications = new Map<string, OutpostApplication>();

  constructor(storeOf: StoreOf, send: Send) {
    this.#storeOf = storeOf;
    this.#send = send;
  }

  /** Replaces the providers. A host that was served before keeps its session store, even if the configuration of its provider has changed. */
  refresh(configurations: Configuration[], environment: Environment): void {
    const applications = new Map<string, OutpostApplication>();
    for (const configuration of configurations) {
      const host = URL.parse(configuration.external_host)?.host;
      if (!host) continue;
      const sessions = this.#applications.get(host)?.sessions ?? this.#storeOf(configuration);
      applications.set(host, new OutpostApplication(configuration, environment, sessions, this.#send));
    }
    this.#applications = applications;
    log("info", "Loaded applications", { outpost: environment.outpostName, hosts: [...applications.keys()] });
  }

  /** Stops serving all hosts but these. */
  keepOnly(hosts: (string | undefined)[]): void {
    this.#applications = new Map([...this.#applications].filter(([host]) => hosts.includes(host)));
  }

  /** The cookie secrets of all providers served. */
  secrets(): string[] {
    return [...this.#applications.values()].map(({ configuration }) => configuration.cookie_secret);
  }

  endSessions(matches: (claims: Claims) => boolean): void {
    // A standalone outpost has one store for all providers, and reads each of its sessions: once, not once for each provider.
    const stores = new Set([...this.#applications.values()].map(({ sessions }) => sessions));
    for (const store of stores) store.logout(matches);
  }

  /** A standalone outpost's answer. With exactly one provider every host is its own. */
  async serve(c: Context): Promise<Response> {
    if (c.req.path.startsWith(`${OUTPOST_PATH}/ping`)) return c.body(null, 204);
    const [only, ...others] = this.#applications.values();
    const application = this.#at(hostOf(c)) ?? (others.length === 0 ? only : undefined);
    return application ? application.serve(c) : noApplication(c, hostOf(c));
  }

  /** An embedded outpost's answer. Undefined = the request is for the core, as are those for hosts without a provider. */
  async serveEmbedded(c: Context): Promise<Response | undefined> {
    if (c.req.path.startsWith(`${OUTPOST_PATH}/ping`)) return c.body(null, 204);
    const application = this.#at(hostOf(c));
    return application?.handles(c) ? application.serve(c) : undefined;
  }

  /** The provider whose address is this host, port included; else the one with the longest matching cookie domain. */
  #at(host: string): OutpostApplication | undefined {
    const own = this.#applications.get(host);
    if (own) return own;
    const domain = ({ configuration }: OutpostApplication) => configuration.cookie_domain.replace(/^\./, "");
    return [...this.#applications.values()]
      .filter((application) => application.configuration.mode === "forward_domain")
      .filter((application) => domain(application) !== "" && host.endsWith(domain(application)))
      .sort((a, b) => domain(b).length - domain(a).length)[0];
  }
}

function hostOf(c: Context): string {
  return c.req.header("x-forwarded-host") || (c.req.header("host") ?? "");
}

function noApplication(c: Context, host: string): Response {
  const detail = `Check the outpost settings and make sure '${host}' is included.`;
  const body = JSON.stringify({ Message: "no app for hostname", Host: host, Detail: detail }, null, "\t");
  return c.body(`${body}\n`, 400, { "content-type": "application/json" });
}
