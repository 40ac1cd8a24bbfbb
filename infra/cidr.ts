/** Comparison of networks in CIDR notation. Pure. */
import { BlockList, isIP, isIPv6 } from "node:net";

/** Loopback and private networks (RFC 1918, RFC 4193): those that can connect to Postgres through a load balancer by default. */
export const PRIVATE_NETWORKS = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];

interface Network {
  readonly address: string;
  readonly length: number;
  readonly family: "ipv4" | "ipv6";
}

/** Returns the network that a text states; undefined for the name of a namespace. */
function networkOf(text: string): Network | undefined {
  const [address = "", length] = text.split("/");
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  return isIP(address) > 0 && /^\d+$/.test(length ?? "") ? { address, length: Number(length), family } : undefined;
}

/**
 * Returns whether a network is the internet or a great part of it: two networks /1 are the whole internet as well; all public addresses of IPv6 are
 * in 2000::/3, and fc00::/7 is private.
 */
export function isInternet(text: string): boolean {
  const network = networkOf(text);
  return network !== undefined && network.length <= (network.family === "ipv6" ? 3 : 7);
}

/** Returns whether one of the networks contains another, in any spelling. */
export function isNetworkWithin(network: string, others: readonly string[]): boolean {
  const single = (item: string): readonly string[] => (item === "private networks" ? PRIVATE_NETWORKS : [item]);
  return single(network).every((inner) => others.flatMap(single).some((outer) => contains(outer, inner)));
}

function contains(outer: string, inner: string): boolean {
  const [one, other] = [networkOf(outer), networkOf(inner)];
  if (one === undefined || other === undefined || one.family !== other.family) return outer === inner;
  const block = new BlockList();
  block.addSubnet(one.address, one.length, one.family);
  return other.length >= one.length && block.check(other.address, other.family);
}
