import { setTimeout as pause } from "node:timers/promises";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";

/** Number of responses by status; a failed request counts under its error code. */
export type Tally = Readonly<Record<string, number>>;

export interface Probe {
  /** Responses of the echo service. */
  readonly leaked: readonly string[];
  /** Stops the probe after the pending requests have ended. */
  stop(): Promise<Tally>;
}

/** Milliseconds between two requests. */
const PERIOD = 20;

/**
 * Sends requests to an address at a fixed rate, without waiting for earlier responses.
 * @param headers e.g. the cookie of an old session; default: none
 */
export function probe(url: string, headers: Readonly<Record<string, string>> = {}): Probe {
  const loopback = { address: "127.0.0.1", family: 4 };
  const dispatcher = new Agent({
    connect: {
      lookup: (_name, { all }, found) => (all ? found(null, [loopback]) : found(null, loopback.address, 4)),
    },
  });
  const tally: Record<string, number> = {};
  const leaked: string[] = [];
  const pending = new Set<Promise<void>>();
  const send = async (): Promise<void> => {
    const { statusCode, body } = await request(url, { dispatcher, headers });
    const text = await body.text();
    tally[statusCode] = (tally[statusCode] ?? 0) + 1;
    if (text.includes("Hostname:")) leaked.push(text);
  };
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const sent = send()
        .catch((error: NodeJS.ErrnoException) => {
          const code = error.code ?? error.message;
          tally[code] = (tally[code] ?? 0) + 1;
        })
        .finally(() => pending.delete(sent));
      pending.add(sent);
      await pause(PERIOD, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    await Promise.all(pending);
    await dispatcher.close();
  })();
  const stop = async (): Promise<Tally> => {
    stopped.abort();
    await running;
    return tally;
  };
  // A failed test does not reach its end.
  onTestFinished(async () => void (await stop()));
  return { leaked, stop };
}
