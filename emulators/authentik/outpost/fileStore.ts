import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Context } from "hono";
import type { Claims } from "./claims.ts";
import { decode, decodeUnverified, encode } from "./codec.ts";
import { newSession, setCookie } from "./session.ts";
import type { CookieOptions, Opened, Session, SessionStore, Values } from "./session.ts";

const PREFIX = "session_";

/**
 * The sessions of a standalone outpost: files in one folder, and a signed id in the cookie. A process has one store for all of its
 * providers; whichever was constructed last decides about its secret and its cookies (docs/authentik.md, Outposts and their sessions).
 */
export class FileStore implements SessionStore {
  readonly #folder: string;
  /** The cookie secrets of all providers that are served now. */
  readonly #secrets: () => string[];
  #secret = "";
  #options: CookieOptions = { maxAge: 0, secure: false, domain: "" };

  constructor(folder: string, secrets: () => string[]) {
    this.#folder = folder;
    this.#secrets = secrets;
  }

  /** Applies the options of a newly constructed provider to all providers. */
  configure(secret: string, options: CookieOptions): void {
    this.#secret = secret;
    this.#options = options;
  }

  open(name: string, cookie: string | undefined): Opened {
    const session = newSession(name, this.#options);
    if (cookie === undefined) return { session };
    try {
      session.id = this.#decoded(cookie) as string;
      session.values = this.#decoded(readFileSync(this.#file(session.id), "utf8")) as Values;
      return { session };
    } catch (error) {
      return { session, error: error as Error };
    }
  }

  save(c: Context, session: Session): void {
    if (session.options.maxAge <= 0) {
      rmSync(this.#file(session.id), { force: true });
      return setCookie(c, session, "");
    }
    session.id ||= newId();
    writeFileSync(this.#file(session.id), encode(this.#secret, session.values), { mode: 0o600 });
    setCookie(c, session, encode(this.#secret, session.id));
  }

  logout(matches: (claims: Claims) => boolean): void {
    for (const name of readdirSync(this.#folder).filter((file) => file.startsWith(PREFIX))) {
      const file = path.join(this.#folder, name);
      const text = readFileSync(file, "utf8");
      // Most sessions are of requests before a login, and the signatures of thousands would block the process for seconds.
      if ((decodeUnverified(text) as Values | undefined)?.claims === undefined) continue;
      const claims = readableBy(this.#secrets(), text)?.claims;
      if (claims && matches(claims)) rmSync(file, { force: true });
    }
  }

  #decoded(text: string): unknown {
    return decode(this.#secret, text, this.#options.maxAge);
  }

  #file(id: string): string {
    return path.join(this.#folder, PREFIX + path.basename(id));
  }
}

/** A random session id, in the alphabet that Go's outposts use for file names. */
export function newId(): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  return Array.from(randomBytes(52), (byte) => alphabet[byte % 32]).join("");
}

function readableBy(secrets: string[], text: string): Values | undefined {
  for (const secret of secrets) {
    try {
      return decode(secret, text) as Values;
    } catch {
      // Signed with the secret of another provider.
    }
  }
  return undefined;
}
