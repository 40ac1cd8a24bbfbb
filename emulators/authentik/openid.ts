import { Hono } from "hono";
import type { Context } from "hono";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type OpenId from "oidc-provider";
import { clientCredentials } from "./clientCredentials.ts";
import type { Claims } from "./claims.ts";
import type { Fields, Provider } from "./objects.ts";
import { allows, openIdProvider } from "./openidProvider.ts";
import type { Client } from "./openidProvider.ts";
import { messagePage } from "./pages.ts";
import { endSession } from "./endSession.ts";
import { introspected, opaqueOf, revoke } from "./issuedTokens.ts";
import { bearerOf } from "./users.ts";
import { currentSession, originOf, signedIn } from "./sessions.ts";
import type { Store } from "./store.ts";

type Env = { Bindings: HttpBindings };
type Instance = Client & { openId: OpenId };

/**
 * `/application/o/`: the OpenID endpoints. The shared ones find the application by its client id.
 */
export function openIdEndpoints(store: Store, claims: Claims): Hono<Env> {
  const app = new Hono<Env>();
  const instances = new Map<string, Instance>();
  const instance = (c: Context, client: Client) => instanceOf(store, claims, instances, client, originOf(c));
  const serve = (c: Context<Env>, client: Client, body?: Fields, url?: string) =>
    handOver(c, instance(c, client), body, url);
  app.get("/authorize/", (c) => {
    const found = byClientId(store, c.req.query("client_id"));
    // authentik/policies/views.py, `dispatch`
    if (!found && store.find("provider", { client_id: c.req.query("client_id") ?? "" }))
      return c.html(messagePage("Permission denied", "Failed to resolve application"));
    if (!found)
      return c.html(messagePage("Bad Request", "The client identifier (client_id) is missing or invalid."), 400);
    const redirect = c.req.query("redirect_uri") ?? "";
    const client = { ...found, provider: withFirstRedirect(store, found.provider, redirect) };
    const isAllowed = allows(client.provider, redirect);
    if (isAllowed && !client.provider.grant_types.includes("authorization_code")) {
      return c.redirect(refusedAt(redirect, c.req.query("state")), 302);
    }
    const user = signedIn(store, c);
    const session = currentSession(store, c);
    // Drops the plan that another flow left in the session.
    if (user && session?.flow) store.put("session", { ...session, flow: null });
    // The library refuses another address, whatever the user may access.
    if (isAllowed && user && !claims.mayAccess(client.application, user)) {
      // The status of a denial is 200.
      return c.html(messagePage("Permission denied", "Request has been denied."));
    }
    return serve(c, client, undefined, withConsent(c));
  });
  app.post("/:endpoint{token|introspect|revoke}/", async (c) => {
    const body = await clientBody(c);
    const endpoint = c.req.param("endpoint");
    if (endpoint === "introspect") return c.json(introspect(store, body));
    const client = byClientId(store, body["client_id"]);
    if (!client) return c.json({ error: "invalid_client" }, 400);
    if (endpoint === "revoke") return serve(c, client, { ...body, token: revoked(store, body["token"] ?? "") });
    // Before anything else, the client's secret included (docs/authentik.md, REST API: `grant_types`).
    if (!client.provider.grant_types.includes(body["grant_type"] ?? "")) return c.json({ error: "invalid_grant" }, 400);
    const isRedeemed = body["grant_type"] === "authorization_code";
    if (isRedeemed && !allows(client.provider, body["redirect_uri"] ?? ""))
      return c.json({ error: "invalid_client" }, 400);
    if (body["grant_type"] !== "client_credentials") return serve(c, client, body);
    const tokens = clientCredentials(store, claims, client, body, originOf(c));
    return tokens ? c.json(tokens) : c.json({ error: "invalid_grant" }, 400);
  });
  app.on(["GET", "POST"], "/userinfo/", (c) => {
    const given = bearerOf(c.req.header("authorization"));
    const token = opaqueOf(store, given) ?? given;
    const found = store.list("artifact").find(({ pk }) => pk.endsWith(`:AccessToken:${token}`));
    const client = byClientId(store, found?.payload["clientId"]);
    if (!client) return c.json({ error: "invalid_token" }, 401);
    c.env.incoming.headers.authorization = `Bearer ${token}`;
    return serve(c, client);
  });
  app.get("/:slug/.well-known/openid-configuration", (c) => {
    const client = bySlug(store, c.req.param("slug"));
    return client ? serve(c, client, undefined, "/.well-known/openid-configuration") : c.notFound();
  });
  app.get("/:slug/jwks/", (c) => {
    const client = bySlug(store, c.req.param("slug"));
    return client ? serve(c, client) : c.notFound();
  });
  app.on(["GET", "POST"], "/:slug/end-session/", (c) =>
    endSession(store, claims, c, bySlug(store, c.req.param("slug"))),
  );
  return app;
}

function instanceOf(
  store: Store,
  claims: Claims,
  instances: Map<string, Instance>,
  client: Client,
  origin: string,
): OpenId {
  const at = `${origin} ${client.application.pk}`;
  const known = instances.get(at);
  if (known?.application === client.application && known.provider === client.provider) return known.openId;
  const openId = openIdProvider(store, claims, client, origin);
  instances.set(at, { ...client, openId });
  return openId;
}

function handOver(c: Context<Env>, openId: OpenId, body?: Fields, url?: string): Response {
  const { incoming, outgoing } = c.env;
  if (url) incoming.url = url;
  if (body) {
    Object.assign(incoming, { body });
    delete incoming.headers.authorization;
  }
  void openId.callback()(incoming, outgoing);
  return RESPONSE_ALREADY_SENT;
}

/**
 * A provider without redirect URIs accepts the first one that is requested, and stores it, before the grant type is checked and without a
 * session (authentik/providers/oauth2/views/authorize.py, `check_redirect_uri`).
 */
function withFirstRedirect(store: Store, provider: Provider, url: string): Provider {
  const isAuthorization = ({ redirect_uri_type = "authorization" }) => redirect_uri_type === "authorization";
  if (url === "" || provider.redirect_uris.some(isAuthorization)) return provider;
  const redirect_uris = [{ matching_mode: "strict", url, redirect_uri_type: "authorization" }];
  return store.put("provider", { ...provider, redirect_uris });
}

/** Returns the redirect with the error, for a grant type that the provider does not allow. */
function refusedAt(redirect: string, state: string | undefined): string {
  const query = `error=invalid_request&error_description=${encodeURIComponent("The request is otherwise malformed")}`;
  return `${redirect}?${query}${state ? `&state=${state}` : ""}`;
}

/** A provider without an application introspects its tokens, too (authentik/providers/oauth2/views/introspection.py). */
function introspect(store: Store, { client_id = "", client_secret, token = "" }: Record<string, string>): Fields {
  const provider = store.find("provider", { client_id });
  if (provider?.client_type !== "confidential" || client_secret !== provider.client_secret) return { active: false };
  return introspected(store, provider, token);
}

/** Revokes an access token, and returns its opaque name in the OpenID library. */
function revoked(store: Store, token: string): string {
  const opaque = opaqueOf(store, token) ?? token;
  revoke(store, token);
  return opaque;
}

/** The library issues refresh tokens only after a consent prompt, authentik whenever `offline_access` is requested. */
function withConsent(c: Context): string | undefined {
  const { pathname, searchParams } = new URL(c.req.url);
  const offline = searchParams.get("scope")?.split(" ").includes("offline_access");
  if (!offline || searchParams.has("prompt")) return undefined;
  searchParams.set("prompt", "consent");
  return `${pathname}?${searchParams.toString()}`;
}

/** The form of a client's request; credentials of Basic authentication are moved into it. */
async function clientBody(c: Context): Promise<Record<string, string>> {
  const body = Object.fromEntries(new URLSearchParams(await c.req.text()));
  const basic = /^Basic (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  if (!basic) return body;
  const [client_id = "", ...secret] = Buffer.from(basic, "base64").toString().split(":");
  return { ...body, client_id: decodeURIComponent(client_id), client_secret: decodeURIComponent(secret.join(":")) };
}

function byClientId(store: Store, client_id: unknown): Client | undefined {
  const provider = typeof client_id === "string" ? store.find("provider", { client_id }) : undefined;
  const application = provider && store.find("application", { provider: provider.pk });
  return application && { application, provider };
}

function bySlug(store: Store, slug: string): Client | undefined {
  const application = store.find("application", { slug });
  const provider = application && store.get("provider", application.provider);
  return provider && { application, provider };
}
