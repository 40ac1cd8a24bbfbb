import pRetry from "p-retry";

/** Prints one JSON line per event, as authentik does. No caller passes secrets. */
export function log(level: string, event: string, fields: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ event, level, logger: "emulator of authentik", ...fields }));
}

/** Retries every second until `attempt` succeeds; logs each failure as `message`. */
export async function retryForever(message: string, attempt: () => Promise<unknown>): Promise<void> {
  const onFailedAttempt = ({ error }: { error: Error }) => log("warning", message, { error: error.message });
  await pRetry(attempt, { retries: Infinity, factor: 1, minTimeout: 1000, onFailedAttempt });
}
