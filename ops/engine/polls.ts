import { setTimeout as wait } from "node:timers/promises";

const POLL_MS = 3_000;

/** @returns whether the check passed within `timeout` milliseconds */
export async function polls(check: () => Promise<boolean>, timeout: number): Promise<boolean> {
  const deadline = Date.now() + timeout;
  while (Date.now() < deadline) {
    if (await check()) return true;
    await wait(Math.min(POLL_MS, Math.max(0, deadline - Date.now())));
  }
  return false;
}
