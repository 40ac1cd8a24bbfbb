import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Hono } from "hono";
import jwt from "jsonwebtoken";
import { cookieOptionsOf } from "../../authentik/outpost/application.ts";
import type { Send } from "../../authentik/outpost/backChannel.ts";
import type { Configuration } from "../../authentik/outpost/configuration.ts";
import { DatabaseStore } from "../../authentik/outpost/databaseStore.ts";
import { FileStore } from "../../authentik/outpost/fileStore.ts";
import { ProxyServer } from "../../authentik/outpost/proxyServer.ts";
import { Store } from "../../authentik/store.ts";

/** The application at `http://<name>.localhost`, with its defaults. */
export function application(name: string, fields: Partial<Configuration> = {}): Configuration {
  const base = "http://localhost/application/o";
  return {
    pk: 1,
    name,
    external_host: `http://${name}.localhost`,
    mode: "forward_single",
    client_id: `id-${name}`,
    client_secret: `secret-${name}`,
    cookie_secret: `cookies-${name}`,
    cookie_domain: "",
    skip_path_regex: "",
    intercept_header_auth: true,
    basic_auth_enabled: false,
    access_token_validity: 600,
    basic_auth_user_attribute: "",
    basic_auth_password_attribute: "",
    scopes_to_request: ["openid"],
    assigned_application_slug: name,
    assigned_application_name: name,
    oidc_configuration: {
      issuer: `${base}/${name}/`,
      authorization_endpoint: `${base}/authorize/`,
      token_endpoint: `${base}/token/`,
      end_session_endpoint: `${base}/${name}/end-session/`,
      introspection_endpoint: `${base}/introspect/`,
      jwks_uri: `${base}/${name}/jwks/`,
    },
    ...fields,
  };
}

export type Outpost = ReturnType<typeof standalone>;
const origin = "http://authentik.localhost";

const folders: string[] = [];

/** Removes the folders of all standalone outposts; for `afterAll`. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** A standalone outpost with these applications, and its folder of sessions. Every code is one of bob's. */
export function standalone(...applications: Configuration[]) {
  const folder = mkdtempSync(path.join(tmpdir(), "gatehouse-outpost-"));
  folders.push(folder);
  const store: FileStore = new FileStore(folder, () => proxy.secrets());
  const proxy: ProxyServer = new ProxyServer((configuration) => {
    store.configure(configuration.cookie_secret, cookieOptionsOf(configuration));
    return store;
  }, grant);
  const environment = { outpostName: "standalone", embedded: false, authentikHost: origin, browserHost: origin };
  const refresh = (...all: Configuration[]) => proxy.refresh(all, environment);
  refresh(...applications);
  const app = new Hono().all("*", (c) => proxy.serve(c));
  return { proxy, folder, refresh, ask: asking(app) };
}

/** An embedded outpost with these applications. */
export function embedded(applications: Configuration[], authentikHost = origin) {
  const store = new Store();
  const proxy = new ProxyServer((configuration) => new DatabaseStore(store, cookieOptionsOf(configuration)), grant);
  const environment = { outpostName: "embedded", embedded: true, authentikHost, browserHost: "" };
  proxy.refresh(applications, environment);
  const app = new Hono().all("*", async (c) => (await proxy.serveEmbedded(c)) ?? c.text("core", 404));
  return { proxy, store, ask: asking(app) };
}

/** What authentik answers to every code: a token for bob. */
const grant: Send = (_, tokenOrigin, { client_id = "", code = "" }) => {
  const name = client_id.replace(/^id-/, "");
  const issuer = `${tokenOrigin}/application/o/${name}/`;
  const payload = { sub: "bob", sid: code, preferred_username: "bob", groups: ["staff"] };
  const token = jwt.sign(payload, `secret-${name}`, { issuer, audience: client_id, expiresIn: 300 });
  return Promise.resolve(code === "" ? undefined : { access_token: token });
};

/** A browser's requests through Traefik, or to the outpost itself where the path is the outpost's. */
const asking =
  (app: Hono) =>
  async (address: string, cookie = "", headers: Record<string, string> = {}) => {
    const { protocol, host, pathname, search } = new URL(address);
    const direct = pathname.startsWith("/outpost.goauthentik.io/");
    const forwarded = { "x-forwarded-proto": protocol.slice(0, -1), "x-forwarded-uri": pathname + search };
    const target = direct ? pathname + search : "/outpost.goauthentik.io/auth/traefik";
    const sent = { ...(direct ? {} : forwarded), "x-forwarded-host": host, ...(cookie ? { cookie } : {}), ...headers };
    const answer = await app.request(target, { headers: sent });
    const location = answer.headers.get("location");
    return {
      status: answer.status,
      body: await answer.text(),
      location,
      query: new URL(location ?? "http://none").searchParams,
      cookies: answer.headers.getSetCookie(),
      username: answer.headers.get("x-authentik-username"),
      headers: answer.headers,
    };
  };
export type Ask = ReturnType<typeof asking>;

/** The address at which authentik ends a login: with its state and a code, which here is the session's id with authentik. */
export function callback(address: string, state: string | null, code = "session-of-bob"): string {
  const query = new URLSearchParams({ "X-authentik-auth-callback": "true", code, state: state ?? "" });
  return `${new URL(address).origin}/?${query.toString()}`;
}

/** Signs bob in and gives his cookie as the browser sends it. */
export async function signIn(ask: Ask, address: string, code?: string): Promise<string> {
  const start = await ask(address);
  const cookie = sent(start.cookies);
  const end = await ask(callback(address, start.query.get("state"), code), cookie);
  if (end.status !== 302) throw new Error(`the callback answers ${end.status}`);
  return sent(end.cookies);
}

/** What a browser sends after these Set-Cookie lines. */
export function sent(lines: string[]): string {
  const kept = new Map<string, string>();
  for (const line of lines) {
    const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
    if (line.includes("Max-Age=0")) kept.delete(name);
    else kept.set(name, value);
  }
  return [...kept].map(([name, value]) => `${name}=${value}`).join("; ");
}

export const nameOf = (cookie: string) => cookie.split("=")[0] ?? "";
export const valueOf = (cookie: string) => cookie.split("=")[1] ?? "";
