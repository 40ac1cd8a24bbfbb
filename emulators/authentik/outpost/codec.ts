/**
 * Signs values and reads signed ones, as `securecookie` does. The name of a cookie is not signed along, so that a value is valid under every
 * cookie name of an outpost (docs/authentik.md, Outposts and their sessions).
 */
import jwt from "jsonwebtoken";

/** Returns a signed value, which {@link decode} reads. */
export function encode(secret: string, value: unknown): string {
  return jwt.sign({ value }, secret, { algorithm: "HS256" });
}

/** Returns a value without a check of its signature; undefined = not encoded. */
export function decodeUnverified(text: string): unknown {
  return (jwt.decode(text) as { value: unknown } | null)?.value;
}

/**
 * @param maxAge in seconds; undefined = values never expire
 * @throws Error for a value that has another signature, or that is older than `maxAge`
 */
export function decode(secret: string, text: string, maxAge?: number): unknown {
  const options = { algorithms: ["HS256" as const], ...(maxAge ? { maxAge } : {}) };
  return (jwt.verify(text, secret, options) as { value: unknown }).value;
}
