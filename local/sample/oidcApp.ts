/**
 * A sample application that signs its users in by itself, as a team would write it: OpenID Connect's authorization code flow with PKCE,
 * state and nonce, on every host that has a redirect URI. Environment: OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET (none for a
 * public client), OIDC_REDIRECT_URIS and OIDC_SCOPES (separated by spaces), HOST and PORT to listen on.
 */
import { randomBytes } from "node:crypto";
import { serve } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import * as oidc from "openid-client";
import { Agent, fetch } from "undici";
import { isLoopbackName, lookup } from "../../infra/loopback.ts";

/** A sign-in in progress; only the browser that started it can complete it. */
interface Login {
  readonly browser: string;
  readonly verifier: string;
  readonly nonce: string;
  readonly page: string;
}

interface Session {
  readonly user: object;
  readonly idToken: string;
}

const LOGIN_SECONDS = 600;
/** A session ends with its ID token, and after a day at the latest. */
const SESSION_SECONDS = 86_400;
const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_REDIRECT_URIS, OIDC_SCOPES, HOST, PORT } = process.env;
const issuer = new URL(OIDC_ISSUER ?? "");
const redirects = splitAtSpaces(OIDC_REDIRECT_URIS).map((uri) => new URL(uri));
/** By state. */
const logins = new Map<string, Login>();
/** By the value of the session cookie. */
const sessions = new Map<string, Session>();
const dispatcher = new Agent({ connect: { lookup } });
let discovered: Promise<oidc.Configuration> | undefined;

const app = new Hono();
app.get("/healthz", (c) => c.text("ok"));
app.get("/logout", async (c) => {
  const id = deleteCookie(c, "session") ?? "";
  const session = sessions.get(id);
  sessions.delete(id);
  return c.redirect(oidc.buildEndSessionUrl(await provider(), session && { id_token_hint: session.idToken }).href);
});
app.get("*", async (c) => {
  const origin = originOf(c);
  const redirect = redirects.find((uri) => uri.origin === origin);
  if (!redirect) return c.text("No redirect URI is registered for this host.\n", 421);
  c.header("cache-control", "no-store");
  if (c.req.path === redirect.pathname) return finish(c, redirect);
  const session = sessions.get(getCookie(c, "session") ?? "");
  return session ? c.json({ ...session.user, host: redirect.host }) : begin(c, redirect);
});
app.onError((error, c) => {
  console.error(error);
  return c.text("The identity provider does not answer as it should. Try again later.\n", 502);
});
serve({ fetch: app.fetch, hostname: HOST ?? "127.0.0.1", port: Number(PORT ?? 8080) });
process.once("SIGTERM", () => process.exit());

async function begin(c: Context, redirect: URL): Promise<Response> {
  const browser = getCookie(c, "login") ?? random();
  const { pathname, search } = new URL(c.req.url);
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
  keep(logins, state, { browser, verifier, nonce, page: pathname + search }, LOGIN_SECONDS);
  setCookie(c, "login", browser, cookie(redirect, LOGIN_SECONDS));
  const url = oidc.buildAuthorizationUrl(await provider(), {
    redirect_uri: redirect.href,
    scope: splitAtSpaces(OIDC_SCOPES).join(" "),
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  return c.redirect(url.href);
}

async function finish(c: Context, redirect: URL): Promise<Response> {
  const state = c.req.query("state") ?? "";
  const login = logins.get(state);
  if (!login || login.browser !== getCookie(c, "login"))
    return c.text("This sign-in was not started in this browser.\n", 400);
  logins.delete(state);
  const checks = { expectedState: state, expectedNonce: login.nonce, pkceCodeVerifier: login.verifier };
  try {
    const config = await provider();
    const url = new URL(new URL(c.req.url).search, redirect);
    const tokens = await oidc.authorizationCodeGrant(config, url, { ...checks, idTokenExpected: true });
    const { sub, exp } = tokens.claims() ?? {};
    const { preferred_username, email, groups } = await oidc.fetchUserInfo(config, tokens.access_token, sub ?? "");
    const id = random();
    const seconds = Math.min(Math.floor((exp ?? 0) - Date.now() / 1000), SESSION_SECONDS);
    keep(sessions, id, { user: { sub, preferred_username, email, groups }, idToken: tokens.id_token ?? "" }, seconds);
    setCookie(c, "session", id, cookie(redirect, seconds));
    return c.redirect(redirect.origin + login.page);
  } catch (error) {
    if (error instanceof oidc.AuthorizationResponseError) return c.text(`Sign-in refused: ${error.error}\n`, 403);
    if (error instanceof oidc.ResponseBodyError) return c.text(`Sign-in failed: ${error.error}\n`, 400);
    throw error;
  }
}

/** Runs the discovery on first use, and again after a failure, because the application may start before the provider. */
function provider(): Promise<oidc.Configuration> {
  // Without TLS, which only localhost may do without, nothing but the token's signature vouches for its origin.
  const insecure = isLoopbackName(issuer.hostname) ? [oidc.allowInsecureRequests] : [];
  const options = { [oidc.customFetch]: fetchLocal, execute: [oidc.enableNonRepudiationChecks, ...insecure] };
  const authentication = OIDC_CLIENT_SECRET ? oidc.ClientSecretPost(OIDC_CLIENT_SECRET) : oidc.None();
  discovered ??= oidc.discovery(issuer, OIDC_CLIENT_ID ?? "", OIDC_CLIENT_SECRET, authentication, options);
  return discovered.catch((error: unknown) => {
    discovered = undefined;
    throw error;
  });
}

async function fetchLocal(url: string, options: oidc.CustomFetchOptions): Promise<Response> {
  return (await fetch(url, { ...options, body: options.body ?? null, dispatcher })) as unknown as Response;
}

/** Returns the origin that the browser requested. The gateway sets X-Forwarded-*; the value is only compared, so that a forged one has no effect. */
function originOf(c: Context): string {
  const host = c.req.header("x-forwarded-host") ?? c.req.header("host") ?? "";
  return `${c.req.header("x-forwarded-proto") ?? "http"}://${host}`;
}

function cookie({ protocol }: URL, maxAge: number): NonNullable<Parameters<typeof setCookie>[3]> {
  return { httpOnly: true, sameSite: "Lax", secure: protocol === "https:", path: "/", maxAge };
}

function keep<T>(map: Map<string, T>, key: string, value: T, seconds: number): void {
  map.set(key, value);
  setTimeout(() => map.delete(key), seconds * 1000).unref();
}

function random(): string {
  return randomBytes(24).toString("base64url");
}

function splitAtSpaces(text = ""): string[] {
  return text.split(" ").filter((word) => word !== "");
}
