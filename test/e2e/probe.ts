import { setTimeout as pause } from "node:timers/promises";
import { Agent, request } from "undici";

/** How often each status came; an exchange that failed counts under its code. */
export type Tally = Readonly<Record<string, number>>;

export interface Probe {
  /** Answers that came out of the echo service. */
  readonly leaked: readonly string[];
  /** Ends the probe, once what is under way has answered. */
  stop(): Promise<Tally>;
}

/** Milliseconds between two requests. */
const PERIOD = 20;

/**
 * Asks an address again and again, whether or not the last answer came, each time on its own.
 * @param headers e.g. the cookie of an old session; default: nobody's
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
  const underWay = new Set<Promise<void>>();
  const ask = async (): Promise<void> => {
    const { statusCode, body } = await request(url, { dispatcher, headers });
    const text = await body.text();
    tally[statusCode] = (tally[statusCode] ?? 0) + 1;
    if (text.includes("Hostname:")) leaked.push(text);
  };
  const stopped = new AbortController();
  const asking = (async () => {
    while (!stopped.signal.aborted) {
      const asked = ask()
        .catch((error: NodeJS.ErrnoException) => {
          const code = error.code ?? error.message;
          tally[code] = (tally[code] ?? 0) + 1;
        })
        .finally(() => underWay.delete(asked));
      underWay.add(asked);
      await pause(PERIOD, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    await Promise.all(underWay);
    await dispatcher.close();
  })();
  const stop = async (): Promise<Tally> => {
    stopped.abort();
    await asking;
    return tally;
  };
  return { leaked, stop };
}
