/** Networks in CIDR notation, and their addresses. Pure. */
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

/** Returns whether a text is an IP address that Kubernetes accepts in a network: without a zone, and no IPv4 address in IPv6. */
export function isKubernetesAddress(text: string): boolean {
  return isIP(text) > 0 && !/%|^\[::ffff:[0-9a-f]+:[0-9a-f]+\]$/.test(canonicalAddress(text));
}

/** Returns the one spelling of an IPv6 address (RFC 5952); any other text is unchanged. */
export function canonicalAddress(text: string): string {
  return (isIPv6(text) && URL.parse(`http://[${text}]`)?.hostname) || text;
}

/**
 * Returns whether a network has no bits beyond its prefix, as Kubernetes requires since 1.36 (`StrictIPCIDRValidation`); before, it means the whole
 * network.
 */
export function isNetworkAddress(text: string): boolean {
  const network = networkOf(text);
  if (network === undefined || !isKubernetesAddress(network.address)) return false;
  return !bitsOf(network).slice(network.length).includes("1");
}

function bitsOf({ address, family }: Network): string {
  const binary = (number: number, length: number): string => number.toString(2).padStart(length, "0");
  if (family === "ipv4") return address.replaceAll(/(\d+)\.?/g, (_, part) => binary(Number(part), 8));
  const [head = [], tail = []] = address.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].map((part) => binary(Number.parseInt(part, 16), 16)).join("");
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
