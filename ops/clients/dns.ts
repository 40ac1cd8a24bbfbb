import { isIPv4 } from "node:net";
import { lookup } from "../../infra/loopback.ts";

/** Returns the addresses of a name. @throws Error with the resolver's `code` when there are none */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Resolves as the HTTP client does: `*.localhost` to loopback, other names with the system's resolver. */
export const resolve: Resolve = (name) =>
  new Promise((found, failed) => {
    lookup(name, { all: true }, (error, addresses) => {
      if (error) failed(error);
      else found([addresses].flat().map((address) => (typeof address === "string" ? address : address.address)));
    });
  });

/** Returns the addresses that are not among the others. An IPv6 address has several spellings. */
export function otherAddresses(addresses: readonly string[], expected: readonly string[]): string[] {
  const known = new Set(expected.map(spelled));
  return addresses.filter((address) => !known.has(spelled(address)));
}

function spelled(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]/`).hostname;
}
