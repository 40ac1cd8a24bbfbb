/** Credentials of a client as header lines. */
import { expect, inject } from "vitest";
import { signIn } from "../../ops/clients/signIn.ts";
import type { Line } from "./rawRequests.ts";
import { credentialsOf, withClient } from "./fixtures.ts";

const sessions = new Map<string, Promise<Line>>();

/** Returns the `Cookie` of a user's session at a service's URL, the same one within a file. @param username user of an allowed group */
export function sessionAt(url: string, username = "inge"): Promise<Line> {
  // Another file may have ended the session: sign-out ends every session of a user.
  const key = `${expect.getState().testPath} ${username} ${url}`;
  const session = sessions.get(key) ?? createSession(url, username);
  sessions.set(key, session);
  return session;
}

function createSession(url: string, username: string): Promise<Line> {
  return withClient(async (client) => {
    await signIn(client, `${url}/`, credentialsOf(username));
    return ["Cookie", await client.cookies.getCookieString(url)] as const;
  });
}

/** Returns an `Authorization` header, by default with the password of `legacy`. */
export function passwordLine(credentials = `ops:${legacyPassword()}`): Line {
  return ["Authorization", `Basic ${Buffer.from(credentials).toString("base64")}`];
}

export function legacyPassword(): string {
  return inject("domains").variables["LEGACY_PASSWORD"] ?? "";
}
