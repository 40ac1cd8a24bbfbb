import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Context } from "hono";
import jwt from "jsonwebtoken";
import { seconds } from "./duration.ts";
import { identityHeaders } from "./identity-headers.ts";
import { log } from "./log.ts";
import type { OutpostSession, Provider } from "./objects.ts";
import { keep, OutpostSessions, readCookie } from "./outpost-sessions.ts";
import { outpostOf, servedAt } from "./served.ts";
import type { Served } from "./served.ts";
import type { Store } from "./store.ts";

const prefix = "/outpost.goauthentik.io";
const callbackMark = "X-authentik-auth-callback";

/** `/outpost.goauthentik.io/`: the embedded proxy outpost, and those whose processes forward to here. */
export function proxyOutposts(store: Store, self: () => string): Hono {
  const app = new Hono();
  const sessions = new OutpostSessions(store, self);
  const at = (path: string, answer: (c: Context, served: Served) => Response | Promise<Response>) =>
    app.all(path, (c) => {
      const host = c.req.header("x-forwarded-host") ?? c.req.header("host") ?? "";
      const served = servedAt(store, c, host);
      return served ? answer(c, served) : noProvider(c, host);
    });
  app.get("/ping", (c) => c.body(null, outpostOf(store, c) ? 204 : 403));
  at("/auth/traefik", (c, served) => traefikAuth(sessions, c, served));
  at("/auth/nginx", (c, served) => nginxAuth(sessions, c, served));
  at("/start", (c, served) => startLogin(c, served, redirectTarget(c, served.provider)));
  at("/callback", (c, served) => finishLogin(sessions, c, served, new URL(c.req.url).searchParams));
  at("/sign_out", (c, served) => signOut(sessions, c, served));
  return app;
}

async function traefikAuth(sessions: OutpostSessions, c: Context, served: Served): Promise<Response> {
  const [proto, host, uri] = ["proto", "host", "uri"].map((name) => c.req.header(`x-forwarded-${name}`));
  const url = proto && host && uri ? readUrl(`${proto}://${host}${uri}`) : undefined;
  if (!url) return misconfigured(c, served, "X-Forwarded-Proto, -Host and -Uri are needed");
  if (url.query.get(callbackMark) === "true") return finishLogin(sessions, c, served, url.query);
  if (url.query.get("X-authentik-logout") === "true") return signOut(sessions, c, served);
  const session = await sessions.authenticate(c, served);
  if (session) return identified(c, served, session);
  return isAllowListed(served.provider, url.path) ? c.body(null, 200) : startLogin(c, served, url.text);
}

/** For clients that cannot follow a redirect: 401 where Traefik's endpoint redirects. */
async function nginxAuth(sessions: OutpostSessions, c: Context, served: Served): Promise<Response> {
  const uri = c.req.header("x-original-uri");
  // Go takes the whole of X-Original-URI as a path, query included.
  const path = uri ? uri : readUrl(c.req.header("x-original-url") ?? "")?.path;
  if (path === undefined) return misconfigured(c, served, "X-Original-URI or X-Original-URL is needed");
  const session = await sessions.authenticate(c, served);
  if (session) return identified(c, served, session);
  if (isAllowListed(served.provider, path)) return c.body(null, 200);
  anonymous(c, served.provider);
  // A trap: nginx asks about the outpost's own pages too, so whoever chooses this header chooses the answer.
  return path.startsWith(prefix) ? c.body(null, 200) : c.text("unauthorized request\n", 401);
}

function startLogin(c: Context, { provider, scope, authentikHost }: Served, redirect: string): Response {
  const sid = anonymous(c, provider);
  const state = jwt.sign({ iss: stateIssuer(provider), sid, state: randomUUID(), redirect }, provider.cookie_secret);
  const { client_id } = provider;
  const query = { client_id, redirect_uri: callbackUrl(provider), response_type: "code", scope, state };
  return c.redirect(`${authentikHost}/application/o/authorize/?${new URLSearchParams(query).toString()}`, 302);
}

async function finishLogin(
  sessions: OutpostSessions,
  c: Context,
  served: Served,
  query: URLSearchParams,
): Promise<Response> {
  const { provider } = served;
  const state = readState(provider, query.get("state"));
  if (!state || state.sid !== readCookie(c, provider)) return c.redirect(provider.external_host, 302);
  const grant = {
    grant_type: "authorization_code",
    code: query.get("code") ?? "",
    redirect_uri: callbackUrl(provider),
  };
  const idToken = await sessions.exchange(served, grant);
  if (!idToken) return startLogin(c, served, state.redirect);
  const { exp } = sessions.begin(served, state.sid, idToken);
  keep(c, provider, state.sid, Math.max(1, Math.floor(exp - Date.now() / 1000)));
  return c.redirect(state.redirect, 302);
}

/** Ends every outpost session of the user, then sends the browser to end the session with authentik. */
function signOut(sessions: OutpostSessions, c: Context, served: Served): Response {
  const { provider, application, authentikHost } = served;
  const session = sessions.current(c, served);
  if (!session) return c.redirect(`${provider.external_host.replace(/\/$/, "")}${prefix}/start`, 302);
  sessions.end(c, provider, session);
  const query = new URLSearchParams({ id_token_hint: session.idToken });
  return c.redirect(`${authentikHost}/application/o/${application.slug}/end-session/?${query.toString()}`, 302);
}

function identified(c: Context, served: Served, session: OutpostSession): Response {
  for (const [name, value] of Object.entries(identityHeaders(served, session))) {
    // As Go does: UTF-8 on the wire, and no line breaks.
    c.header(name, Buffer.from(value.replace(/[\r\n]+/g, " ")).toString("latin1"));
  }
  return c.body(null, 200);
}

function noProvider(c: Context, host: string): Response {
  const detail = `Check the outpost settings and make sure '${host}' is included.`;
  const body = JSON.stringify({ Message: "no app for hostname", Host: host, Detail: detail }, null, "\t");
  return c.body(`${body}\n`, 400, { "content-type": "application/json" });
}

function misconfigured(c: Context, { provider }: Served, fault: string): Response {
  log("error", `configuration error: ${fault}`, { provider: provider.name });
  return c.text("configuration error", 500);
}

/** Reads an address as Go does: the path is decoded, and dots in it stay. Undefined = Go refuses it. */
function readUrl(text: string): { text: string; path: string; query: URLSearchParams } | undefined {
  const [, path = "", query] = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(text) ?? [];
  try {
    return text === "" ? undefined : { text, path: decodeURIComponent(path), query: new URLSearchParams(query) };
  } catch {
    return undefined;
  }
}

function isAllowListed({ skip_path_regex }: Provider, path: string): boolean {
  const patterns = skip_path_regex.split("\n").map((line) => line.trim());
  return patterns.some((pattern) => pattern !== "" && new RegExp(pattern).test(path));
}

function redirectTarget(c: Context, { external_host }: Provider): string {
  const target = URL.parse(c.req.query("rd") ?? "", external_host);
  return target?.host === new URL(external_host).host ? target.href : external_host;
}

function readState(provider: Provider, state: string | null): { sid: string; redirect: string } | undefined {
  try {
    const options = { algorithms: ["HS256" as const], issuer: stateIssuer(provider) };
    return jwt.verify(state ?? "", provider.cookie_secret, options) as { sid: string; redirect: string };
  } catch {
    return undefined;
  }
}

/** Keeps a cookie for who is not signed in yet, and gives its id. */
function anonymous(c: Context, provider: Provider): string {
  const sid = readCookie(c, provider) ?? randomUUID();
  keep(c, provider, sid, seconds(provider.access_token_validity) + 1);
  return sid;
}

const stateIssuer = ({ client_id }: Provider) => `goauthentik.io/outpost/${client_id}`;
const callbackUrl = ({ external_host }: Provider) =>
  `${external_host.replace(/\/$/, "")}${prefix}/callback?${callbackMark}=true`;
