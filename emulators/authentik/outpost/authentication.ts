import type { Context } from "hono";
import type { BackChannel } from "./backChannel.ts";
import type { Claims } from "./claims.ts";
import type { Registry, SessionStore } from "./session.ts";

/** Milliseconds for which an accepted Authorization header is cached. */
const CACHE_MS = 60_000;

/** Identifies the user of a request, by its session or by its Authorization header. */
export class Authentication {
  readonly #sessions: SessionStore;
  readonly #sessionName: string;
  readonly #backChannel: BackChannel;
  readonly #accepted = new Map<string, { claims: Claims; until: number }>();

  constructor(sessions: SessionStore, sessionName: string, backChannel: BackChannel) {
    this.#sessions = sessions;
    this.#sessionName = sessionName;
    this.#backChannel = backChannel;
  }

  /** Returns the claims of the session of a request. Given `c`, deletes a cookie without a session. */
  claims(registry: Registry, c?: Context): Claims | undefined {
    const { session, error } = registry.get(this.#sessions, this.#sessionName);
    if (!error) return session.values.claims;
    if (c) {
      session.options.maxAge = -1;
      this.#sessions.save(c, session);
    }
    return undefined;
  }

  /** Returns the claims of the session, else those of the Authorization header, for which it creates a session. */
  async check(c: Context, registry: Registry): Promise<Claims | undefined> {
    const current = this.claims(registry, c);
    const header = c.req.header("authorization");
    if (current || !header) return current;
    const known = this.#accepted.get(header);
    if (known && known.until > Date.now()) return known.claims;
    const claims = await this.#claimsOf(header);
    if (!claims) return undefined;
    const { session } = registry.get(this.#sessions, this.#sessionName);
    session.values.claims = claims;
    this.#sessions.save(c, session);
    this.#accepted.set(header, { claims, until: Date.now() + CACHE_MS });
    return claims;
  }

  /** A bearer token, as such or as Basic password of `goauthentik.io/token`; or a user's app password. */
  async #claimsOf(header: string): Promise<Claims | undefined> {
    const [, scheme = "", credentials = ""] = /^(bearer|basic) (.*)$/i.exec(header) ?? [];
    if (scheme.toLowerCase() === "bearer") return credentials ? this.#backChannel.bearer(credentials) : undefined;
    const [username = "", ...rest] = Buffer.from(credentials, "base64").toString().split(":");
    if (scheme === "" || rest.length === 0) return undefined;
    const password = rest.join(":");
    const claims = username === "goauthentik.io/token" ? await this.#backChannel.bearer(password) : undefined;
    return claims ?? this.#backChannel.password(username, password);
  }
}
