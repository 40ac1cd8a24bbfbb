import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import jwt from "jsonwebtoken";
import type { Session, User } from "./objects.ts";
import type { Store } from "./store.ts";

export const SESSION_COOKIE = "authentik_session";
const CSRF_COOKIE = "authentik_csrf";
const CSRF_LIFETIME = 52 * 7 * 24 * 3600;
const DEVICE_COOKIE = "authentik_device";
const DEVICE_LIFETIME = 30 * 24 * 3600;
/** `sessions.unauthenticated_age`, the age of each session without a duration (`SESSION_COOKIE_AGE` in authentik/root/settings.py, 2026.5). */
const LIFETIME = 24 * 3600;

/** Scheme, host and port of the request: `X-Forwarded-Proto` and `-Host` count, as behind Traefik. */
export function originOf(c: Context): string {
  const first = (name: string) => c.req.header(name)?.split(",")[0]?.trim();
  const host = first("x-forwarded-host") ?? c.req.header("host") ?? new URL(c.req.url).host;
  return `${first("x-forwarded-proto") ?? "http"}://${host}`;
}

/** Returns the unexpired session of a request's cookie. */
export function currentSession(store: Store, c: Context): Session | undefined {
  const session = store.get("session", getCookie(c, SESSION_COOKIE));
  return session && session.exp > Date.now() / 1000 ? session : undefined;
}

/** Returns the user of a request's session; undefined for an inactive one. */
export function signedIn(store: Store, c: Context): User | undefined {
  const user = store.get("user", currentSession(store, c)?.user);
  return user?.is_active ? user : undefined;
}

/**
 * A new session, anonymous until `user` is given; its cookies replace those of the old one. After `duration` seconds browser and
 * server forget it; 0 = the browser when it closes, the server after a day.
 */
export function startSession(store: Store, c: Context, fields: Partial<Session>, duration = 0): Session {
  const previous = currentSession(store, c);
  if (previous) endSession(store, previous);
  const session = store.put("session", newSession(randomUUID(), fields, duration));
  const secure = originOf(c).startsWith("https:");
  const sameSite = secure ? "None" : "Lax";
  const cookie = { path: "/", sameSite, secure, ...(duration > 0 ? { maxAge: duration } : {}) } as const;
  setCookie(c, SESSION_COOKIE, session.pk, { ...cookie, httpOnly: true });
  if (session.user !== null) setCookie(c, CSRF_COOKIE, session.csrf, { ...cookie, maxAge: CSRF_LIFETIME });
  return session;
}

/** Returns a session that is not stored yet. @param duration in seconds; 0 = a day, and the browser forgets it when it closes */
export function newSession(pk: string, fields: Partial<Session> = {}, duration = 0): Session {
  const exp = Math.floor(Date.now() / 1000) + (duration || LIFETIME);
  const anonymous = { user: null, loginTs: null, flow: null, authorizations: {}, lasting: duration > 0 };
  return { pk, uid: randomUUID(), csrf: randomUUID(), exp, ...anonymous, ...fields };
}

/** Ends a session with authentik. Outposts receive the event later. */
export function endSession(store: Store, session: Session): void {
  store.remove("session", session.pk);
}

/** Deletes the cookies of a session in the browser. */
export function deleteCookies(c: Context): void {
  deleteCookie(c, SESSION_COOKIE, { path: "/" });
  deleteCookie(c, CSRF_COOKIE, { path: "/" });
}

/** Marks a device on which a user has signed in, for 30 days (`remember_device` of the login stage). */
export function rememberDevice(c: Context, userId: string, secretKey: string): void {
  const exp = Math.floor(Date.now() / 1000) + DEVICE_LIFETIME;
  const value = jwt.sign({ sub: userId, exp }, secretKey, { noTimestamp: true });
  setCookie(c, DEVICE_COOKIE, value, { path: "/", sameSite: "Lax", expires: new Date(exp * 1000) });
}
