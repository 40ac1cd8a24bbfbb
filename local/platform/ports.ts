import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import path from "node:path";

export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly ping: number;
  readonly kubernetes: number;
  readonly postgres: number;
}

/**
 * Free ports on 127.0.0.1. HTTP takes 80, else 8080, and HTTPS 443, else 8443, where that is allowed and free; the others take those of
 * the last run on the same data folder, so that a restart changes no deployed address, else any free one.
 */
export async function choosePorts(data: string): Promise<Ports> {
  const file = path.join(data, "ports.json");
  const last = lastPorts(file);
  const held: Server[] = [];
  const hold = async (...wanted: (number | undefined)[]): Promise<number> => {
    for (const port of [...wanted, 0]) {
      const server = port === undefined ? undefined : await listen(port);
      if (!server) continue;
      held.push(server);
      return (server.address() as AddressInfo).port;
    }
    throw new Error("no free port on 127.0.0.1");
  };
  const ports: Ports = {
    http: await hold(80, 8080, last.http),
    https: await hold(443, 8443, last.https),
    ping: await hold(last.ping),
    kubernetes: await hold(last.kubernetes),
    postgres: await hold(last.postgres),
  };
  // All are held until the last is chosen: none is given twice.
  await Promise.all(held.map((server) => once(server.close(), "close")));
  writeFileSync(file, `${JSON.stringify(ports)}\n`);
  return ports;
}

function lastPorts(file: string): Partial<Ports> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Partial<Ports>;
  } catch {
    return {}; // the first run
  }
}

/** Undefined when the port is taken, or binding it is not allowed. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server));
  });
}
