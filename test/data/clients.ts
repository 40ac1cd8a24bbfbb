/** Clients that ask for long: a polite one, which tells how it fared, and one that floods. */
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { inject } from "vitest";

export interface Asking {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How one request ended: status, or what the connection died of; milliseconds; the body's beginning. */
export interface Ended {
  readonly status: number | string;
  readonly took: number;
  readonly body: string;
}

const KEPT = 4096;

/** A client with an address of its own, which keeps its connections. */
export function client(from: string): { ask: (asking: Asking) => Promise<Ended>; close: () => void } {
  const { url, gatewayPort } = inject("data");
  const agent = new Agent({ keepAlive: true });
  const ask = ({ path, headers = {} }: Asking): Promise<Ended> => {
    const since = performance.now();
    const took = (): number => performance.now() - since;
    return new Promise((resolve) => {
      const options = { agent, host: "127.0.0.1", port: gatewayPort, localAddress: from, path };
      const outgoing = request({ ...options, headers: { host: new URL(url).host, ...headers } }, (answer) => {
        let body = "";
        answer.setEncoding("latin1").on("data", (chunk: string) => {
          if (body.length < KEPT) body += chunk.slice(0, KEPT);
        });
        answer.on("error", ({ message }) => resolve({ status: message, took: took(), body }));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, took: took(), body }));
      });
      outgoing.on("error", ({ message }) => resolve({ status: message, took: took(), body: "" })).end();
    });
  };
  return { ask, close: () => agent.destroy() };
}

/** What a page has under way at once. */
const AT_ONCE = 3;

/** Asks at a fixed rate until the signal, and waits where answers take so long that too many are under way. */
export async function politely(from: string, asking: Asking, perSecond: number, until: AbortSignal): Promise<Ended[]> {
  const { ask, close } = client(from);
  const all: Promise<Ended>[] = [];
  const underWay = new Set<Promise<unknown>>();
  while (!until.aborted) {
    const asked = ask(asking);
    all.push(asked);
    underWay.add(asked);
    void asked.then(() => underWay.delete(asked));
    if (underWay.size === AT_ONCE) await Promise.race(underWay);
    await pause(1000 / perSecond, undefined, { signal: until }).catch(() => undefined);
  }
  const ended = await Promise.all(all);
  close();
  return ended;
}

/** Asks in turn, as many at once, until the signal. */
export async function flooding(
  from: string,
  askings: readonly Asking[],
  atOnce: number,
  until: AbortSignal,
): Promise<Ended[]> {
  const { ask, close } = client(from);
  const ended: Ended[] = [];
  let turn = 0;
  const one = async (): Promise<void> => {
    while (!until.aborted) {
      const asking = askings[turn++ % askings.length];
      if (!asking) return;
      const answer = await ask(asking);
      ended.push(answer);
      // Refused at once: without a pause this process would be busy with it.
      if (answer.status === 429 || answer.status === 404) await pause(20);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  close();
  return ended;
}

/** The duration that 99 of a hundred stay below, in milliseconds. */
export function p99(ended: readonly Ended[]): number {
  const sorted = ended.map(({ took }) => took).toSorted((a, b) => a - b);
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0);
}
