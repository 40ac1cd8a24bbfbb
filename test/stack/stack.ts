import { inject, vi } from "vitest";
import { expectPage } from "../../ops/checks/verify/gateway.ts";
import { withClient } from "../domains/fixtures.ts";
import type { TestUser } from "../domains/administrator.ts";
import { openOwnPlatform, type OwnPlatform, type OwnStack } from "../helpers/ownPlatform.ts";

/** Name of the stack that the files deploy. */
export const SHARED = "shared";

/** Opens the platform of the folder, and its stack. */
export async function openShared(): Promise<{ own: OwnPlatform; stack: OwnStack }> {
  const own = openOwnPlatform(inject("running"));
  return { own, stack: await own.open(SHARED) };
}

/** Waits until the outpost serves a new host, i.e. has loaded the new providers, which ends its sessions (docs/authentik.md). */
export async function waitUntilServed(own: OwnPlatform, host: string): Promise<void> {
  const check = (): Promise<void> =>
    withClient(async (client) => {
      expectPage({ kind: "login" }, await client.send(`${own.origin(host)}/`), own.identityProvider);
    });
  await vi.waitFor(check, { timeout: 240_000, interval: 100 });
}

/** Creates the users that do not exist yet: each file uses the same. */
export async function createUsers({ administrator }: OwnPlatform, ...users: readonly TestUser[]): Promise<void> {
  const existing = new Set((await administrator.all<TestUser>("/core/users/")).map(({ username }) => username));
  for (const user of users) if (!existing.has(user.username)) await administrator.create(user);
}
