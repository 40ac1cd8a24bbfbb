import { createHash, randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import jwt from "jsonwebtoken";
import { embeddedOutpost } from "./bootstrap.ts";
import { seconds } from "./claims.ts";
import { identityHeaders } from "./identity-headers.ts";
import type { Served } from "./identity-headers.ts";
import { log } from "./log.ts";
import type { Fields, OutpostSession, Provider } from "./objects.ts";
import type { Store } from "./store.ts";

const prefix = "/outpost.goauthentik.io";
const callbackMark = "X-authentik-auth-callback";

/** The embedded proxy outpost. `self` tells the address at which this process answers, for the exchange of codes. */
export function embeddedProxy(store: Store, self: () => string): Hono {
  const app = new Hono();
  const withProvider = (answer: (c: Context, served: Served) => Response | Promise<Response>) => (c: Context) => {
    const host = c.req.header("x-forwarded-host") ?? c.req.header("host") ?? "";
    const served = providerFor(store, host);
    return served ? answer(c, served) : noProvider(c, host);
  };
  app.get("/ping", (c) => c.body(null, 204));
  app.all(
    "/auth/traefik",
    withProvider((c, served) => forwardAuth(store, self, c, served)),
  );
  app.all(
    "/auth/nginx",
    withProvider((c, served) => nginxAuth(store, c, served)),
  );
  app.get(
    "/start",
    withProvider((c, served) => startLogin(c, served, redirectTarget(c, served.provider))),
  );
  app.get(
    "/callback",
    withProvider((c, served) => finishLogin(store, self, c, served, new URL(c.req.url))),
  );
  app.get(
    "/sign_out",
    withProvider((c, served) => signOut(store, c, served)),
  );
  return app;
}

async function forwardAuth(store: Store, self: () => string, c: Context, served: Served): Promise<Response> {
  const [proto, host, uri] = ["proto", "host", "uri"].map((name) => c.req.header(`x-forwarded-${name}`));
  const url = proto && host && uri ? URL.parse(`${proto}://${host}${uri}`) : null;
  if (!url) {
    log("error", "configuration error: X-Forwarded-Proto, -Host and -Uri are needed", {
      provider: served.provider.name,
    });
    return c.text("configuration error", 500);
  }
  if (url.searchParams.get(callbackMark) === "true") return finishLogin(store, self, c, served, url);
  if (url.searchParams.get("X-authentik-logout") === "true") return signOut(store, c, served);
  const session = currentSession(store, c, served.provider);
  if (session) return identified(c, served, session);
  if (isAllowListed(served.provider, url)) return c.body(null, 200);
  return startLogin(c, served, url.href);
}

function nginxAuth(store: Store, c: Context, served: Served): Response {
  const url = URL.parse(c.req.header("x-original-url") ?? "");
  if (!url) return c.text("configuration error", 500);
  const session = currentSession(store, c, served.provider);
  if (session) return identified(c, served, session);
  return c.body(null, isAllowListed(served.provider, url) ? 200 : 401);
}

function startLogin(c: Context, { provider, scope, authentikHost }: Served, redirect: string): Response {
  const sid = getCookie(c, cookieName(provider)) ?? randomUUID();
  keep(c, provider, sid, seconds(provider.access_token_validity) + 1);
  const state = jwt.sign({ iss: stateIssuer(provider), sid, state: randomUUID(), redirect }, provider.cookie_secret);
  const query = new URLSearchParams({
    client_id: provider.client_id,
    redirect_uri: callbackUrl(provider),
    response_type: "code",
    scope,
    state,
  });
  return c.redirect(`${authentikHost}/application/o/authorize/?${query.toString()}`, 302);
}

async function finishLogin(store: Store, self: () => string, c: Context, served: Served, url: URL): Promise<Response> {
  const { provider } = served;
  const state = readState(provider, url.searchParams.get("state"));
  if (!state || state.sid !== getCookie(c, cookieName(provider))) return c.redirect(provider.external_host, 302);
  const idToken = await redeem(served, self(), url.searchParams.get("code") ?? "");
  if (!idToken) return startLogin(c, served, state.redirect);
  const claims = jwt.verify(idToken, provider.client_secret, { algorithms: ["HS256"] }) as Fields & { exp: number };
  store.put("outpost_session", { pk: state.sid, provider: provider.pk, exp: claims.exp, idToken, claims });
  keep(c, provider, state.sid, Math.max(1, Math.floor(claims.exp - Date.now() / 1000)));
  return c.redirect(state.redirect, 302);
}

/** Ends every outpost session of the user, then sends the browser to end the session with authentik. */
function signOut(store: Store, c: Context, { provider, application, authentikHost }: Served): Response {
  const session = currentSession(store, c, provider);
  if (!session) return c.redirect(`${provider.external_host.replace(/\/$/, "")}${prefix}/start`, 302);
  for (const { pk, claims } of store.list("outpost_session")) {
    if (claims["sub"] === session.claims["sub"]) store.remove("outpost_session", pk);
  }
  deleteCookie(c, cookieName(provider), { path: "/" });
  const query = new URLSearchParams({ id_token_hint: session.idToken });
  return c.redirect(`${authentikHost}/application/o/${application.slug}/end-session/?${query.toString()}`, 302);
}

/** Redeems a code at this process, under the host name that browsers use; undefined when that is refused. */
async function redeem({ provider, authentikHost }: Served, self: string, code: string): Promise<string | undefined> {
  const { protocol, host } = new URL(authentikHost);
  const { client_id, client_secret } = provider;
  const answer = await fetch(`${self}/application/o/token/`, {
    method: "POST",
    headers: { "x-forwarded-proto": protocol.slice(0, -1), "x-forwarded-host": host },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: callbackUrl(provider),
      client_id,
      client_secret,
    }),
  });
  const body = (await answer.json()) as { id_token?: string; error?: string };
  if (body.id_token === undefined) log("warning", "code refused", { provider: provider.name, error: body.error });
  return body.id_token;
}

function identified(c: Context, served: Served, session: OutpostSession): Response {
  for (const [name, value] of Object.entries(identityHeaders(served, session))) {
    // As Go does: UTF-8 on the wire, and no line breaks.
    c.header(name, Buffer.from(value.replace(/[\r\n]+/g, " ")).toString("latin1"));
  }
  return c.body(null, 200);
}

/** The provider whose address the host is, port included; with a single provider every host is its own. */
function providerFor(store: Store, host: string): Served | undefined {
  const outpost = store.find("outpost", { managed: embeddedOutpost });
  const applications = new Map(store.list("application").map((application) => [application.provider, application]));
  // A provider without an application is not served.
  const served = (outpost?.providers ?? []).flatMap((id) =>
    applications.has(id) ? (store.get("provider", id) ?? []) : [],
  );
  const provider = chooseProvider(served, host);
  const application = provider && applications.get(provider.pk);
  if (!outpost || !application) return undefined;
  const scopes = provider.property_mappings.flatMap((id) => store.get("mapping", id)?.scope_name ?? []);
  const configured = outpost.config["authentik_host"];
  const authentikHost =
    (typeof configured === "string" ? URL.parse(configured)?.origin : undefined) ?? "http://localhost";
  return { outpost, provider, application, scope: scopes.join(" "), authentikHost };
}

function chooseProvider(served: Provider[], host: string): Provider | undefined {
  const domain = ({ cookie_domain }: Provider) => cookie_domain.replace(/^\./, "");
  const single = served.filter(({ mode }) => mode !== "forward_domain");
  const domains = served.filter(
    (one) => one.mode === "forward_domain" && domain(one) !== "" && host.endsWith(domain(one)),
  );
  return (
    single.find(({ external_host }) => URL.parse(external_host)?.host === host) ??
    domains.sort((a, b) => domain(b).length - domain(a).length)[0] ??
    (served.length === 1 ? served[0] : undefined)
  );
}

function noProvider(c: Context, host: string): Response {
  const detail = `Check the outpost settings and make sure '${host}' is included.`;
  const body = JSON.stringify({ Message: "no app for hostname", Host: host, Detail: detail }, null, "\t");
  return c.body(`${body}\n`, 400, { "content-type": "application/json" });
}

function currentSession(store: Store, c: Context, provider: Provider): OutpostSession | undefined {
  const session = store.get("outpost_session", getCookie(c, cookieName(provider)));
  return session?.provider === provider.pk && session.exp > Date.now() / 1000 ? session : undefined;
}

function isAllowListed({ skip_path_regex, mode }: Provider, url: URL): boolean {
  const patterns = skip_path_regex
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return patterns.some((pattern) => new RegExp(pattern).test(mode === "forward_domain" ? url.href : url.pathname));
}

function redirectTarget(c: Context, { external_host, mode, cookie_domain }: Provider): string {
  const target = URL.parse(c.req.query("rd") ?? "", external_host);
  const ours =
    mode === "forward_domain"
      ? target?.hostname.endsWith(cookie_domain.replace(/^\./, ""))
      : target?.host === new URL(external_host).host;
  return target && ours ? target.href : external_host;
}

function readState(provider: Provider, state: string | null): { sid: string; redirect: string } | undefined {
  try {
    const options = { algorithms: ["HS256" as const], issuer: stateIssuer(provider) };
    return jwt.verify(state ?? "", provider.cookie_secret, options) as { sid: string; redirect: string };
  } catch {
    return undefined;
  }
}

function keep(c: Context, provider: Provider, sid: string, maxAge: number): void {
  const domain = provider.mode === "forward_domain" ? { domain: provider.cookie_domain } : {};
  const secure = provider.external_host.startsWith("https:");
  setCookie(c, cookieName(provider), sid, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge, ...domain });
}

const cookieName = ({ client_id }: Provider) =>
  `authentik_proxy_${createHash("sha256").update(client_id).digest("hex").slice(0, 8)}`;
const stateIssuer = ({ client_id }: Provider) => `goauthentik.io/outpost/${client_id}`;
const callbackUrl = ({ external_host }: Provider) =>
  `${external_host.replace(/\/$/, "")}${prefix}/callback?${callbackMark}=true`;
