import { shortHash } from "../shortHash.ts";

/** Longest DNS label (RFC 1123), and so the longest name of most Kubernetes objects. */
const LABEL_LENGTH = 63;

/**
 * Joins parts with `-` to a DNS label. What is too long ends in a hash of the whole instead of its end.
 * @param parts lower-case labels, or names of labels with dots
 */
export function dnsLabel(...parts: readonly string[]): string {
  const name = parts.join("-");
  if (name.length <= LABEL_LENGTH) return name;
  const hash = shortHash(name);
  const head = name.slice(0, LABEL_LENGTH - hash.length - 1).replace(/[-.]+$/, "");
  return `${head}-${hash}`;
}
