import { randomBytes } from "node:crypto";
import jwt from "jsonwebtoken";
import type { Configuration } from "./configuration.ts";

/** What a login carries through authentik: the session that began it, and where it ends (empty = the application's address). */
export type State = { sid: string; redirect: string };

const issuerOf = ({ client_id }: Configuration) => `goauthentik.io/outpost/${client_id}`;

/** Returns the `state` parameter of an authorization request. */
export function signState(configuration: Configuration, { sid, redirect }: State): string {
  const payload = { iss: issuerOf(configuration), sid, state: randomBytes(32).toString("base64url"), redirect };
  return jwt.sign(payload, configuration.cookie_secret, { noTimestamp: true });
}

/** Undefined = the provider did not sign it. A state never expires by itself; the session that it names does. */
export function readState(configuration: Configuration, text: string): State | undefined {
  try {
    const options = { issuer: issuerOf(configuration), algorithms: ["HS256" as const] };
    return jwt.verify(text, configuration.cookie_secret, options) as State;
  } catch {
    return undefined;
  }
}
