import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** What a watcher saw. */
export interface Watched {
  /** Answers, by host. */
  readonly answered: Readonly<Record<string, number>>;
  /** Those that came from an application instead of a refusal. */
  readonly open: readonly { readonly host: string; readonly at: string }[];
}

/**
 * Asks these hosts all the while, without a session, in a process that nothing else keeps busy.
 * @param port of the gateway
 * @returns ends it, and gives what it saw
 */
export function watchHosts(port: number, hosts: readonly string[]): () => Promise<Watched> {
  const watcher = fork(join(import.meta.dirname, "../helpers/watchHosts.ts"), [String(port), ...hosts]);
  return async () => {
    const seen = once(watcher, "message") as Promise<[Watched]>;
    watcher.send("stop");
    return (await seen)[0];
  };
}
