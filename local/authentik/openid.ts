import { Hono } from "hono";
import type { Context } from "hono";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type OpenId from "oidc-provider";
import { clientCredentials } from "./client-credentials.ts";
import type { Claims } from "./claims.ts";
import type { Fields } from "./objects.ts";
import { allows, openIdProvider } from "./openid-provider.ts";
import type { Client } from "./openid-provider.ts";
import { messagePage } from "./pages.ts";
import { mayEnter } from "./people.ts";
import { originOf, signedIn, signOut } from "./sessions.ts";
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
    const client = byClientId(store, c.req.query("client_id"));
    if (!client)
      return c.html(messagePage("Bad Request", "The client identifier (client_id) is missing or invalid."), 400);
    const user = signedIn(store, c);
    if (user && !mayEnter(store, client.application, user)) {
      // authentik answers its denial with 200.
      return c.html(messagePage("Permission denied", "Request has been denied."));
    }
    return serve(c, client, undefined, withConsent(c));
  });
  app.post("/:endpoint{token|introspect|revoke}/", async (c) => {
    const body = await clientBody(c);
    const client = byClientId(store, body["client_id"]);
    if (!client) return c.json({ error: "invalid_client" }, 400);
    if (body["grant_type"] !== "client_credentials") return serve(c, client, body);
    const tokens = clientCredentials(store, claims, client, body, originOf(c));
    return tokens ? c.json(tokens) : c.json({ error: "invalid_grant" }, 400);
  });
  app.on(["GET", "POST"], "/userinfo/", (c) => {
    const token = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const found = store.list("artifact").find(({ pk }) => pk.endsWith(`:AccessToken:${token}`));
    const client = byClientId(store, found?.payload["clientId"]);
    return client ? serve(c, client) : c.json({ error: "invalid_token" }, 401);
  });
  app.get("/:slug/.well-known/openid-configuration", (c) => {
    const client = bySlug(store, c.req.param("slug"));
    return client ? serve(c, client, undefined, "/.well-known/openid-configuration") : c.notFound();
  });
  app.get("/:slug/jwks/", (c) => {
    const client = bySlug(store, c.req.param("slug"));
    return client ? serve(c, client) : c.notFound();
  });
  app.get("/:slug/end-session/", async (c) => {
    const client = bySlug(store, c.req.param("slug"));
    if (!client) return c.notFound();
    const { provider } = client;
    const { id_token_hint: hint, state } = c.req.query();
    // Where no address is registered for it, authentik pays no heed to the one that it is given.
    const mayReturn = provider.redirect_uris.some(({ redirect_uri_type }) => redirect_uri_type === "logout");
    const to = mayReturn ? c.req.query("post_logout_redirect_uri") : undefined;
    const genuine = hint === undefined ? to === undefined : await isSigned(instance(c, client), client, hint);
    if (!genuine || (to !== undefined && !allows(provider, to, "logout"))) {
      return c.html(messagePage("Bad Request", "invalid_request"), 400);
    }
    // The flow for providers has no stage that signs the user out of authentik itself.
    if (store.find("flow", { pk: provider.invalidation_flow })?.slug === "default-invalidation-flow") signOut(store, c);
    const target = to === undefined ? undefined : new URL(to);
    if (state) target?.searchParams.set("state", state);
    if (target) return c.redirect(target.href, 302);
    return c.html(messagePage("Signed out", `You have logged out of ${client.application.name} and of authentik.`));
  });
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

/** Whether an id token is one of the application's, however old. */
async function isSigned(openId: OpenId, { provider }: Client, idToken: string): Promise<boolean> {
  const client = await openId.Client.find(provider.client_id);
  return openId.IdToken.validate(idToken, client as NonNullable<typeof client>).then(
    () => true,
    () => false,
  );
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

/** The library gives refresh tokens only after a consent prompt, authentik whenever `offline_access` is asked for. */
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
