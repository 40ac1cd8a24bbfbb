import pRetry from "p-retry";

/** One JSON line per event, as authentik logs. Never given secrets. */
export function log(level: string, event: string, fields: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ event, level, logger: "emulator of authentik", ...fields }));
}

/** Tries every second until it works; each failure is logged under `complaint`. */
export async function untilItWorks(complaint: string, attempt: () => Promise<unknown>): Promise<void> {
  const onFailedAttempt = ({ error }: { error: Error }) => log("warning", complaint, { error: error.message });
  await pRetry(attempt, { retries: Infinity, factor: 1, minTimeout: 1000, onFailedAttempt });
}
