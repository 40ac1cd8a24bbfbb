import { shortHash } from "../shortHash.ts";

/** Longest DNS label (RFC 1123), and so the longest name of most Kubernetes objects. */
const LABEL_LENGTH = 63;

/**
 * Joins parts with `-` to a DNS label. A name that is too long is cut, and ends in a hash of all of it.
 * @param parts lower-case labels, or names of labels with dots
 */
export function dnsLabel(...parts: readonly string[]): string {
  const name = parts.join("-");
  if (name.length <= LABEL_LENGTH) return name;
  const hash = shortHash(name);
  const head = name.slice(0, LABEL_LENGTH - hash.length - 1).replace(/[-.]+$/, "");
  return `${head}-${hash}`;
}
