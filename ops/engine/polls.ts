import { setTimeout as wait } from "node:timers/promises";

const POLL_MS = 3_000;

/**
 * Runs a check every 3 seconds until it passes.
 * @param interrupted ends the wait
 * @returns whether the check passed within `timeout` milliseconds
 */
export async function polls(
  check: () => Promise<boolean>,
  timeout: number,
  interrupted?: AbortSignal,
): Promise<boolean> {
  const deadline = Date.now() + timeout;
  while (Date.now() < deadline && interrupted?.aborted !== true) {
    if (await check()) return true;
    const pause = wait(Math.min(POLL_MS, Math.max(0, deadline - Date.now())), undefined, { signal: interrupted });
    await pause.catch(() => undefined); // Rejects when it is interrupted.
  }
  return false;
}
