import type { Context } from "hono";
import type { Fields } from "../objects.ts";
import type { Claims } from "./claims.ts";

/** How a store writes its cookies; `maxAge` in seconds. */
export type CookieOptions = { maxAge: number; secure: boolean; domain: string };
export type Values = Fields & { claims?: Claims; redirect?: string };
/** A session of one request; an empty `id` is given by the store when it saves. */
export type Session = { name: string; id: string; values: Values; options: CookieOptions };
/** What a store has for a request: always a session, and an error when the cookie or what it names is not usable. */
export type Opened = { session: Session; error?: Error };

export type SessionStore = {
  open: (name: string, cookie: string | undefined) => Opened;
  /** Writes the session and its cookie; with `maxAge` of 0 or less deletes both. */
  save: (c: Context, session: Session) => void;
  /** Deletes the sessions whose claims match. */
  logout: (matches: (claims: Claims) => boolean) => void;
};

/** The sessions of one request: opened once, whatever is saved in between (as the registry of `gorilla/sessions`). */
export class Registry {
  readonly #c: Context;
  readonly #opened = new Map<string, Opened>();

  constructor(c: Context) {
    this.#c = c;
  }

  get(store: SessionStore, name: string): Opened {
    const opened = this.#opened.get(name) ?? store.open(name, cookieOf(this.#c, name));
    this.#opened.set(name, opened);
    return opened;
  }
}

/** Returns an empty session without an id, which its store assigns when it saves it. */
export function newSession(name: string, options: CookieOptions): Session {
  return { name, id: "", values: {}, options: { ...options } };
}

/** Adds the cookie of a session to the answer, spelled as Go spells it. */
export function setCookie(c: Context, { name, options: { maxAge, secure, domain } }: Session, value: string): void {
  const expires = new Date(maxAge > 0 ? Date.now() + maxAge * 1000 : 1000).toUTCString();
  const parts = [
    `${name}=${value}`,
    "Path=/",
    ...(domain ? [`Domain=${domain.replace(/^\./, "")}`] : []),
    ...(maxAge === 0 ? [] : [`Expires=${expires}`, `Max-Age=${Math.max(0, maxAge)}`]),
    "HttpOnly",
    ...(secure ? ["Secure"] : []),
    "SameSite=Lax",
  ];
  c.header("set-cookie", parts.join("; "), { append: true });
}

/** The raw value of a request's first cookie of that name. */
function cookieOf(c: Context, name: string): string | undefined {
  for (const part of (c.req.header("cookie") ?? "").split(";")) {
    const [key = "", ...value] = part.trim().split("=");
    if (key === name) return value.join("=").replace(/^"(.*)"$/, "$1");
  }
  return undefined;
}
