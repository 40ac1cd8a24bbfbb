import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { Store } from "../store.ts";
import type { Claims } from "./claims.ts";
import { newSession, setCookie } from "./session.ts";
import type { CookieOptions, Opened, Session, SessionStore, Values } from "./session.ts";

/**
 * The sessions of the embedded outpost: rows of authentik's database. The cookie has the bare id, and a value without a row becomes
 * the id of the next session (docs/authentik.md, Outposts and their sessions). All providers share the rows; each has its own cookie options.
 */
export class DatabaseStore implements SessionStore {
  readonly #store: Store;
  readonly #options: CookieOptions;

  constructor(store: Store, options: CookieOptions) {
    this.#store = store;
    this.#options = options;
  }

  open(name: string, cookie: string | undefined): Opened {
    const session = newSession(name, this.#options);
    if (cookie === undefined) return { session };
    session.id = cookie;
    const row = this.#store.get("outpost_session", cookie);
    if (row && row.exp > Date.now() / 1000) session.values = structuredClone(row.values);
    return { session };
  }

  save(c: Context, session: Session): void {
    const { maxAge } = session.options;
    if (maxAge <= 0) {
      this.#store.remove("outpost_session", session.id);
      return setCookie(c, session, "");
    }
    session.id ||= `authentik_proxy_session_${randomUUID()}`;
    const values = structuredClone(session.values);
    this.#store.put("outpost_session", { pk: session.id, exp: Math.floor(Date.now() / 1000) + maxAge, values });
    setCookie(c, session, session.id);
  }

  logout(matches: (claims: Claims) => boolean): void {
    for (const { pk, values } of this.#store.list("outpost_session")) {
      const { claims } = values as Values;
      if (claims && matches(claims)) this.#store.remove("outpost_session", pk);
    }
  }
}
