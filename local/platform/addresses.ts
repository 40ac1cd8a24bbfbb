import { randomInt } from "node:crypto";
import { once } from "node:events";
import path from "node:path";
import { UserError } from "../../config/errors/userError.ts";
import { HTTPS_PORT } from "../../infra/identity/containers.ts";
import { AUTHENTIK_METRICS, POSTGREST_ADMIN } from "../../infra/observability/targets.ts";
import { AUTHENTIK_PORT, CATALOG_SERVICE, DATA_API_SERVICE } from "../../infra/plan/ownServices.ts";
import { listen } from "./listener.ts";
import { readJson, writePrivate } from "./privateFile.ts";

/** Loopback addresses of one platform. On Linux, each address of 127.0.0.0/8 works without configuration. */
export interface Addresses {
  /** The CIDR of cluster IPs. */
  readonly services: string;
  /** The CIDR of Pods. */
  readonly pods: string;
}

/** Addresses that no other platform on this machine uses. */
export interface Claim extends Addresses {
  /** Lets another platform use them. */
  readonly release: () => void;
}

/** Ranges of 1,024 addresses: Services from 127.64.0.0/11, Pods from 127.128.0.0/11. */
const RANGES = 2_048;
/** Ranges that are tried; some may belong to other platforms. */
const MAX_ATTEMPTS = 100;

/** Ports on the addresses of a range. */
interface Ports {
  /** Of the first address, which belongs to the API server's own Service and has no listener. A platform listens there while it runs. */
  readonly claim: number;
  /** Of the Pods and Services of the local stack. The sample applications have that of the catalog. */
  readonly pods: readonly number[];
}
/** As the local stack and the claims need them; a test has others. */
export const PORTS: Ports = {
  claim: 65_535,
  pods: [
    CATALOG_SERVICE.port,
    DATA_API_SERVICE.port,
    POSTGREST_ADMIN.containerPort,
    AUTHENTIK_PORT,
    HTTPS_PORT,
    AUTHENTIK_METRICS.containerPort,
  ],
};

/** The addresses of a range, 0 to 2,047. */
export function addressesOf(range: number): Addresses {
  const [second, third] = [range >> 6, (range & 63) << 2];
  return { services: `127.${64 + second}.${third}.0/22`, pods: `127.${128 + second}.${third}.0/22` };
}

/**
 * Claims a range of addresses for the platform of a data folder: the one that it had before, else any that is free.
 * @throws Error when another platform has taken the range that this one had before; UserError when another program has one of the ports on all addresses
 */
export async function claimAddresses(data: string, ports = PORTS): Promise<Claim> {
  const file = path.join(data, "addresses.json");
  const last = readRange(file);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const range = last ?? randomInt(RANGES);
    const addresses = addressesOf(range);
    const first = addresses.services.replace("0/22", "1");
    const claim = await listen({ port: ports.claim, host: first, exclusive: true });
    if (typeof claim !== "string") {
      try {
        for (const port of ports.pods) await requireFree(first, port);
        if (last === undefined) writePrivate(file, { range });
      } catch (error) {
        claim.close();
        throw error;
      }
      return { ...addresses, release: () => claim.close() };
    }
    if (claim !== "EADDRINUSE") throw new Error(`port ${ports.claim} of ${first} cannot be used (${claim})`);
    if (last !== undefined) {
      throw new Error(
        `another program listens on port ${ports.claim} of ${first}, in the addresses of ${data}; stop it first`,
      );
    }
  }
  throw takenEverywhere(ports.claim);
}

/** A program that listens on all addresses prevents a Pod from listening on its own one, and gets the requests to it. */
async function requireFree(host: string, port: number): Promise<void> {
  const server = await listen({ port, host, exclusive: true });
  if (server === "EADDRINUSE") throw takenEverywhere(port);
  if (typeof server === "string") throw new Error(`port ${port} of ${host} cannot be used (${server})`);
  await once(server.close(), "close");
}

function takenEverywhere(port: number): UserError {
  const problem = `another program listens on port ${port} on all addresses, and the local platform needs this port`;
  return new UserError(problem, "stop it, or let it listen on 127.0.0.1 only");
}

/** Returns undefined for a file that a full disk left empty. */
function readRange(file: string): number | undefined {
  try {
    return readJson<{ range: number }>(file)?.range;
  } catch {
    return undefined;
  }
}
