/** Clients that send requests for some time: one at a fixed rate, and one that floods. */
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";

export interface Query {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Outcome of a request: its path, status or the error of the connection, duration in milliseconds, and the beginning of the body. */
export interface Outcome {
  readonly path: string;
  readonly status: number | string;
  readonly took: number;
  readonly body: string;
}

const MAX_BODY = 4096;

/** Creates a createClient with a given address and keep-alive connections. */
function createClient(from: string): { send: (query: Query) => Promise<Outcome>; close: () => void } {
  const { url, gatewayPort } = inject("data");
  const agent = new Agent({ keepAlive: true });
  const send = ({ path, headers = {} }: Query): Promise<Outcome> => {
    const since = performance.now();
    const took = (): number => performance.now() - since;
    return new Promise((resolve) => {
      const options = { agent, host: "127.0.0.1", port: gatewayPort, localAddress: from, path };
      const outgoing = request({ ...options, headers: { host: new URL(url).host, ...headers } }, (response) => {
        let body = "";
        response.setEncoding("latin1").on("data", (chunk: string) => {
          if (body.length < MAX_BODY) body += chunk.slice(0, MAX_BODY);
        });
        response.on("error", ({ message }) => resolve({ path, status: message, took: took(), body }));
        response.on("end", () => resolve({ path, status: response.statusCode ?? 0, took: took(), body }));
      });
      outgoing.on("error", ({ message }) => resolve({ path, status: message, took: took(), body: "" })).end();
    });
  };
  return { send, close: () => agent.destroy() };
}

/** Maximum number of concurrent requests, as of a page of the catalog. */
const MAX_PENDING = 3;

/** Sends requests at a fixed rate until the signal, but at most {@link MAX_PENDING} at a time. */
export async function sendAtRate(
  from: string,
  query: Query,
  perSecond: number,
  until: AbortSignal,
): Promise<Outcome[]> {
  const { send, close } = createClient(from);
  const all: Promise<Outcome>[] = [];
  const pending = new Set<Promise<unknown>>();
  while (!until.aborted) {
    const outcome = send(query);
    all.push(outcome);
    pending.add(outcome);
    void outcome.then(() => pending.delete(outcome));
    if (pending.size === MAX_PENDING) await Promise.race(pending);
    await pause(1000 / perSecond, undefined, { signal: until }).catch(() => undefined);
  }
  const outcomes = await Promise.all(all);
  close();
  return outcomes;
}

/** Sends queries in turn with a number of concurrent requests until the signal. */
export async function sendFlood(
  from: string,
  queries: readonly Query[],
  concurrency: number,
  until: AbortSignal,
): Promise<Outcome[]> {
  const { send, close } = createClient(from);
  const outcomes: Outcome[] = [];
  let turn = 0;
  const sendInTurn = async (): Promise<void> => {
    while (!until.aborted) {
      const query = queries[turn++ % queries.length];
      if (!query) return;
      const response = await send(query);
      outcomes.push(response);
      // Rejected immediately: without a pause this process would be busy.
      if ([302, 404, 429].includes(response.status as number)) await pause(20);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  close();
  return outcomes;
}

/** Returns the 99th percentile of the durations in milliseconds. */
export function p99(outcomes: readonly Outcome[]): number {
  const sorted = outcomes.map(({ took }) => took).toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
}
