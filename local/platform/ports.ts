import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import path from "node:path";
import { listen } from "./listener.ts";

/**
 * Below the ports that Linux gives to outgoing connections (ip_local_port_range, ip(7)): no connection takes the port of a program that is
 * starting, or that is being started again.
 */
const ANY_PORT = [20_000, 32_768] as const;
const MAX_ATTEMPTS = 100;
/** What reserves the ports of a data folder. */
const claims = new Map<string, Server[]>();

/**
 * Returns ports on 127.0.0.1. Each name gets the port of the last run on the same data folder if it is free, so that a restart changes no
 * deployed address; else the first of the wanted ones that is allowed and free, else any free one. No other call gets them, in any process,
 * until {@link releasePorts}.
 */
export async function choosePorts<N extends string>(
  data: string,
  wanted: Readonly<Record<N, readonly number[]>>,
): Promise<Record<N, number>> {
  const file = path.join(data, "ports.json");
  const last = lastPorts(file);
  const ports = {} as Record<N, number>;
  for (const name of Object.keys(wanted) as N[]) {
    const remembered = last[name];
    const { port, claim } = await claimFirst([...(remembered === undefined ? [] : [remembered]), ...wanted[name]]);
    ports[name] = port;
    claims.set(data, [...(claims.get(data) ?? []), claim]);
  }
  writeFileSync(file, `${JSON.stringify({ ...lastPorts(file), ...ports })}\n`);
  return ports;
}

/** Lets other platforms use the ports of a data folder. */
export function releasePorts(data: string): void {
  for (const claim of claims.get(data) ?? []) claim.close();
  claims.delete(data);
}

/** Returns a port that nothing listens on, and that no platform gets while this process runs. */
export async function freePort(): Promise<number> {
  return (await claimFirst([])).port;
}

function lastPorts(file: string): Record<string, number | undefined> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, number | undefined>;
  } catch {
    return {};
  }
}

async function claimFirst(candidates: readonly number[]): Promise<{ port: number; claim: Server }> {
  const others = Array.from({ length: MAX_ATTEMPTS }, () => randomInt(...ANY_PORT));
  for (const port of [...candidates, ...others]) {
    // The program listens later: until then only the claim, an abstract Unix socket (unix(7)), keeps others away from a port that is free.
    const claim = await listen({ path: `\0gatehouse-port-${port}` });
    if (typeof claim === "string") continue;
    if (await isFree(port)) return { port, claim };
    claim.close();
  }
  throw new Error("no port is free on 127.0.0.1");
}

/** Returns whether a program can listen on 127.0.0.1, and none does on ::1, which a browser tries first for localhost. */
async function isFree(port: number): Promise<boolean> {
  const four = await listen({ port, host: "127.0.0.1", exclusive: true });
  if (typeof four === "string") return false;
  const six = await listen({ port, host: "::1", exclusive: true });
  const servers = [four, six].filter((server) => typeof server !== "string");
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return six !== "EADDRINUSE";
}
