import { createHash, createHmac, randomUUID } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import jwt from "jsonwebtoken";
import { isMachineToken } from "./client-credentials.ts";
import { seconds } from "./duration.ts";
import { log } from "./log.ts";
import type { Fields, OutpostSession, Provider } from "./objects.ts";
import type { Served } from "./served.ts";
import type { Store } from "./store.ts";

/** How long an accepted Authorization header is believed without asking again. */
const believed = 60_000;

/** The sessions of outposts: who a request is from. */
export class OutpostSessions {
  readonly #store: Store;
  readonly #self: () => string;
  /** Provider and Authorization header → session made from it. */
  readonly #accepted = new Map<string, { session: string; until: number }>();

  /** `self` tells the address at which this process answers, for the exchange of codes and passwords. */
  constructor(store: Store, self: () => string) {
    this.#store = store;
    this.#self = self;
  }

  /** The session of a request's cookie; none for a cookie that is malformed, forged, or another provider's. */
  current(c: Context, served: Served): OutpostSession | undefined {
    return this.#valid(readCookie(c, served.provider), served);
  }

  /** The session of a request: of its cookie, else the one that its Authorization earns. */
  async authenticate(c: Context, served: Served): Promise<OutpostSession | undefined> {
    const header = c.req.header("authorization");
    const current = this.current(c, served);
    if (current || !header) return current;
    const key = `${served.provider.pk} ${header}`;
    const accepted = this.#accepted.get(key);
    const known = accepted && accepted.until > Date.now() ? this.#valid(accepted.session, served) : undefined;
    if (known) return known;
    this.#accepted.delete(key);
    const token = await this.#tokenOf(served, header);
    if (token === undefined) return undefined;
    const session = this.begin(served, randomUUID(), token);
    keep(c, served.provider, session.pk, seconds(served.provider.access_token_validity) + 1);
    this.#accepted.set(key, { session: session.pk, until: Date.now() + believed });
    return session;
  }

  /** Makes the session whose claims are in a token of the provider. Throws when the provider did not sign it. */
  begin({ outpost, provider, application }: Served, pk: string, idToken: string): OutpostSession {
    const claims = jwt.verify(idToken, provider.client_secret, { algorithms: ["HS256"] }) as Fields & { exp: number };
    const owners = { provider: provider.pk, application: application.pk, outpost: outpost.pk };
    return this.#store.put("outpost_session", { pk, ...owners, exp: claims.exp, idToken, claims });
  }

  /** Ends every session of the user, with whichever outpost and application. */
  end(c: Context, provider: Provider, { claims: { sub } }: OutpostSession): void {
    for (const { pk, claims } of this.#store.list("outpost_session")) {
      if (claims["sub"] === sub) this.#store.remove("outpost_session", pk);
    }
    deleteCookie(c, cookieName(provider), { path: "/" });
  }

  /** Trades a code or a password for an id token, at this process but under the host name that browsers use. */
  async exchange({ provider, authentikHost }: Served, grant: Record<string, string>): Promise<string | undefined> {
    const { protocol, host } = new URL(authentikHost);
    const { client_id, client_secret } = provider;
    const answer = await fetch(`${this.#self()}/application/o/token/`, {
      method: "POST",
      headers: { "x-forwarded-proto": protocol.slice(0, -1), "x-forwarded-host": host },
      body: new URLSearchParams({ ...grant, client_id, client_secret }),
    });
    const { id_token, error } = (await answer.json()) as { id_token?: string; error?: string };
    if (id_token === undefined) log("warning", "exchange refused", { provider: provider.name, error });
    return id_token;
  }

  #valid(pk: string | undefined, { outpost, provider, application }: Served): OutpostSession | undefined {
    const session = this.#store.get("outpost_session", pk);
    const ours =
      session?.provider === provider.pk && session.application === application.pk && session.outpost === outpost.pk;
    return ours && session.exp > Date.now() / 1000 ? session : undefined;
  }

  /** A bearer token, as such or as Basic password of `goauthentik.io/token`; or what a user's app password is traded for. */
  async #tokenOf(served: Served, header: string): Promise<string | undefined> {
    const [, scheme = "", credentials = ""] = /^(bearer|basic) +(.+)$/i.exec(header) ?? [];
    const [username = "", ...rest] = Buffer.from(credentials, "base64").toString().split(":");
    const password = rest.join(":");
    const isBasic = scheme.toLowerCase() === "basic";
    const bearer = isBasic && username === "goauthentik.io/token" ? password : isBasic ? undefined : credentials;
    if (bearer !== undefined) return isMachineToken(this.#store, served.application, bearer) ? bearer : undefined;
    return this.exchange(served, { grant_type: "client_credentials", username, password, scope: served.scope });
  }
}

/** The id that a cookie of this provider carries, if it is one that we signed. */
export function readCookie(c: Context, provider: Provider): string | undefined {
  const value = getCookie(c, cookieName(provider));
  const pk = value?.split(".")[0];
  return pk && value === signed(provider, pk) ? pk : undefined;
}

/** Writes a provider's cookie; `maxAge` in seconds. */
export function keep(c: Context, provider: Provider, pk: string, maxAge: number): void {
  const secure = provider.external_host.startsWith("https:");
  setCookie(c, cookieName(provider), signed(provider, pk), {
    ...{ path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge },
  });
}

const signed = ({ cookie_secret }: Provider, pk: string) =>
  `${pk}.${createHmac("sha256", cookie_secret).update(pk).digest("base64url")}`;
const cookieName = ({ client_id }: Provider) =>
  `authentik_proxy_${createHash("sha256").update(client_id).digest("hex").slice(0, 8)}`;
