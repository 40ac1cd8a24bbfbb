/** Asks each host for its page without a session, one every so often, until told to stop; for {@link watchHosts} of test/e2e/watch.ts. */
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** Milliseconds between two requests. */
const PAUSE = 50;

const [port = "", ...hosts] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const seen = { answered: {} as Record<string, number>, open: [] as { host: string; at: string }[] };
let stopped = false;
process.once("message", () => (stopped = true));
process.once("disconnect", () => process.exit());

for (let turn = 0; !stopped; turn++) {
  const host = hosts[turn % hosts.length] ?? "";
  void ask(host).catch(() => undefined);
  await pause(PAUSE);
}
process.send?.(seen, () => process.exit());

/** What the echo service answers begins with its name; no refusal does. */
async function ask(host: string): Promise<void> {
  const at = new Date().toISOString();
  const body = await new Promise<string>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, agent, headers: { host: `${host}:${port}` }, timeout: 5_000 };
    const outgoing = get(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve(text)).on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy()).on("error", reject);
  });
  seen.answered[host] = (seen.answered[host] ?? 0) + 1;
  if (body.startsWith("Hostname: ")) seen.open.push({ host, at });
}
