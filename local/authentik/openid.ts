import { createPrivateKey, createPublicKey } from "node:crypto";
import { Hono } from "hono";
import type { Context } from "hono";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import OpenId, { interactionPolicy } from "oidc-provider";
import type { Configuration, JWK } from "oidc-provider";
import { adapter } from "./adapter.ts";
import { keyId } from "./certificate.ts";
import { algorithmOf, seconds } from "./claims.ts";
import type { Claims } from "./claims.ts";
import type { Application, Fields, KeyPair, Provider } from "./objects.ts";
import { messagePage } from "./pages.ts";
import { mayEnter } from "./people.ts";
import { originOf, sessionCookie, signedIn, signOut } from "./sessions.ts";
import type { Store } from "./store.ts";

type Env = { Bindings: HttpBindings };
type Client = { application: Application; provider: Provider };
type Instance = Client & { openId: OpenId };

/**
 * `/application/o/`: the OpenID endpoints, one instance of the certified library per application and origin. It reads
 * authentik's own session cookie as its session, so that signing out of one is signing out of the other.
 */
export function openIdEndpoints(store: Store, claims: Claims): Hono<Env> {
  const app = new Hono<Env>();
  const instances = new Map<string, Instance>();
  const serve = (c: Context<Env>, client: Client, body?: Fields, url?: string) => {
    const openId = instanceOf(store, claims, instances, client, originOf(c));
    return handOver(c, openId, body, url);
  };
  const unknownClient = (c: Context) =>
    c.json({ error: "invalid_client", error_description: "Client authentication failed (unknown client)" }, 400);

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
    return client ? serve(c, client, body) : unknownClient(c);
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
    const key = client && signingKey(store, client.provider);
    return client ? c.json({ keys: key ? [publicJwk(key)] : [] }) : c.notFound();
  });
  app.get("/:slug/end-session/", (c) => {
    const client = bySlug(store, c.req.param("slug"));
    if (!client) return c.notFound();
    signOut(store, c);
    const to = c.req.query("post_logout_redirect_uri");
    if (to && allows(client.provider, to)) return c.redirect(to, 302);
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
  const openId = build(store, claims, client, origin);
  instances.set(at, { ...client, openId });
  return openId;
}

function build(store: Store, claims: Claims, { application, provider }: Client, origin: string): OpenId {
  const base = `/application/o/${application.slug}`;
  const key = signingKey(store, provider);
  const subjectOf = (pk: number | null) => {
    const user = store.get("user", pk);
    return user?.is_active ? claims.subject(provider, user) : undefined;
  };
  const cookie = { signed: false, httpOnly: true, sameSite: "lax", path: "/" } as const;
  const policy = interactionPolicy.base();
  policy.get("consent")?.checks.clear();
  const configuration: Configuration = {
    adapter: (model: string) => adapter(store, `${application.pk}:${model}`, subjectOf),
    clients: [
      {
        client_id: provider.client_id,
        client_secret: provider.client_secret,
        redirect_uris: provider.redirect_uris.filter((uri) => uri.matching_mode === "strict").map((uri) => uri.url),
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: provider.client_type === "public" ? "none" : "client_secret_post",
        id_token_signed_response_alg: key ? algorithmOf(key.key_data) : "HS256",
      },
    ],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
    jwks: { keys: key ? [privateJwk(key)] : [] },
    scopes: provider.property_mappings.flatMap((id) => store.get("mapping", id)?.scope_name ?? []),
    claims: { openid: ["sub"] },
    conformIdTokenClaims: false,
    findAccount: (_, sub, token) => {
      const user = store.list("user").find(({ pk }) => subjectOf(pk) === sub);
      if (!user) return undefined;
      const session = store.find("session", { uid: token && "sessionUid" in token ? (token.sessionUid ?? "") : "" });
      const login = session
        ? { auth_time: session.loginTs, acr: "goauthentik.io/providers/oauth2/default", amr: ["pwd"], sid: session.uid }
        : {};
      return {
        accountId: sub,
        claims: (use, scope) => ({
          ...login,
          ...(use === "userinfo" || provider.include_claims_in_id_token
            ? claims.of({ provider, user, scopes: scope.split(" "), origin, sessionId: session?.uid })
            : {}),
          ...(use === "id_token" ? { azp: provider.client_id, uid: store.uuid().replaceAll("-", "") } : {}),
          sub,
        }),
      };
    },
    // authentik asks nobody for consent here: both stock authorization flows are taken as implicit.
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, account, params } = oidc;
      if (!client || !session || !account) return undefined;
      const grantId = session.grantIdFor(client.clientId);
      const grant =
        (grantId ? await oidc.provider.Grant.find(grantId) : undefined) ??
        new oidc.provider.Grant({ clientId: client.clientId, accountId: account.accountId });
      grant.addOIDCScope((params?.["scope"] as string | undefined) ?? "");
      await grant.save();
      return grant;
    },
    interactions: { policy, url: (ctx) => loginUrl(ctx.url) },
    renderError: async (ctx, { error, error_description }) => {
      ctx.type = "html";
      ctx.body = String(await messagePage(error, error_description ?? ""));
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      introspection: { enabled: true },
      revocation: { enabled: true },
    },
    discovery: { end_session_endpoint: `${origin}${base}/end-session/` },
    responseTypes: ["code"],
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256", "HS256"] },
    pkce: { required: () => false },
    cookies: { names: { session: sessionCookie }, long: cookie, short: cookie },
    ttl: {
      AuthorizationCode: seconds(provider.access_code_validity),
      AccessToken: seconds(provider.access_token_validity),
      IdToken: seconds(provider.access_token_validity),
      RefreshToken: seconds(provider.refresh_token_validity),
      Interaction: 3600,
      Session: seconds("days=14"),
      Grant: seconds("days=30"),
    },
    routes: {
      authorization: "/application/o/authorize/",
      token: "/application/o/token/",
      userinfo: "/application/o/userinfo/",
      introspection: "/application/o/introspect/",
      revocation: "/application/o/revoke/",
      jwks: `${base}/jwks/`,
      end_session: `${base}/end-session`,
    },
  };
  const openId = new OpenId(claims.issuer(provider, origin), configuration);
  openId.proxy = true;
  openId.Client.prototype.redirectUriAllowed = (uri: string) => allows(provider, uri);
  passAllClaims(openId);
  return openId;
}

/** The library lets only claims through that were named beforehand; what a mapping returns is known only once it ran. */
function passAllClaims(openId: OpenId): void {
  const { Claims: Filtered } = openId as unknown as { Claims: new (...args: unknown[]) => { available: Fields } };
  class All extends Filtered {
    result(): Promise<Fields> {
      return Promise.resolve(this.available);
    }
  }
  Object.defineProperty(openId, "Claims", { value: All });
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

/** The login page that comes back to this authorization request, without the prompt that it satisfies. */
function loginUrl(authorize: string): string {
  const url = new URL(authorize, "http://here.invalid");
  url.searchParams.delete("prompt");
  url.searchParams.delete("max_age");
  const query = new URLSearchParams({
    next: url.pathname + url.search,
    client_id: url.searchParams.get("client_id") ?? "",
  });
  return `/if/flow/default-authentication-flow/?${query.toString()}`;
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

function allows({ redirect_uris }: Provider, uri: string): boolean {
  return redirect_uris.some(({ matching_mode, url }) =>
    matching_mode === "regex" ? new RegExp(`^(?:${url})$`).test(uri) : url === uri,
  );
}

function signingKey(store: Store, provider: Provider): KeyPair | undefined {
  const pair = store.get("keypair", provider.signing_key);
  return pair?.key_data ? pair : undefined;
}

function privateJwk({ key_data }: KeyPair): JWK {
  const key = createPrivateKey(key_data).export({ format: "jwk" }) as JWK;
  return { ...key, kid: keyId(key_data), use: "sig", alg: algorithmOf(key_data) };
}

function publicJwk({ key_data }: KeyPair): JWK {
  const key = createPublicKey(key_data).export({ format: "jwk" }) as JWK;
  return { ...key, kid: keyId(key_data), use: "sig", alg: algorithmOf(key_data) };
}
