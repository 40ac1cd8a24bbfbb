import { createPrivateKey, randomUUID } from "node:crypto";
import OpenId, { interactionPolicy } from "oidc-provider";
import type { Account, ClientMetadata, Configuration, JWK, KoaContextWithOIDC } from "oidc-provider";
import { adapter } from "./adapter.ts";
import { keyId } from "./certificate.ts";
import { algorithmOf } from "./claims.ts";
import type { Claims } from "./claims.ts";
import { seconds } from "./duration.ts";
import { recordToken } from "./issuedTokens.ts";
import { issuerOf } from "./issuer.ts";
import { mappingsOf } from "./mappings.ts";
import type { Application, Fields, KeyPair, Provider } from "./objects.ts";
import { messagePage } from "./pages.ts";
import { SESSION_COOKIE } from "./sessions.ts";
import type { Store } from "./store.ts";

type Tokens = { access_token?: string; id_token?: string; refresh_token?: string; expires_in: number };
export type Client = { application: Application; provider: Provider };

/**
 * One instance of the certified OpenID library, for one application under one origin. It reads authentik's own session cookie as
 * its session, so that signing out of one is signing out of the other.
 */
export function openIdProvider(store: Store, claims: Claims, client: Client, origin: string): OpenId {
  const { provider } = client;
  const openId = new OpenId(issuerOf(store, provider, origin), configuration({ store, claims, origin, ...client }));
  openId.proxy = true;
  openId.use(async (ctx, next) => {
    await next();
    await rewriteResponse(store, provider, ctx as KoaContextWithOIDC);
    if (ctx.status === 200 && ctx.path.endsWith("/openid-configuration"))
      ctx.body = { ...(ctx.body as Fields), claims_supported: claims.supported(provider, origin) };
  });
  openId.Client.prototype.redirectUriAllowed = (uri: string) => allows(provider, uri);
  passAllClaims(openId);
  return openId;
}

/** What the configuration of the library depends on. */
interface Setup extends Client {
  readonly store: Store;
  readonly claims: Claims;
  readonly origin: string;
}

function configuration(setup: Setup): Configuration {
  const { store, application, provider, origin } = setup;
  const base = `/application/o/${application.slug}`;
  const key = signingKey(store, provider);
  const cookie = { signed: false, httpOnly: true, sameSite: "lax", path: "/" } as const;
  const policy = interactionPolicy.base();
  policy.get("consent")?.checks.clear();
  const scopes = mappingsOf(store, provider).map(({ scope_name }) => scope_name);
  return {
    adapter: (model: string) => adapter(store, `${provider.pk}:${model}`, (pk) => subjectOf(setup, pk)),
    clients: [clientMetadata(provider, scopes, key)],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
    jwks: { keys: key ? [privateJwk(key)] : [] },
    scopes,
    claims: { openid: ["sub"] },
    conformIdTokenClaims: false,
    findAccount: (_, sub, token) =>
      findAccount(setup, sub, token && "sessionUid" in token ? (token.sessionUid ?? "") : ""),
    loadExistingGrant,
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
    clockTolerance: 0,
    pkce: { required: () => false },
    rotateRefreshToken: ({ oidc }) => renewed(provider, oidc.entities.RefreshToken?.exp ?? 0),
    cookies: { names: { session: SESSION_COOKIE }, long: cookie, short: cookie },
    ttl: lifetimes(provider),
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
}

function clientMetadata(provider: Provider, scopes: readonly string[], key: KeyPair | undefined): ClientMetadata {
  const refresh = scopes.includes("offline_access") ? ["refresh_token"] : [];
  return {
    client_id: provider.client_id,
    // authentik compares secrets with compare_digest, which fails for text that is not ASCII: no request of such a client succeeds.
    client_secret: /^\p{ASCII}*$/u.test(provider.client_secret) ? provider.client_secret : randomUUID(),
    redirect_uris: provider.redirect_uris.filter((uri) => uri.matching_mode === "strict").map((uri) => uri.url),
    grant_types: ["authorization_code", ...refresh],
    response_types: ["code"],
    token_endpoint_auth_method: provider.client_type === "public" ? "none" : "client_secret_post",
    id_token_signed_response_alg: key ? algorithmOf(key.key_data) : "HS256",
  };
}

/** Returns seconds for each object of the library. */
function lifetimes(provider: Provider): NonNullable<Configuration["ttl"]> {
  return {
    AuthorizationCode: seconds(provider.access_code_validity),
    AccessToken: seconds(provider.access_token_validity),
    IdToken: seconds(provider.access_token_validity),
    RefreshToken: seconds(provider.refresh_token_validity),
    Interaction: 3600,
    // As long as it had anyway: an application's login does not prolong it.
    Session: (_, { exp = Date.now() / 1000 + seconds("days=14") }) => Math.max(1, Math.floor(exp - Date.now() / 1000)),
    Grant: seconds("days=30"),
  };
}

/** Returns the `sub` of a user; undefined for an inactive one. */
function subjectOf({ store, claims, provider }: Setup, pk: number | null): string | undefined {
  const user = store.get("user", pk);
  return user?.is_active ? claims.subject(provider, user) : undefined;
}

/** @param sessionUid of the session that a token belongs to; empty if it belongs to none */
function findAccount(setup: Setup, sub: string, sessionUid: string): Account | undefined {
  const { store, claims, provider, origin } = setup;
  const user = store.list("user").find(({ pk }) => subjectOf(setup, pk) === sub);
  if (!user) return undefined;
  const session = store.find("session", { uid: sessionUid });
  const login = session
    ? { auth_time: session.loginTs, acr: "goauthentik.io/providers/oauth2/default", amr: ["pwd"], sid: session.uid }
    : {};
  return {
    accountId: sub,
    claims: (use, scope) => ({
      ...(use === "id_token" ? login : {}),
      ...(use === "userinfo" || provider.include_claims_in_id_token
        ? claims.of({ provider, user, scopes: scope.split(" "), origin, sessionId: session?.uid })
        : {}),
      ...(use === "id_token" ? { azp: provider.client_id, uid: randomUUID().replaceAll("-", "") } : {}),
      sub,
    }),
  };
}

/** No consent stage: both default authorization flows are treated as implicit. */
const loadExistingGrant: Configuration["loadExistingGrant"] = async ({ oidc }) => {
  const { client, session, account, params } = oidc;
  if (!client || !session || !account) return undefined;
  const grantId = session.grantIdFor(client.clientId);
  const grant =
    (grantId ? await oidc.provider.Grant.find(grantId) : undefined) ??
    new oidc.provider.Grant({ clientId: client.clientId, accountId: account.accountId });
  grant.addOIDCScope((params?.["scope"] as string | undefined) ?? "");
  await grant.save();
  return grant;
};

/** Replaces what the library answers by what authentik does. */
async function rewriteResponse(store: Store, provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  if (ctx.status === 303) ctx.status = 302;
  if (ctx.status === 401 && ctx.path.endsWith("/token/")) ctx.status = 400;
  const tokens = ctx.body as Tokens | undefined;
  if (ctx.status !== 200 || !ctx.path.endsWith("/token/") || !tokens?.id_token) return;
  // authentik's access tokens are JWTs with the same claims; the library's are opaque.
  recordToken(store, provider, tokens.id_token, tokens.expires_in, tokens.access_token);
  const { refresh_token, ...others } = { ...tokens, access_token: tokens.id_token };
  // A refresh token that stays is not part of the response.
  const stays = refresh_token === undefined || refresh_token === ctx.oidc.params?.["refresh_token"];
  ctx.body = stays ? others : { ...others, refresh_token };
  await store.saved();
}

/** Returns whether a refresh replaces a token by one of full length: always with a threshold of 0, else with less than the threshold left. */
function renewed({ refresh_token_threshold = "seconds=0" }: Provider, expires: number): boolean {
  const threshold = seconds(refresh_token_threshold);
  return threshold === 0 || expires - Date.now() / 1000 < threshold;
}

/** The login page that comes back to this authorization request, without the prompt that it satisfies. */
function loginUrl(authorize: string): string {
  const url = new URL(authorize, "http://here.invalid");
  url.searchParams.delete("prompt");
  url.searchParams.delete("max_age");
  const query = new URLSearchParams(url.searchParams);
  query.set("next", url.pathname + url.search);
  return `/if/flow/default-authentication-flow/?${query.toString()}`;
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

/** Returns whether an address is registered as a redirect URI of a provider, for login or logout. */
export function allows({ redirect_uris }: Provider, uri: string, type = "authorization"): boolean {
  return redirect_uris
    .filter(({ redirect_uri_type = "authorization" }) => redirect_uri_type === type)
    .some(({ matching_mode, url }) => (matching_mode === "regex" ? new RegExp(`^(?:${url})$`).test(uri) : url === uri));
}

/** The key pair with which a provider signs; none = HS256 with its client secret. */
function signingKey(store: Store, provider: Provider): KeyPair | undefined {
  const pair = store.get("keypair", provider.signing_key);
  return pair?.key_data ? pair : undefined;
}

function privateJwk({ key_data }: KeyPair): JWK {
  const key = createPrivateKey(key_data).export({ format: "jwk" }) as JWK;
  return { ...key, kid: keyId(key_data), use: "sig", alg: algorithmOf(key_data) };
}
