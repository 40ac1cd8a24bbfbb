/** What a client shows to be let in, as header lines. */
import { inject } from "vitest";
import { signIn } from "../../ops/verify/signIn.ts";
import type { Line } from "./raw.ts";
import { person, withClient } from "./world.ts";

const sessions = new Map<string, Promise<Line>>();

/** The `Cookie` of a session at a service's URL, of someone whom it admits; the same one for a whole file. */
export function sessionAt(url: string): Promise<Line> {
  const session = sessions.get(url) ?? newSessionAt(url);
  sessions.set(url, session);
  return session;
}

function newSessionAt(url: string): Promise<Line> {
  return withClient(async (client) => {
    await signIn(client, `${url}/`, person("inge"));
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
