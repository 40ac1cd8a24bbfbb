import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Responses that a monitor received. */
interface Monitored {
  /** Number of responses by host. */
  readonly answered: Readonly<Record<string, number>>;
  /** Responses of an application instead of a refusal. */
  readonly open: readonly { readonly host: string; readonly at: string }[];
}

/**
 * Requests these hosts continuously without a session, in a separate process that the test's own work cannot delay.
 * @param port of the gateway
 * @returns stops the monitor and returns what it received
 */
export function monitorHosts(port: number, hosts: readonly string[]): () => Promise<Monitored> {
  const monitor = fork(join(import.meta.dirname, "../helpers/hostMonitorProcess.ts"), [String(port), ...hosts]);
  return async () => {
    const message = once(monitor, "message") as Promise<[Monitored]>;
    monitor.send("stop");
    return (await message)[0];
  };
}
