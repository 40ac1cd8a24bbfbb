/** A constant rate of requests, of which every response is counted. */
import autocannon, { type Result } from "autocannon";
import { MAX_WAIT_MS } from "./kubernetes.ts";

/** What is requested, and which answer is right. */
export interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

interface LoadResult {
  readonly requests: number;
  /** Other statuses than the expected one, by status, and failed connections. */
  readonly errors: Readonly<Record<string, number>>;
}

const REQUESTS_PER_SECOND = 40;
/** Fewer than the data API allows one client at a time. */
const CONNECTIONS = 4;

/** Sends requests through the gateway while `work` runs. */
export async function underLoad({ url, headers, status }: Target, work: () => Promise<void>): Promise<LoadResult> {
  const { host, pathname, search } = new URL(url);
  const statuses = new Map<number, number>();
  const options = {
    // The gateway's port on the node; the name is sent as it is.
    url: `http://127.0.0.1${pathname}${search}`,
    headers: { host, ...headers },
    connections: CONNECTIONS,
    overallRate: REQUESTS_PER_SECOND,
    duration: MAX_WAIT_MS / 1000,
    timeout: 10,
  };
  const { promise: ended, resolve } = Promise.withResolvers<Result>();
  const load = autocannon(options, (_error: unknown, result: Result) => resolve(result));
  load.on("response", (_client, code) => statuses.set(code, (statuses.get(code) ?? 0) + 1));
  try {
    await work();
  } finally {
    load.stop();
  }
  const { errors, timeouts } = await ended;
  const wrong = [...statuses].filter(([code]) => code !== status);
  const found = [...wrong, ["no answer", errors - timeouts] as const, ["timeout", timeouts] as const];
  const counts: number[] = [...statuses.values(), errors];
  return {
    requests: counts.reduce((sum, count) => sum + count),
    errors: Object.fromEntries(found.filter(([, count]) => count > 0)),
  };
}
