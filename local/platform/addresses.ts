import { randomInt } from "node:crypto";
import path from "node:path";
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
/** Of the first address of a range, which belongs to the API server's own Service and has no listener. A platform listens there while it runs. */
const CLAIM_PORT = 65_535;

/** The addresses of a range, 0 to 2,047. */
export function addressesOf(range: number): Addresses {
  const [second, third] = [range >> 6, (range & 63) << 2];
  return { services: `127.${64 + second}.${third}.0/22`, pods: `127.${128 + second}.${third}.0/22` };
}

/**
 * Claims a range of addresses for the platform of a data folder: the one that it had before, else any that is free.
 * @throws Error when another platform has taken the range that this one had before
 */
export async function claimAddresses(data: string): Promise<Claim> {
  const file = path.join(data, "addresses.json");
  const last = readRange(file);
  for (;;) {
    const range = last ?? randomInt(RANGES);
    const addresses = addressesOf(range);
    const first = addresses.services.replace("0/22", "1");
    const claim = await listen({ port: CLAIM_PORT, host: first, exclusive: true });
    if (typeof claim !== "string") {
      if (last === undefined) writePrivate(file, { range });
      return { ...addresses, release: () => claim.close() };
    }
    if (last !== undefined) {
      throw new Error(`another program listens on ${first}, in the addresses of ${data}; stop it first`);
    }
  }
}

/** Returns undefined for a file that a full disk left empty. */
function readRange(file: string): number | undefined {
  try {
    return readJson<{ range: number }>(file)?.range;
  } catch {
    return undefined;
  }
}
