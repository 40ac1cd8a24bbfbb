/** What a client shows to be let in, as header lines. */
import { inject } from "vitest";
import { signIn } from "../../ops/clients/signIn.ts";
import type { Line } from "./raw-requests.ts";
import { credentialsOf, withClient } from "./fixtures.ts";

const sessions = new Map<string, Promise<Line>>();

/** The `Cookie` of a user's session at a service's URL; the same one for a whole file. @param username one of an allowed group */
export function sessionAt(url: string, username = "inge"): Promise<Line> {
  const key = `${username} ${url}`;
  const session = sessions.get(key) ?? newSessionAt(url, username);
  sessions.set(key, session);
  return session;
}

function newSessionAt(url: string, username: string): Promise<Line> {
  return withClient(async (client) => {
    await signIn(client, `${url}/`, credentialsOf(username));
    return ["Cookie", await client.cookies.getCookieString(url)] as const;
  });
}

/** The `Authorization` of the one who may enter `legacy`, unless told otherwise. */
export function passwordLine(credentials = `ops:${legacyPassword()}`): Line {
  return ["Authorization", `Basic ${Buffer.from(credentials).toString("base64")}`];
}

export function legacyPassword(): string {
  return inject("domains").variables["LEGACY_PASSWORD"] ?? "";
}
