/** Requests the page of each host in turn without a session, until the parent sends a message; for {@link monitorHosts} of test/stack/hostMonitor.ts. */
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between two requests. */
const PAUSE = 50;

const [port = "", ...hosts] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const observed = { answered: {} as Record<string, number>, open: [] as { host: string; at: string }[] };
let isStopped = false;
process.once("message", () => (isStopped = true));
process.once("disconnect", () => process.exit());

for (let turn = 0; !isStopped; turn++) {
  const host = hosts[turn % hosts.length] ?? "";
  void requestPage(host).catch(() => undefined);
  await pause(PAUSE);
}
process.send?.(observed, () => process.exit());

/** A response of the echo service begins with its host name; a refusal does not. */
async function requestPage(host: string): Promise<void> {
  const at = new Date().toISOString();
  const body = await new Promise<string>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, agent, headers: { host: `${host}:${port}` }, timeout: 5_000 };
    const outgoing = get(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(text)).on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy()).on("error", reject);
  });
  observed.answered[host] = (observed.answered[host] ?? 0) + 1;
  if (body.startsWith("Hostname: ")) observed.open.push({ host, at });
}
