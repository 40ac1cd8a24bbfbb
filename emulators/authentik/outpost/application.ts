import { createHash } from "node:crypto";
import type { Context } from "hono";
import { messagePage } from "../pages.ts";
import { forwardedAddress, isOpaque, joined, originalAddress, OUTPOST_PATH, readAddress } from "./address.ts";
import type { Address } from "./address.ts";
import { Authentication } from "./authentication.ts";
import { BackChannel } from "./backChannel.ts";
import type { Send } from "./backChannel.ts";
import { endpointsOf } from "./configuration.ts";
import type { Configuration, Endpoints, Environment } from "./configuration.ts";
import { newId } from "./fileStore.ts";
import { identityHeaders } from "./identityHeaders.ts";
import { Registry } from "./session.ts";
import type { CookieOptions, SessionStore } from "./session.ts";
import { readState, signState } from "./state.ts";
import type { State } from "./state.ts";

const CALLBACK_MARK = "X-authentik-auth-callback";
const LOGOUT_MARK = "X-authentik-logout";

/** One provider of an outpost: the handlers of its host. Every step is that of `internal/outpost/proxyv2/application`. */
export class OutpostApplication {
  readonly configuration: Configuration;
  readonly sessions: SessionStore;
  readonly #endpoints: Endpoints;
  readonly #outpostName: string;
  readonly #backChannel: BackChannel;
  readonly #authentication: Authentication;
  readonly #sessionName: string;
  readonly #openPaths: RegExp[];

  constructor(configuration: Configuration, environment: Environment, sessions: SessionStore, send: Send) {
    const digest = createHash("sha256").update(configuration.client_id).digest("hex");
    this.configuration = configuration;
    this.sessions = sessions;
    this.#endpoints = endpointsOf(configuration, environment);
    this.#outpostName = environment.outpostName;
    this.#backChannel = new BackChannel(configuration, this.#endpoints, send);
    this.#sessionName = `authentik_proxy_${digest.slice(0, 8)}`;
    this.#authentication = new Authentication(sessions, this.#sessionName, this.#backChannel);
    this.#openPaths = openPathsOf(configuration);
  }

  /** Whether the embedded outpost takes a request from the core. */
  handles(c: Context): boolean {
    return (
      c.req.path.startsWith(OUTPOST_PATH) || isTrue(c.req.query(CALLBACK_MARK)) || isTrue(c.req.query(LOGOUT_MARK))
    );
  }

  async serve(c: Context): Promise<Response> {
    const handlers: Record<string, (registry: Registry) => Response | Promise<Response>> = {
      "/auth/traefik": (registry) => this.#traefik(c, registry),
      "/auth/caddy": (registry) => this.#traefik(c, registry),
      "/auth/nginx": (registry) => this.#nginx(c, registry),
      "/start": (registry) => this.#start(c, registry, this.#redirectParameter(c)),
      "/callback": (registry) => this.#callback(c, registry, new URL(c.req.url).searchParams),
      "/sign_out": (registry) => this.#signOut(c, registry),
    };
    // Decoded, `%2F` too: the router compares URL.Path (authentik, application.go: mux.NewRouter without UseEncodedPath).
    const path = decoded(c.req.path);
    const handler = path.startsWith(OUTPOST_PATH) ? handlers[path.slice(OUTPOST_PATH.length)] : undefined;
    if (!handler) return c.text("404 page not found\n", 404);
    const registry = new Registry(c);
    // The access log reads the session first, and what it finds stays for the request.
    this.#authentication.claims(registry);
    if (isTrue(c.req.query(CALLBACK_MARK))) return this.#callback(c, registry, new URL(c.req.url).searchParams);
    if (isTrue(c.req.query(LOGOUT_MARK))) return this.#signOut(c, registry);
    return handler(registry);
  }

  async #traefik(c: Context, registry: Registry): Promise<Response> {
    const address = forwardedAddress((name) => c.req.header(name));
    if (!address) return c.text("configuration error\n", 500);
    if (isTrue(address.query.get(CALLBACK_MARK))) return this.#callback(c, registry, address.query);
    if (isTrue(address.query.get(LOGOUT_MARK))) return this.#signOut(c, registry);
    return (await this.#identified(c, registry, address)) ?? this.#start(c, registry, address.text);
  }

  /** The endpoint for nginx: responds with 401 where the endpoint for Traefik redirects. */
  async #nginx(c: Context, registry: Registry): Promise<Response> {
    const address = originalAddress((name) => c.req.header(name));
    if (!address) return c.text("configuration error\n", 500);
    const answer = await this.#identified(c, registry, address);
    if (answer) return answer;
    this.#remember(c, registry, address.text);
    // nginx sends the outpost's own pages here too, so a client that sets this header decides the response.
    return address.path.startsWith(OUTPOST_PATH) ? c.body(null, 200) : c.text("unauthorized request\n", 401);
  }

  /** Returns the response for a signed-in user or an open path. */
  async #identified(c: Context, registry: Registry, address: Address): Promise<Response | undefined> {
    const claims = await this.#authentication.check(c, registry);
    if (!claims) return this.#isOpen(address) ? c.body(null, 200) : undefined;
    const headers = identityHeaders(this.configuration, this.#endpoints, this.#outpostName, claims);
    for (const [name, value] of Object.entries(headers)) {
      // As Go does: UTF-8 on the wire, and no line breaks.
      c.header(name, Buffer.from(value.replace(/[\r\n]+/g, " ")).toString("latin1"));
    }
    return c.body(null, 200);
  }

  #start(c: Context, registry: Registry, redirect: string): Response {
    const { session, error } = registry.get(this.sessions, this.#sessionName);
    if (error) {
      // The state contains the id of the session that is deleted here, so this login fails (authentik #24624).
      session.options.maxAge = -1;
      this.sessions.save(c, session);
    }
    if (session.id === "") {
      session.id = newId();
      this.sessions.save(c, session);
    }
    const { client_id, scopes_to_request } = this.configuration;
    const scope = scopes_to_request.join(" ");
    const state = signState(this.configuration, { sid: session.id, redirect });
    const query = { client_id, redirect_uri: this.#callbackUrl(), response_type: "code", scope, state };
    return c.redirect(`${this.#endpoints.authorize}?${new URLSearchParams(query).toString()}`, 302);
  }

  async #callback(c: Context, registry: Registry, query: URLSearchParams): Promise<Response> {
    const state = this.#state(c, registry, query);
    if (!state) return c.body(null, 400);
    const claims = await this.#backChannel.redeem(query.get("code") ?? "", this.#callbackUrl());
    if (claims) {
      const { session } = registry.get(this.sessions, this.#sessionName);
      session.options.maxAge = Math.trunc(claims.exp - Date.now() / 1000);
      session.values.claims = claims;
      this.sessions.save(c, session);
    }
    // Also without claims: the application then starts the next login.
    return c.redirect(state.redirect || this.configuration.external_host, 302);
  }

  /** Returns the state of a callback if the session of this browser started it. */
  #state(c: Context, registry: Registry, query: URLSearchParams): State | undefined {
    const state = readState(this.configuration, query.get("state") ?? "");
    if (!state) return undefined;
    const { session, error } = registry.get(this.sessions, this.#sessionName);
    if (error) {
      session.options.maxAge = -1;
      this.sessions.save(c, session);
      return undefined;
    }
    return state.sid === session.id ? state : undefined;
  }

  /** Ends every session of the user in this store, then sends the browser to authentik. The cookie stays. */
  #signOut(c: Context, registry: Registry): Response | Promise<Response> {
    const claims = this.#authentication.claims(registry, c);
    if (!claims) return this.#redirectToStart(c, registry);
    this.sessions.logout(({ sub }) => sub === claims.sub);
    const query = new URLSearchParams({ id_token_hint: claims.raw_token });
    return c.redirect(`${this.#endpoints.endSession}?${query.toString()}`, 302);
  }

  #redirectToStart(c: Context, registry: Registry): Response | Promise<Response> {
    const { external_host, mode, intercept_header_auth } = this.configuration;
    if (c.req.header("authorization") && intercept_header_auth) {
      const message = "Due to 'Receive header authentication' being set, no redirect is performed.";
      return c.html(messagePage("Unauthenticated", message), 401);
    }
    // The request's own host is empty in Go, so a provider of a domain never accepts the path.
    const rd = mode === "forward_domain" ? external_host : joined(external_host, new URL(c.req.url).pathname);
    this.#remember(c, registry, rd);
    const query = new URLSearchParams({ rd });
    return c.redirect(`${joined(external_host, `${OUTPOST_PATH}/start`)}?${query.toString()}`, 302);
  }

  #remember(c: Context, registry: Registry, redirect: string): void {
    const { session } = registry.get(this.sessions, this.#sessionName);
    if (session.values.redirect !== undefined) return;
    session.values.redirect = redirect;
    this.sessions.save(c, session);
  }

  /** The target of `/start?rd=`: this provider's host or domain only; empty = refused or not given. */
  #redirectParameter(c: Context): string {
    const { external_host, mode, cookie_domain } = this.configuration;
    const rd = c.req.query("rd") ?? "";
    if (mode !== "forward_domain" && isOpaque(rd)) return rd.replace(/^[^:]*:/, new URL(external_host).protocol);
    // A browser reads `/\` as `//`, Go as the beginning of a path.
    const target = readAddress(rd) ? URL.parse(rd.replace(/^\/\\/, "/%5C"), external_host) : null;
    if (!target) return "";
    const isOurs =
      mode === "forward_domain" ? target.hostname.endsWith(cookie_domain) : target.host === new URL(external_host).host;
    return isOurs ? target.href : "";
  }

  #isOpen({ path, text }: Address): boolean {
    const tested = this.configuration.mode === "forward_domain" ? text : path;
    return this.#openPaths.some((pattern) => pattern.test(tested));
  }

  #callbackUrl(): string {
    return `${joined(this.configuration.external_host, `${OUTPOST_PATH}/callback`)}?${CALLBACK_MARK}=true`;
  }
}

/** Returns the cookie options of a provider. A cookie lives a second longer than a token. */
export function cookieOptionsOf(configuration: Configuration): CookieOptions {
  const { access_token_validity, external_host, cookie_domain } = configuration;
  const secure = external_host.toLowerCase().startsWith("https:");
  return { maxAge: access_token_validity + 1, secure, domain: cookie_domain };
}

/** One pattern per line. An empty line is an empty pattern, which every path matches; one that Go cannot compile is left out. */
function openPathsOf({ skip_path_regex }: Configuration): RegExp[] {
  if (skip_path_regex === "") return [];
  return skip_path_regex.split("\n").flatMap((line) => {
    try {
      return new RegExp(line);
    } catch {
      return [];
    }
  });
}

const isTrue = (text: string | null | undefined) => text?.toLowerCase() === "true";

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
