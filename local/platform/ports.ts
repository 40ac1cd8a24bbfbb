import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import path from "node:path";

/** Below the ports that Linux gives to outgoing connections (ip_local_port_range of ip(7)), one of which could take a port before its program. */
const ANY_PORT = { least: 20_000, end: 32_768 } as const;
const MAX_ATTEMPTS = 100;

/**
 * Returns free ports on 127.0.0.1, to be bound at once: nothing reserves them. Each name gets the port of the last run on the same data
 * folder if it is free, so that a restart changes no deployed address; else the first of the wanted ones that is allowed and free, else
 * any free one.
 */
export async function choosePorts<N extends string>(
  data: string,
  wanted: Readonly<Record<N, readonly number[]>>,
): Promise<Record<N, number>> {
  const file = path.join(data, "ports.json");
  const last = lastPorts(file);
  const held = new Map<N, Server>();
  for (const name of Object.keys(wanted) as N[]) {
    const remembered = last[name];
    held.set(name, await listenOnFirst([...(remembered === undefined ? [] : [remembered]), ...wanted[name]]));
  }
  const ports = Object.fromEntries([...held].map(([name, server]) => [name, (server.address() as AddressInfo).port]));
  // All are held until the last is chosen: none is given twice.
  await Promise.all([...held.values()].map((server) => once(server.close(), "close")));
  writeFileSync(file, `${JSON.stringify({ ...lastPorts(file), ...ports })}\n`);
  return ports as Record<N, number>;
}

function lastPorts(file: string): Record<string, number | undefined> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
  } catch {
    return {}; // the first run
  }
}

async function listenOnFirst(candidates: readonly number[]): Promise<Server> {
  const others = Array.from({ length: MAX_ATTEMPTS }, () => randomInt(ANY_PORT.least, ANY_PORT.end));
  for (const port of [...candidates, ...others]) {
    const server = await listen(port);
    if (server) return server;
  }
  throw new Error("no port is free on 127.0.0.1");
}

/** Undefined when the port is taken, or binding it is not allowed. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server));
  });
}
